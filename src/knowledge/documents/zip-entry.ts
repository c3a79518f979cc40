import { inflateRawSync } from "node:zlib";

/** How far back of its end an archive's directory is announced: a comment has at most 65,535 bytes. */
const LOOKED_BACK = 65_557;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const MOST_ENTRIES = 10_000;

/** The archive is broken, locked or unpacks to more than was allowed. */
export class BadArchive extends Error {
  readonly is_locked: boolean;
  constructor(message: string, is_locked = false) {
    super(message);
    this.name = "BadArchive";
    this.is_locked = is_locked;
  }
}

/**
 * Some files of a ZIP archive, by its directory. Each is unpacked up to `most_bytes` and no further, whatever size the
 * directory claims: a few kilobytes can unpack to gigabytes.
 */
export function zipEntries(
  archive: Buffer,
  names: readonly string[],
  most_bytes: number,
): Map<string, Buffer> {
  try {
    return readEntries(archive, names, most_bytes);
  } catch (error) {
    if (error instanceof BadArchive) throw error;
    throw new BadArchive(error instanceof Error ? error.message : "the archive breaks off");
  }
}

function readEntries(archive: Buffer, names: readonly string[], most_bytes: number): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const end = endOfDirectory(archive);
  let at = archive.readUInt32LE(end + 16);
  const entries = archive.readUInt16LE(end + 10);
  if (entries > MOST_ENTRIES) throw new BadArchive("the archive has too many files");
  for (let nth = 0; nth < entries; nth++) {
    if (archive.readUInt32LE(at) !== ENTRY) throw new BadArchive("the directory breaks off");
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    if (names.includes(name)) found.set(name, unpack(archive, at, most_bytes));
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return found;
}

function endOfDirectory(archive: Buffer): number {
  for (let at = archive.length - 22; at >= Math.max(0, archive.length - LOOKED_BACK); at--) {
    if (archive.readUInt32LE(at) === END) return at;
  }
  throw new BadArchive("the archive has no directory");
}

const IS_LOCKED = 1;
const STORED = 0;
const DEFLATED = 8;

function unpack(archive: Buffer, entry: number, most_bytes: number): Buffer {
  if (archive.readUInt16LE(entry + 8) & IS_LOCKED) throw new BadArchive("the archive is locked", true);
  const method = archive.readUInt16LE(entry + 10);
  const size = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  if (archive.readUInt32LE(local) !== LOCAL) throw new BadArchive("the directory points nowhere");
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + size);
  if (packed.length !== size) throw new BadArchive("the archive breaks off");
  if (method === DEFLATED) return inflateRawSync(packed, { maxOutputLength: most_bytes });
  if (method !== STORED || size > most_bytes) throw new BadArchive("the archive is packed in another way");
  return packed;
}
