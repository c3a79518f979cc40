import { crc32 } from "node:zlib";
import { z } from "zod";
import { ArchiveFault } from "./foreign-archive.ts";

/*
 * A backup is one line of text and then one Zstandard stream of records:
 *
 *     header  (table data* end)*  (file data* end)*  close
 *
 * A record is a letter, the length of its body and its CRC-32 in four bytes each, and the body: bytes in a `data`, JSON in
 * all others. The CRC finds damage before anybody uses what it is in. `end` carries the size and SHA-256 of the section
 * before it, and `close` a signature over every JSON body, so that nothing can be left out, added or changed without the
 * secret key. The stream is written and read once, from its beginning to its end, so that it can go through a pipe.
 */
const FORMAT = 1;

/** Shown by `head -1`, and read before anything is decompressed. */
export const firstLine = (version: string): string => `Parley backup ${FORMAT}, made by Parley ${version}\n`;

/** Longer than any first line. */
export const MAX_FIRST_LINE_bytes = 200;

/** The program's version; undefined where the file is none of ours. Throws where this program can't read its format. */
export function versionOfFirstLine(line: string): string | undefined {
  const [, format, version] = /^Parley backup (\d{1,6}), made by Parley (\S{1,50})$/.exec(line) ?? [];
  if (format === undefined || version === undefined) return;
  if (Number(format) !== FORMAT)
    throw new ArchiveFault(
      `The backup was made by Parley ${version} in a format that this version can't read (${format}). Restore it with Parley ${version}.`,
    );
  return version;
}

const KINDS = { header: "H", table: "T", file: "F", data: "D", end: "E", close: "Z" } as const;
export type RecordKind = keyof typeof KINDS;
const KIND_OF = new Map(Object.entries(KINDS).map(([kind, letter]) => [letter.charCodeAt(0), kind]));

/** A longer body is damage: data is written in pieces, and no JSON comes near. */
const MAX_BODY_bytes = 16 * 1024 * 1024;
const HEAD_bytes = 9;

export type ArchiveRecord = { kind: RecordKind; body: Buffer };

/** What stands before this body. */
export function recordHead({ kind, body }: ArchiveRecord): Buffer {
  const head = Buffer.alloc(HEAD_bytes);
  head.write(KINDS[kind], 0, "latin1");
  head.writeUInt32BE(body.length, 1);
  head.writeUInt32BE(crc32(body), 5);
  return head;
}

/** The records of a stream of bytes, however it is cut into pieces. Ends where the bytes end. */
export async function* readRecords(pieces: AsyncIterable<Buffer>): AsyncGenerator<ArchiveRecord> {
  let parts: Buffer[] = [];
  let length = 0;
  let wanted = HEAD_bytes;
  let kind: RecordKind | undefined;
  let crc = 0;
  for await (const piece of pieces) {
    parts.push(piece);
    length += piece.length;
    if (length < wanted) continue;
    let bytes = parts.length === 1 ? piece : Buffer.concat(parts, length);
    while (bytes.length >= wanted) {
      if (kind === undefined) {
        kind = KIND_OF.get(bytes[0] ?? 0) as RecordKind | undefined;
        const size = bytes.readUInt32BE(1);
        crc = bytes.readUInt32BE(5);
        if (kind === undefined || size > MAX_BODY_bytes) throw new Damaged("bytes that say nothing");
        bytes = bytes.subarray(HEAD_bytes);
        wanted = size;
      } else {
        const body = bytes.subarray(0, wanted);
        if (crc32(body) !== crc) throw new Damaged("its checksum is another");
        yield { kind, body };
        bytes = bytes.subarray(wanted);
        kind = undefined;
        wanted = HEAD_bytes;
      }
    }
    parts = [bytes];
    length = bytes.length;
  }
  if (kind !== undefined || length > 0) throw new Damaged("it ends in the middle of a record");
}

/** What was read is not what was written; whoever knows where says so. */
export class Damaged extends Error {}

const wholeNumber = () => z.int().min(0);

export const ARCHIVE_HEADER = z.strictObject({
  parley: z.string(),
  postgres: z.string(),
  /** The moment whose state the database is in. */
  taken_at: z.iso.datetime(),
  migrations: z.array(
    z.object({ version: wholeNumber(), name: z.string(), checksum: z.string(), breaking: z.boolean() }),
  ),
  /** The highest migration of graphile-worker's own schema. */
  jobs_migration: wholeNumber(),
  /** Tells the secret key it was sealed with from others; null before the first start. */
  key_check: z.string().nullable(),
  /** Each with the last value it gave. */
  sequences: z.array(
    z.strictObject({ schema: z.string(), name: z.string(), last_value: z.string().regex(/^-?\d+$/) }),
  ),
  /** Of all tables and files. */
  expected_bytes: wholeNumber(),
});
export type ArchiveHeader = z.infer<typeof ARCHIVE_HEADER>;

/** `expected_bytes`: the size where it came from, for the progress of whoever reads it. */
export const TABLE_HEAD = z.strictObject({
  schema: z.string(),
  table: z.string(),
  columns: z.array(z.string()),
  expected_bytes: wholeNumber(),
});
export type TableHead = z.infer<typeof TABLE_HEAD>;

/** `path`: below the data directory, with slashes. */
export const FILE_HEAD = z.strictObject({
  path: z.string(),
  modified_at: z.iso.datetime(),
  expected_bytes: wholeNumber(),
});
export type FileHead = z.infer<typeof FILE_HEAD>;

export const SECTION_END = z.strictObject({
  rows: wholeNumber().optional(),
  bytes: wholeNumber(),
  sha256: z.string(),
});
export type SectionEnd = z.infer<typeof SECTION_END>;

export const ARCHIVE_CLOSE = z.strictObject({
  tables: wholeNumber(),
  files: wholeNumber(),
  rows: wholeNumber(),
  bytes: wholeNumber(),
  signature: z.string(),
});
export type ArchiveClose = z.infer<typeof ARCHIVE_CLOSE>;

/** What a signature is of, for the vault. */
export const SIGNATURE_PURPOSE = "backup";
