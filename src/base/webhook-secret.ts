import type { Vault } from "./crypto.ts";

/** RFC 4648 §4 with its padding: no URL-safe letters, no white space. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SECRET_bytes = { min: 32, max: 512 };

/** Why a webhook's secret can't be one; null when it can. */
export function secretProblem(secret: string): string | null {
  if (!BASE64.test(secret)) return "Input should be standard Base64 (RFC 4648), with padding";
  const bytes = Buffer.byteLength(secret, "base64");
  return bytes < SECRET_bytes.min || bytes > SECRET_bytes.max
    ? `Input should decode to ${SECRET_bytes.min} to ${SECRET_bytes.max} bytes, not ${bytes}`
    : null;
}

/** A stored secret; null for one that was sealed under another SECRET_KEY, which nobody can read any more. */
export function openSecret(vault: Vault, sealed: string): string | null {
  try {
    return vault.open(sealed);
  } catch {
    return null;
  }
}
