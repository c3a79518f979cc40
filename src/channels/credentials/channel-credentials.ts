import type { Vault } from "../../base/crypto.ts";
import type { Db, Tx } from "../../db/database.ts";
import { parseAllowedOrigins } from "../allowed-origins.ts";

/** What a channel signs in to its carrier with, by name: sealed when stored, never read back by anyone. */
export type Credentials = Record<string, string>;

type GivenCredentials = {
  account_sid?: string | null | undefined;
  auth_token?: string | null | undefined;
  provider_credentials?: Credentials | null | undefined;
};

/** What is not sent again is kept: nobody can read the secrets back to send them. */
export function mergeCredentials(given: GivenCredentials, stored: Credentials): Credentials {
  return {
    ...stored,
    ...given.provider_credentials,
    ...(given.account_sid && { account_sid: given.account_sid }),
    ...(given.auth_token && { auth_token: given.auth_token }),
  };
}

export const sealCredentials = (vault: Vault, credentials: Credentials): string | null =>
  Object.keys(credentials).length > 0 ? vault.seal(JSON.stringify(credentials)) : null;

/** For whoever writes the channel next: its row is locked. */
export async function lockCredentials(tx: Tx, vault: Vault, channel_id: number): Promise<Credentials> {
  const row = await selectSealed(tx, channel_id).forUpdate().executeTakeFirstOrThrow();
  return open(vault, row.sealed_credentials);
}

/** A channel's own account with its carrier, and whether the operator's may stand in; null: there is no such channel. */
export async function readChannelAccount(
  db: Db,
  vault: Vault,
  channel_id: number,
): Promise<{ credentials: Credentials; is_system_channel: boolean } | null> {
  const row = await selectSealed(db, channel_id).select("is_system_channel").executeTakeFirst();
  return row
    ? { credentials: open(vault, row.sealed_credentials), is_system_channel: row.is_system_channel }
    : null;
}

/** The little of them that a channel's answer shows. */
export function shownCredentials(channel_service: string, credentials: Credentials): Credentials | null {
  const shown: Credentials = {};
  if (credentials.account_sid) shown.account_sid_last_four = credentials.account_sid.slice(-4);
  // Which sites may show a web chat is no secret, and the chat page reads it here.
  if (channel_service === "webchat" && credentials.allowed_origins) {
    shown.allowed_origins = parseAllowedOrigins(credentials.allowed_origins).origins.join(",");
  }
  return Object.keys(shown).length > 0 ? shown : null;
}

const selectSealed = (db: Db, channel_id: number) =>
  db.selectFrom("channels").select("sealed_credentials").where("id", "=", channel_id);

const open = (vault: Vault, sealed: string | null): Credentials =>
  sealed === null ? {} : JSON.parse(vault.open(sealed));
