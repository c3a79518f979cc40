import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { Fault } from "../base/errors.ts";
import {
  CHUNK_MARK,
  ChangedFile,
  chunkSealer,
  contentBytes,
  type ReadableFile,
  readChunks,
} from "./sealed-chunks.ts";

/*
 * A sealed file, as it grows while a call lasts: a head of 48 bytes (mark, the key's id, a random counter block, rest zero), then its content under
 * AES-256-CTR. So it is read from any place without reading what stands before. A complete file is written in chunks that
 * can't be changed unnoticed (`sealed-chunks.ts`); both are read.
 */

/** A key of an organization. */
export type DataKey = { id: number; key: Buffer };
/** The key that a file's head names is in no database of ours any more. */
export class LostKey extends Error {
  constructor(id: number) {
    super(`data key ${id} is not in this database`);
  }
}
/** One file has it: damaged, its key gone, or a bad place on the disk. No reason to leave the others as they are. */
export const isOfOneFile = (error: unknown): boolean =>
  error instanceof ChangedFile || error instanceof LostKey || (error as NodeJS.ErrnoException).code === "EIO";

/** Finds a key by the id in a file's head; throws `LostKey`. */
export type FindKey = (id: number) => Promise<DataKey>;

export const SEALED_HEAD_BYTES = 48;
const MARK = Buffer.from("PARLEY1\0", "latin1");
const BLOCK = 16;

/** `chunked`: the whole head, of a file in chunks. */
type SealedHead = { key_id: number; counter: Buffer; chunked: Buffer | null };

export function newSealedHead({ id }: DataKey): { head: Buffer; counter: Buffer } {
  const head = Buffer.alloc(SEALED_HEAD_BYTES);
  const counter = randomBytes(BLOCK);
  MARK.copy(head);
  head.writeBigInt64BE(BigInt(id), 8);
  counter.copy(head, 16);
  return { head, counter };
}

/** Null where the file is not sealed, as those of earlier versions. */
export async function readSealedHead(file: ReadableFile | FileHandle): Promise<SealedHead | null> {
  const head = Buffer.alloc(SEALED_HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, SEALED_HEAD_BYTES, 0);
  if (bytesRead < SEALED_HEAD_BYTES) return null;
  const mark = head.subarray(0, MARK.length);
  const isChunked = mark.equals(CHUNK_MARK);
  if (!isChunked && !mark.equals(MARK)) return null;
  return {
    key_id: Number(head.readBigInt64BE(8)),
    counter: head.subarray(16, 32),
    chunked: isChunked ? head : null,
  };
}

/** The counter block so many bytes into the content, and how many bytes of it are used already. */
function counterAt(counter: Buffer, offset: number): { block: Buffer; skip: number } {
  const sum = BigInt(`0x${counter.toString("hex")}`) + BigInt(Math.floor(offset / BLOCK));
  const block = Buffer.from(BigInt.asUintN(128, sum).toString(16).padStart(32, "0"), "hex");
  return { block, skip: offset % BLOCK };
}

/** Seals or opens bytes that stand so far into the content: with a counter both are the same. */
export function cipherAt({ key }: DataKey, counter: Buffer, offset = 0): (bytes: Uint8Array) => Buffer {
  const { block, skip } = counterAt(counter, offset);
  const cipher = createCipheriv("aes-256-ctr", key, block);
  cipher.update(Buffer.alloc(skip));
  return (bytes) => cipher.update(bytes);
}

export const sealBytes = (key: DataKey, content: Uint8Array): Buffer => {
  const sealer = chunkSealer(key);
  return Buffer.concat([sealer.push(content), sealer.end()]);
};

/** A file's content, sealed or not. */
export type OpenedFile = {
  size: number;
  key_id: number | null;
  /** From `start` to `end`, both included. */
  stream(part?: { start: number; end?: number }): Readable;
};

/** What to say of a file that a row names and that is not there. */
export const fileElsewhere = (): Fault =>
  new Fault(
    "unavailable",
    "The file is not in this machine's data directory. Machines of a cluster need a shared DATA_DIR.",
  );

