import { type FileOutcome, MOST_CHARACTERS, refuse } from "./file-outcome.ts";
import { readDocx } from "./read-docx.ts";
import { readHtml } from "./read-html.ts";
import { readPdf } from "./read-pdf.ts";
import { readMarkdown, readText } from "./read-text.ts";

/** How every compound file begins: Word's old files, and all that Office has encrypted. */
const COMPOUND = Buffer.from("d0cf11e0a1b11ae1", "hex");
const ENCRYPTED = Buffer.from("EncryptedPackage", "utf16le");
/** Its text stands among commands that would be read as words. */
const RTF = Buffer.from("{\\rtf");
/** Before it, some programs write lines of their own. */
const PDF_WITHIN = 1_024;

/** What a file says. What it is, its first bytes tell; its name only tells Markdown and HTML from plain text. */
export async function readFile(bytes: Buffer, filename: string): Promise<FileOutcome> {
  const outcome = await read(bytes, extensionOf(filename), null);
  return isTooLong(outcome) ? refuse("too-long") : outcome;
}

export const isTooLong = (outcome: FileOutcome): boolean =>
  outcome.kind === "read" &&
  outcome.sections.reduce((sum, { text }) => sum + text.length, 0) > MOST_CHARACTERS;

const extensionOf = (filename: string): string => /\.(\w{1,10})$/.exec(filename)?.[1]?.toLowerCase() ?? "";

async function read(bytes: Buffer, extension: string, charset: string | null): Promise<FileOutcome> {
  if (bytes.subarray(0, PDF_WITHIN).includes("%PDF-")) return readPdf(bytes);
  if (bytes.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1"))) {
    const outcome = readDocx(bytes);
    const isOther = outcome.kind === "refused" && outcome.why === "not-docx" && extension !== "docx";
    return isOther ? refuse("not-text") : outcome;
  }
  if (bytes.subarray(0, COMPOUND.length).equals(COMPOUND)) {
    return refuse(bytes.includes(ENCRYPTED) ? "locked" : "old-word");
  }
  if (bytes.subarray(0, RTF.length).equals(RTF)) return refuse("rtf");
  if (extension === "pdf") return refuse("not-pdf");
  if (extension === "docx") return refuse("not-docx");
  const text = decode(bytes, charset);
  if (text === null) return refuse("not-text");
  if (extension === "html" || extension === "htm" || looksLikeHtml(text)) return readHtml(text).outcome;
  return extension === "md" || extension === "markdown" ? readMarkdown(text) : readText(text);
}

const looksLikeHtml = (text: string): boolean => /^\s*(<!doctype html|<html[\s>])/i.test(text.slice(0, 500));

/**
 * Characters of a text: by its mark, by what it was sent as or says itself, as UTF-8, else as Windows writes them. Null for
 * what is no text.
 */
export function decode(bytes: Buffer, charset: string | null): string | null {
  const text = decoded(bytes, charset);
  const controls = text.match(/(?!\s)\p{Cc}/gu)?.length ?? 0;
  if (text.includes("\0") || controls > text.length * MOST_CONTROLS) return null;
  return text.replace(/^\ufeff/, "").toWellFormed();
}

/** The share of control characters from which it is no text: old terminals' colours are fewer. */
const MOST_CONTROLS = 0.02;

function decoded(bytes: Buffer, charset: string | null): string {
  const mark = bytes.subarray(0, 2).toString("hex");
  const marked = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : null;
  const said = /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(bytes.toString("latin1", 0, 2_048))?.[1];
  for (const name of [marked, charset, said, "utf-8"]) {
    if (!name) continue;
    try {
      return new TextDecoder(name, { fatal: true }).decode(bytes);
    } catch {
      // Not so written, or no such name: the next may be right.
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}
