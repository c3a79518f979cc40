import { createHash } from "node:crypto";
import { createZstdDecompress } from "node:zlib";
import type { z } from "zod";
import type { Vault } from "../base/crypto.ts";
import { errorText } from "../base/errors.ts";
import {
  ARCHIVE_CLOSE,
  ARCHIVE_HEADER,
  type ArchiveClose,
  type ArchiveHeader,
  type ArchiveRecord,
  Damaged,
  FILE_HEAD,
  type FileHead,
  MAX_FIRST_LINE_bytes,
  readRecords,
  recordHead,
  SECTION_END,
  type SectionEnd,
  SIGNATURE_PURPOSE,
  TABLE_HEAD,
  type TableHead,
  versionOfFirstLine,
} from "./archive-format.ts";
import { ArchiveFault, notOurs } from "./foreign-archive.ts";

/** `data` is read to its end before the next part is asked for; it throws at its end when it was changed. */
type ArchivePart =
  | { kind: "table"; head: TableHead; data: AsyncGenerator<Buffer, SectionEnd> }
  | { kind: "file"; head: FileHead; data: AsyncGenerator<Buffer, SectionEnd> }
  | { kind: "close"; close: ArchiveClose };

export type ArchiveReader = {
  header: ArchiveHeader;
  /** Ends after `close`, whose signature was checked with `vault` then. Throws a Fault that names the damaged place. */
  parts(vault: Vault): AsyncGenerator<ArchivePart>;
};

/** Reads the header; nothing after it is looked at yet. */
export async function readArchive(source: AsyncIterable<Buffer>): Promise<ArchiveReader> {
  const pieces = source[Symbol.asyncIterator]();
  const { line, rest, beginning } = await readFirstLine(pieces);
  const version = versionOfFirstLine(line);
  if (version === undefined) throw notOurs(beginning);
  const place = { name: "its header" };
  const records = readPlaced(readRecords(decompressed(rest, pieces)), place);
  const signed = createHash("sha256");
  const json = <T>(record: ArchiveRecord, schema: z.ZodType<T>): T => {
    signed.update(recordHead(record)).update(record.body);
    return parse(record.body, schema, place);
  };
  const first = await next(records, place);
  if (first.kind !== "header") throw damaged(place.name, "its order is wrong");
  const header = json(first, ARCHIVE_HEADER);
  // The line is not signed, the header is.
  if (header.parley !== version) throw damaged(place.name, "its first line was changed");

  async function* section(): AsyncGenerator<Buffer, SectionEnd> {
    const sha256 = createHash("sha256");
    for (;;) {
      const record = await next(records, place);
      if (record.kind === "data") {
        sha256.update(record.body);
        yield record.body;
        continue;
      }
      if (record.kind !== "end") throw damaged(place.name, "its order is wrong");
      const end = json(record, SECTION_END);
      if (sha256.digest("hex") !== end.sha256) throw damaged(place.name, "its checksum is another");
      return end;
    }
  }

  return {
    header,
    async *parts(vault) {
      for (;;) {
        const record = await next(records, place);
        if (record.kind === "table") {
          const head = json(record, TABLE_HEAD);
          place.name = `the table ${head.table}`;
          yield { kind: "table", head, data: section() };
        } else if (record.kind === "file") {
          const head = json(record, FILE_HEAD);
          place.name = `the file ${head.path}`;
          yield { kind: "file", head, data: section() };
        } else if (record.kind === "close") {
          place.name = "its end";
          const close = parse(record.body, ARCHIVE_CLOSE, place);
          if (!vault.verify(SIGNATURE_PURPOSE, signed.digest("hex"), close.signature))
            throw damaged(
              place.name,
              "its signature is another: it was changed, or put together by somebody",
            );
          yield { kind: "close", close };
          if (!(await records.next()).done) throw damaged(place.name, "something comes after it");
          return;
        } else throw damaged(place.name, "its order is wrong");
        place.name = `what comes after ${place.name}`;
      }
    },
  };
}

function parse<T>(body: Buffer, schema: z.ZodType<T>, place: { name: string }): T {
  try {
    return schema.parse(JSON.parse(body.toString("utf8")));
  } catch {
    throw damaged(place.name, "its description can't be read");
  }
}

async function next(records: AsyncGenerator<ArchiveRecord>, place: { name: string }): Promise<ArchiveRecord> {
  const { value, done } = await records.next();
  if (done) throw cut(place.name);
  return value;
}

/** `beginning`: the first bytes, each as one character. */
type FirstLine = { line: string; rest: Buffer; beginning: string };

async function readFirstLine(pieces: AsyncIterator<Buffer>): Promise<FirstLine> {
  let bytes: Buffer = Buffer.alloc(0);
  const read = (line: string, rest: Buffer): FirstLine => ({
    line,
    rest,
    beginning: bytes.toString("latin1", 0, MAX_FIRST_LINE_bytes),
  });
  for (;;) {
    const end = bytes.indexOf("\n");
    if (end >= 0) return read(bytes.toString("latin1", 0, end), bytes.subarray(end + 1));
    if (bytes.length > MAX_FIRST_LINE_bytes) return read("", bytes);
    const { value, done } = await pieces.next();
    if (done) return read("", bytes);
    bytes = Buffer.concat([bytes, value]);
  }
}

async function* decompressed(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  const decompress = createZstdDecompress();
  const feed = async () => {
    // Called once it was taken, or can't be any more.
    const push = (bytes: Buffer) => new Promise<void>((resolve) => decompress.write(bytes, () => resolve()));
    await push(first);
    for (let piece = await rest.next(); !piece.done && !decompress.destroyed; piece = await rest.next())
      await push(piece.value);
    decompress.end();
  };
  feed().catch((error) => decompress.destroy(error));
  yield* decompress as AsyncIterable<Buffer>;
}

/** What zlib, a reader of records or a disk complain about, with where it was. */
async function* readPlaced(
  records: AsyncGenerator<ArchiveRecord>,
  place: { name: string },
): AsyncGenerator<ArchiveRecord> {
  try {
    yield* records;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Damaged) throw damaged(place.name, error.message);
    if (
      code === "Z_BUF_ERROR" ||
      code === "ERR_ZLIB_PREMATURE_CLOSE" ||
      /unexpected end/i.test(errorText(error))
    )
      throw cut(place.name);
    if (code?.startsWith("ZSTD_") || /zstd|zlib/i.test(code ?? ""))
      throw damaged(place.name, errorText(error));
    throw error;
  }
}

const cut = (place: string): ArchiveFault =>
  new ArchiveFault(`The backup is cut off: it ends at ${place}. Use another copy of it.`);

export const damaged = (place: string, why: string): ArchiveFault =>
  new ArchiveFault(`The backup is damaged at ${place}: ${why}. Use another copy of it.`);
