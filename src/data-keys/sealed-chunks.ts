import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { TextKey } from "../base/sealed-text.ts";

/*
 * A sealed file that is complete: a head of 48 bytes (mark, the key's id, 8 random bytes, rest zero), then its content in
 * chunks of 64 KiB under AES-256-GCM, each with its tag. A chunk's nonce is the random bytes and its number, and the last one
 * says that it is the last: a chunk that was changed, moved, left out or cut off is not read.
 */

export const CHUNK_MARK = Buffer.from("PARLEY2\0", "latin1");
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const HEAD_BYTES = 48;
const PREFIX_BYTES = 8;

/** Somebody changed the file, or its disk did. */
export class ChangedFile extends Error {
  constructor(chunk: number) {
    super(`a sealed file was changed: its chunk ${chunk} is not what was written`);
  }
}

/** Seals a content that comes in pieces: what is to be written after each, and at the end. */
export function chunkSealer({ id, key }: TextKey): { push(bytes: Uint8Array): Buffer; end(): Buffer } {
  const head = Buffer.alloc(HEAD_BYTES);
  CHUNK_MARK.copy(head);
  head.writeBigInt64BE(BigInt(id), 8);
  randomBytes(PREFIX_BYTES).copy(head, 16);
  let waiting = Buffer.alloc(0);
  let number = 0;
  let begun = false;
  const sealed = (chunk: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(head, number++));
    cipher.setAAD(toldWith(head, isLast));
    const body = Buffer.concat([cipher.update(chunk), cipher.final()]);
    return Buffer.concat([body, cipher.getAuthTag()]);
  };
  const withHead = (parts: Buffer[]): Buffer => {
    const all = begun ? parts : [head, ...parts];
    begun = true;
    return Buffer.concat(all);
  };
  return {
    push(bytes) {
      waiting = Buffer.concat([waiting, bytes]);
      const parts: Buffer[] = [];
      // One is always kept, since the last says so.
      while (waiting.length > CHUNK_BYTES) {
        parts.push(sealed(waiting.subarray(0, CHUNK_BYTES), false));
        waiting = waiting.subarray(CHUNK_BYTES);
      }
      return withHead(parts);
    },
    end: () => withHead([sealed(waiting, true)]),
  };
}

const nonceOf = (head: Buffer, number: number): Buffer => {
  const nonce = Buffer.alloc(12);
  head.copy(nonce, 0, 16, 16 + PREFIX_BYTES);
  nonce.writeUInt32BE(number, PREFIX_BYTES);
  return nonce;
};

const toldWith = (head: Buffer, isLast: boolean): Buffer =>
  Buffer.concat([head, Buffer.from([isLast ? 1 : 0])]);

const chunksOf = (file_bytes: number): number =>
  Math.max(1, Math.ceil((file_bytes - HEAD_BYTES) / (CHUNK_BYTES + TAG_BYTES)));

/** How many bytes the content of a file of this size has. */
export const contentBytes = (file_bytes: number): number =>
  Math.max(0, file_bytes - HEAD_BYTES - TAG_BYTES * chunksOf(file_bytes));

/** A file, or something that is read like one. */
export type ReadableFile = {
  read(room: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
};

/** The content from `start` to `end`, both included; throws `ChangedFile` at the first chunk that is not whole. */
export async function* readChunks(
  file: ReadableFile,
  { file_bytes, head, key }: { file_bytes: number; head: Buffer; key: Buffer },
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const count = chunksOf(file_bytes);
  const first = Math.floor(start / CHUNK_BYTES);
  // Of an empty content one chunk is read, too: it says that the file ends there.
  const last = Math.max(first, Math.min(count - 1, Math.floor(end / CHUNK_BYTES)));
  for (let number = first; number <= last; number++) {
    const room = Buffer.alloc(CHUNK_BYTES + TAG_BYTES);
    const { bytesRead } = await file.read(room, 0, room.length, HEAD_BYTES + number * room.length);
    const chunk = opened(room.subarray(0, bytesRead), { head, key, number, isLast: number === count - 1 });
    const from = number * CHUNK_BYTES;
    const part = chunk.subarray(Math.max(0, start - from), Math.max(0, end + 1 - from));
    if (part.length > 0) yield part;
  }
}

function opened(
  sealed: Buffer,
  { head, key, number, isLast }: { head: Buffer; key: Buffer; number: number; isLast: boolean },
): Buffer {
  if (sealed.length < TAG_BYTES) throw new ChangedFile(number);
  const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(head, number));
  decipher.setAAD(toldWith(head, isLast));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch {
    throw new ChangedFile(number);
  }
}
