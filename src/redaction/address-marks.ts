import { hash, randomBytes, randomInt } from "node:crypto";
import type { TextKey } from "../base/sealed-text.ts";

/*
 * Marks of a sealed document that tell who can't be quoted in it. Each part of an address in its text (seven digits in a row,
 * or what stands around an @) is a keyed hash, salted for each document: whoever has a copy of the database can't see which
 * documents are about the same person, and can't try numbers. An erasure, which has the key, tries each document's salt.
 *
 *     8 bytes: the key's id | 8 bytes: salt | 4 bytes for each part, in random order and padded to multiples of eight
 *
 * Of an address that is in the text, all parts are marked (test: for all texts). A mark may also be there by chance, so what
 * is found is read.
 */

/** As many digits as every telephone number has at least. */
const DIGITS = 7;
/** Characters on each side of an @, and those before it where there are more. */
const BESIDE = 3;
const BEFORE = 6;
const HEAD_BYTES = 16;
const MARK_BYTES = 4;
/** More don't fit in an index, so that such a document is read. */
const MOST_INDEXED = 600;
/** So that how many numbers there are is told roughly. */
const PADDED_TO = 8;

/** Of a text in lower case. */
function partsOf(text: string): Set<string> {
  const parts = new Set<string>();
  for (const { 0: run } of text.matchAll(new RegExp(`[0-9]{${DIGITS},}`, "g")))
    for (let at = 0; at + DIGITS <= run.length; at++) parts.add(run.slice(at, at + DIGITS));
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    if (at >= BESIDE && at + BESIDE < text.length) parts.add(text.slice(at - BESIDE, at + BESIDE + 1));
    if (at >= BEFORE) parts.add(text.slice(at - BEFORE, at + 1));
  }
  return parts;
}

/** Key and salt have one length each, and four bytes can't be gone on from: a third of what an HMAC costs. */
const markOf = (key: Buffer, salt: Buffer, part: string): Buffer =>
  hash("sha256", Buffer.concat([key, salt, Buffer.from(part)]), "buffer").subarray(0, MARK_BYTES);

/** `json`: the document as text. */
export function addressMarks({ id, key }: TextKey, json: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeBigUInt64BE(BigInt(id));
  const salt = randomBytes(HEAD_BYTES - 8);
  salt.copy(head, 8);
  const marks = [...partsOf(json.toLowerCase())].map((part) => markOf(key, salt, part));
  while (marks.length === 0 || marks.length % PADDED_TO > 0)
    marks.splice(randomInt(marks.length + 1), 0, randomBytes(MARK_BYTES));
  return Buffer.concat([head, ...marks.toSorted(Buffer.compare)]);
}

export const fitsIndex = (marks: Buffer): boolean => marks.length <= HEAD_BYTES + MOST_INDEXED * MARK_BYTES;

/**
 * The parts by which an address is looked for, those first that it shares with the fewest: the end of a number, not its
 * country and area. None: every document is to be read.
 */
export const soughtParts = (address: string): string[] => [...partsOf(address.toLowerCase())].toReversed();

/** Whether a document with these marks may hold all parts of one of these addresses. True where its key is not known. */
export function mayHold(
  marks: Buffer,
  addresses: readonly (readonly string[])[],
  keys: ReadonlyMap<number, Buffer>,
): boolean {
  const key = keys.get(Number(marks.readBigUInt64BE()));
  if (key === undefined) return true;
  const salt = marks.subarray(8, HEAD_BYTES);
  const holds = (part: string): boolean => {
    const mark = markOf(key, salt, part).readUInt32BE();
    for (let at = HEAD_BYTES; at < marks.length; at += MARK_BYTES)
      if (marks.readUInt32BE(at) === mark) return true;
    return false;
  };
  return addresses.some((parts) => parts.every(holds));
}
