import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import yazl from "yazl";
import type { DataKey } from "../data-keys/sealed-file.ts";
import { sealing } from "../data-keys/sealing-stream.ts";

/** One file of an archive; `chunks` is asked for when its turn comes, one file after the other. */
export type ArchiveSource = {
  name: string;
  chunks(): AsyncIterable<Buffer>;
  /** False for what is compressed already. */
  compress?: boolean;
  /** Whether an error is of this file alone: the manifest says so, and the others are written. */
  isOfIt?(error: unknown): boolean;
};

type Written = { name: string; bytes: number; sha256: string; is_unreadable?: true };

/**
 * Writes a ZIP file, the sources in order and last a `manifest.json` that says what each holds and its SHA-256, so
 * that a reader can tell a whole archive from a damaged one. Sealed where there is a key. Never more than a chunk is in memory.
 */
export async function writeArchive(
  file: string,
  sources: ArchiveSource[],
  about: { at: Date; [more: string]: unknown },
  key: DataKey | null,
): Promise<void> {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  // The library tells of errors beside its stream; without this the stream would never end.
  zip.on("error", (error) => output.destroy(error as Error));
  const written: Written[] = [];
  const { at, ...facts } = about;

  const add = (name: string, compress: boolean, chunks: () => AsyncIterable<Buffer>) =>
    zip.addReadStreamLazy(name, { mtime: at, compress }, (callback) => {
      const stream = Readable.from(chunks(), { objectMode: false });
      stream.on("error", (error) => zip.emit("error", error));
      callback(null, stream);
    });
  for (const source of sources) {
    add(source.name, source.compress ?? true, () => watched(source, written));
  }
  add("manifest.json", true, async function* () {
    const manifest = { schema_version: 1, ...facts, created_at: at.toISOString(), files: written };
    yield Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  });
  zip.end();
  const disk = createWriteStream(file, { mode: 0o600 });
  await (key ? pipeline(output, sealing(key), disk) : pipeline(output, disk));
}

async function* watched({ name, chunks, isOfIt }: ArchiveSource, written: Written[]) {
  const hash = createHash("sha256");
  let bytes = 0;
  let isUnreadable = false;
  try {
    for await (const chunk of chunks()) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (!isOfIt?.(error)) throw error;
    isUnreadable = true;
  }
  written.push({ name, bytes, sha256: hash.digest("hex"), ...(isUnreadable && { is_unreadable: true }) });
}
