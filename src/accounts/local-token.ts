import type { Vault } from "../base/crypto.ts";

/**
 * Whoever can read the installation's secret key may act as its first administrator from the same machine's terminal:
 * the key opens everything anyway, and no token has to lie about in a file. Valid for ten minutes.
 */
const PREFIX = "local.";
const LIFE_MS = 10 * 60_000;
const PURPOSE = "local-token";

export function localToken(vault: Vault, now: Date): string {
  const expires = String(now.getTime() + LIFE_MS);
  return `${PREFIX}${expires}.${vault.sign(PURPOSE, expires)}`;
}

export const isLocalToken = (token: string): boolean => token.startsWith(PREFIX);

/** When it ends; null: it is none, or has ended. */
export function localTokenEnd(vault: Vault, now: Date, token: string): Date | null {
  const [expires = "", signature = ""] = token.slice(PREFIX.length).split(".");
  const good = vault.verify(PURPOSE, expires, signature) && Number(expires) > now.getTime();
  return good ? new Date(Number(expires)) : null;
}
