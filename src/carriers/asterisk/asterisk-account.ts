import { equalInConstantTime } from "../../base/crypto.ts";

export const ASTERISK_NAME = "Asterisk";
export const ASTERISK_PREFIX = "/carriers/asterisk";

/** Whether an Authorization header is that of websocket_client.conf's `username` (any) and `password`. */
export function isAsterisks(header: string | undefined, password: string | undefined): boolean {
  const [, encoded] = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(header ?? "") ?? [];
  if (!encoded || !password) return false;
  const given = Buffer.from(encoded, "base64").toString();
  return equalInConstantTime(given.slice(given.indexOf(":") + 1), password);
}
