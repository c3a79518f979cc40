import { createHmac } from "node:crypto";
import { equalInConstantTime } from "../../base/crypto.ts";

/** Codes of authenticator apps: RFC 6238 with what all of them understand, SHA-1, six digits and steps of 30 s. */
const STEP_MS = 30_000;
const DIGITS = 6;
/** A clock may be one step off in either direction. */
const STEPS_OFF = [0, -1, 1];
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const stepAt = (now: Date): number => Math.floor(now.getTime() / STEP_MS);

export function totpCode(key: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step that the code belongs to; null: it is the code of none near to this moment. */
export function stepOfCode(key: Buffer, now: Date, code: string): number | null {
  const step = stepAt(now);
  const off = STEPS_OFF.find((n) => step + n >= 0 && equalInConstantTime(totpCode(key, step + n), code));
  return off === undefined ? null : step + off;
}

/** RFC 4648, without padding, as authenticator apps take it. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}

export const otpAuthAddress = (key: Buffer, email: string): string =>
  `otpauth://totp/Parley:${encodeURIComponent(email)}?secret=${base32(key)}&issuer=Parley`;
