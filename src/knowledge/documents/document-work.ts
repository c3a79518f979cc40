import { serveWork } from "../../base/worker-work.ts";
import { boundByteArrays } from "./bound-buffers.ts";
import { refuse } from "./file-outcome.ts";
import { decode, isTooLong, readFile } from "./read-file.ts";
import { type HtmlPage, readHtml } from "./read-html.ts";

/* The beginning of a thread that reads files and pages of strangers (document-reader.ts). Bytes come as plain arrays. */

const work = {
  readFile: (bytes: Uint8Array, filename: string) => readFile(bufferOf(bytes), filename),
  /** A page of a web site, with what a crawler needs of it; null where it is no text. */
  readPage(bytes: Uint8Array, charset: string | null): HtmlPage | null {
    const html = decode(bufferOf(bytes), charset);
    if (html === null) return null;
    const read = readHtml(html);
    return isTooLong(read.outcome) ? { ...read, outcome: refuse("too-long") } : read;
  },
};
export type DocumentWork = typeof work;

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** A page's drawing has some megabytes; pictures in it are not unpacked. */
const MOST_UNPACKED_bytes = 128 * 1024 * 1024;

boundByteArrays(MOST_UNPACKED_bytes);
// What it unpacks is bounded by nothing; without it, the reader of PDFs unpacks by itself.
Reflect.deleteProperty(globalThis, "DecompressionStream");
serveWork(work);
