import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

/*
 * A value as it is stored where an organization seals what people say: `parley-sealed:1:<key>:<nonce, tag and content>`,
 * AES-256-GCM. The nonce is made from the content, so that the same words of a session are stored alike: what a model was
 * sent again is stored once.
 */

export const SEALED_MARK = "parley-sealed:1:";
export type TextKey = { id: number; key: Buffer };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What sealing adds to a content, before all of it is spelled in base64url. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

/** `scope`: within which equal values are stored alike. */
export function sealText({ id, key }: TextKey, scope: string, value: string | number | object): string {
  const plain = JSON.stringify(value);
  const nonce = createHmac("sha256", key).update(`${scope}\n${plain}`).digest().subarray(0, NONCE_BYTES);
  const sealed = `${SEALED_MARK}${id}:${encrypted(key, nonce, plain)}`;
  sealedHere.add(sealed);
  return sealed;
}

/**
 * Seals many JSON documents, each as one value. The nonces are 8 random bytes and a number, which costs half of a digest of
 * the content. The values are not remembered as sealed here (`LastSealed`), because a million rows would push out what turns
 * are about to store: bind them as they are, past `storableJson`.
 */
export function documentSealer({ id, key }: TextKey): (json: string) => string {
  const nonce = randomBytes(NONCE_BYTES);
  let number = 0;
  return (json) => {
    nonce.writeUInt32BE(number++, NONCE_BYTES - 4);
    return `${SEALED_MARK}${id}:${encrypted(key, nonce, json)}`;
  };
}

function encrypted(key: Buffer, nonce: Buffer, plain: string): string {
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = cipher.update(plain, "utf8");
  // Of a stream cipher nothing is left for the end, but the tag is made there.
  const rest = cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), body, rest]).toString("base64url");
}

/**
 * What this process sealed a moment ago and is about to store. A sealed value that comes from elsewhere was copied: whoever
 * has a copy of the database could have it opened by saying it to an agent, so it is stored as words that nothing opens.
 */
class LastSealed {
  #young = new Set<string>();
  #old = new Set<string>();

  add(sealed: string): void {
    this.#young.add(sealed);
    if (this.#young.size < MOST_REMEMBERED) return;
    this.#old = this.#young;
    this.#young = new Set();
  }

  has(sealed: string): boolean {
    return this.#young.has(sealed) || this.#old.has(sealed);
  }
}
const MOST_REMEMBERED = 20_000;
const sealedHere = new LastSealed();
const SEALED = new RegExp(`${SEALED_MARK}(?:\\d+:[A-Za-z0-9_-]+)?`, "g");

export const isSealedHere = (value: string): boolean => sealedHere.has(value);

/** The text with the mark of each sealed value broken that was not sealed here. */
export const withoutForeignSeals = (text: string): string =>
  text.includes(SEALED_MARK)
    ? text.replace(SEALED, (found) => (sealedHere.has(found) ? found : found.replace(":", " ")))
    : text;

/** The value as JSON; null where it was changed, or sealed with another key. */
export function openText(key: Buffer, sealed: string): string | null {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return (
      decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
    );
  } catch {
    return null;
  }
}
