import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { invalid } from "../base/errors.ts";
import { normaliseEmail, normalisePhone } from "../channels/address.ts";
import type { Db } from "../db/database.ts";

/** Somebody by an address of theirs, within one sub-organization. */
export type ErasedPerson = {
  tenant: number;
  /** The address as it may be stored: as it was given, and in its one spelling. */
  spellings: string[];
};

/** Shorter texts are found in too many others. */
const SHORTEST = 6;

/** A telephone number, also of WhatsApp, an e-mail address, or the id that a signed-in visitor of a web chat has. Pure. */
export function spellingsOf(address: string): string[] {
  const given = address.trim();
  if (given.length < SHORTEST)
    throw invalid(
      ["body", "address"],
      `Enter at least ${SHORTEST} characters of a number, an e-mail address or an id.`,
    );
  const phone = normalisePhone(given, null);
  const email = normaliseEmail(given);
  return [...new Set([phone ?? email ?? given, given])];
}

/** The address is stored nowhere once it is erased; this proves which one it was to whoever knows it. */
export const hashOfAddress = (vault: Vault, tenant: number, spellings: string[]): string =>
  vault.sign("erasure", `${tenant} ${spellings[0]}`);

/** Everybody's conversations would go with an address of the organization itself. */
export async function refuseOwnAddress(db: Db, { tenant, spellings }: ErasedPerson): Promise<void> {
  const { rows } = await sql<{ is_own: boolean }>`
    select exists (
      select from channel_targets where sub_organization_id = ${tenant} and target = any(${spellings}::text[])
    ) as is_own`.execute(db);
  if (rows[0]?.is_own)
    throw invalid(
      ["body", "address"],
      "This is an address of one of your channels. Enter the person's address.",
    );
}