/** Null where there is no such file. */
export async function openSealed(file: string, findKey: FindKey): Promise<OpenedFile | null> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
  if (!handle) return null;
  try {
    const [{ size }, head] = [await handle.stat(), await readSealedHead(handle)];
    if (!head) return { size, key_id: null, stream: (part) => createReadStream(file, part) };
    const key = await findKey(head.key_id);
    const { chunked } = head;
    if (chunked)
      return {
        size: contentBytes(size),
        key_id: head.key_id,
        stream: ({ start, end = contentBytes(size) - 1 } = { start: 0 }) =>
          Readable.from(chunksFrom(file, { file_bytes: size, head: chunked, key: key.key }, start, end)),
      };
    return {
      size: Math.max(0, size - SEALED_HEAD_BYTES),
      key_id: head.key_id,
      stream: ({ start, end } = { start: 0 }) => opened(file, key, head.counter, start, end),
    };
  } finally {
    await handle.close();
  }
}

/** The bytes of a sealed file that lies elsewhere. */
export type SealedObject = { size: number; read(start: number, end: number): Promise<Buffer> };

/** How much is asked for at once: 8 s of a call's stereo sound take 256 kB. */
const WINDOW_BYTES = 2 ** 20;

/** The content of a file that is read over the network, in windows. */
export async function openSealedObject(source: SealedObject, findKey: FindKey): Promise<OpenedFile> {
  const { size } = source;
  const file = inWindows(source);
  const head = await readSealedHead(file);
  const begin = head ? (head.chunked ? 0 : SEALED_HEAD_BYTES) : 0;
  const key = head && (await findKey(head.key_id));
  const content = head?.chunked ? contentBytes(size) : Math.max(0, size - begin);
  return {
    size: content,
    key_id: head?.key_id ?? null,
    stream({ start, end = content - 1 } = { start: 0 }) {
      if (head?.chunked && key)
        return Readable.from(
          readChunks(inWindows(source), { file_bytes: size, head: head.chunked, key: key.key }, start, end),
        );
      const open = head && key ? cipherAt(key, head.counter, start) : (bytes: Buffer) => bytes;
      return Readable.from(piecesOf(source, begin + start, begin + end, open));
    },
  };
}

async function* piecesOf(
  source: SealedObject,
  start: number,
  end: number,
  open: (bytes: Buffer) => Buffer,
): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; at += WINDOW_BYTES)
    yield open(await source.read(at, Math.min(end, at + WINDOW_BYTES - 1)));
}

/** Reads ahead, as who reads one chunk reads the next. */
function inWindows({ size, read }: SealedObject): ReadableFile {
  let from = 0;
  let window: Buffer = Buffer.alloc(0);
  return {
    async read(room, offset, length, position) {
      const end = Math.min(size, position + length);
      if (end <= position) return { bytesRead: 0 };
      if (position < from || end > from + window.length) {
        window = await read(position, Math.min(size, position + Math.max(length, WINDOW_BYTES)) - 1);
        from = position;
      }
      return { bytesRead: window.copy(room, offset, position - from, end - from) };
    },
  };
}

async function* chunksFrom(
  file: string,
  of: { file_bytes: number; head: Buffer; key: Buffer },
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const handle = await open(file);
  try {
    yield* readChunks(handle, of, start, end);
  } finally {
    await handle.close();
  }
}

function opened(file: string, { key }: DataKey, counter: Buffer, start: number, end?: number): Readable {
  const { block, skip } = counterAt(counter, start);
  const decipher = createDecipheriv("aes-256-ctr", key, block);
  decipher.update(Buffer.alloc(skip));
  const source = createReadStream(file, {
    start: SEALED_HEAD_BYTES + start,
    ...(end !== undefined && { end: SEALED_HEAD_BYTES + end }),
  });
  const plain = new Transform({
    transform: (chunk, _encoding, done) => done(null, decipher.update(chunk)),
  });
  source.on("error", (error) => plain.destroy(error));
  plain.on("close", () => source.destroy());
  return source.pipe(plain);
}
