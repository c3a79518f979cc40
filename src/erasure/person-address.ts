import { sql } from "kysely";
import { addressesOfPerson } from "../address-book/contact-store.ts";
import type { Vault } from "../base/crypto.ts";
import { invalid } from "../base/errors.ts";
import { isNational, normaliseEmail, normalisePhone, regionOf, WITH_COUNTRY } from "../channels/address.ts";
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

/**
 * Numbers are stored with their country code, so one without it matches nothing: an erasure would delete nothing, and a
 * link would apply to nobody. A site may use such a text as a visitor's id; then it is known. Indexes: sessions_person, sessions_claimed,
 * contact_addresses_pkey.
 */
export async function refuseNational(
  db: Db,
  tenant: number,
  given: string,
  place: (string | number)[],
): Promise<void> {
  if (!isNational(given)) return;
  const spellings = spellingsOf(given);
  const { rows } = await sql<{ is_known: boolean }>`
    select exists (select from sessions where sub_organization_id = ${tenant} and source = any(${spellings}::text[]))
      or exists (select from sessions where sub_organization_id = ${tenant} and claimed_user = any(${spellings}::text[]))
      or exists (select from contact_addresses where sub_organization_id = ${tenant} and address = any(${spellings}::text[]))
      as is_known`.execute(db);
  if (!rows[0]?.is_known) throw invalid(place, WITH_COUNTRY);
}

/** As many digits as the shortest numbers have: the code of the country, and of the area, may not be written. */
const LAST_DIGITS = 7;

/** A pattern of PostgreSQL for all the ways in which people write it, and a few more: what it finds is read. Pure. */
export const loosePattern = (address: string): string =>
  normalisePhone(address, null) === null
    ? address.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&")
    : [...address.replaceAll(/\D/g, "").slice(-LAST_DIGITS)].join("[^0-9]{0,3}");

/** Whether an address that nobody brought into its one spelling is theirs; a national number is read as in their country. Pure. */
export const isTheirs = ({ spellings }: ErasedPerson, written: string): boolean =>
  spellings.some((spelling) =>
    [written, normaliseEmail(written), normalisePhone(written, regionOf(spelling))].includes(spelling),
  );

/** A person to erase, by one of their addresses: with all that their contact links, but those of the organization itself. */
export async function personToErase(
  db: Db,
  tenant: number,
  given: string,
): Promise<ErasedPerson & { linked: string[] }> {
  const own = spellingsOf(given);
  await refuseNational(db, tenant, given, ["body", "address"]);
  await refuseOwnAddress(db, { tenant, spellings: own });
  const [address = "", ...others] = await addressesOfPerson(db, tenant, own[0] as string);
  const linked: string[] = [];
  for (const other of others)
    if (!(await isOwnAddress(db, { tenant, spellings: [other] }))) linked.push(other);
  const known = [...new Set([address, ...own, ...linked])];
  return { tenant, spellings: [...known, ...(await namesOfVisitors(db, tenant, known))], linked };
}

/**
 * Visitors of chats are called as their site calls them: by an e-mail address in any case. Both indexes are read,
 * and no table: sessions_person, sessions_claimed.
 */
async function namesOfVisitors(db: Db, tenant: number, known: string[]): Promise<string[]> {
  const emails = known.filter((one) => normaliseEmail(one) === one);
  if (emails.length === 0) return [];
  const { rows } = await sql<{ name: string }>`
    select name from (
      select source as name from sessions
      where sub_organization_id = ${tenant} and lower(source) = any(${emails}::text[])
      union
      select claimed_user from sessions
      where sub_organization_id = ${tenant} and lower(claimed_user) = any(${emails}::text[])
    ) as visitors
    where name <> all(${known}::text[])`.execute(db);
  return rows.map(({ name }) => name);
}

/** The address is stored nowhere once it is erased; this proves which one it was to whoever knows it. */
export const hashOfAddress = (vault: Vault, tenant: number, spellings: string[]): string =>
  vault.sign("erasure", signedAddress(tenant, spellings));

/** The hashes that erasures of it have from before the secret key was replaced. */
export const earlierHashes = (vault: Vault, tenant: number, spellings: string[]): string[] =>
  vault.signatures("erasure", signedAddress(tenant, spellings)).slice(1);

const signedAddress = (tenant: number, spellings: string[]): string => `${tenant} ${spellings[0]}`;

/** Everybody's conversations would go with an address of the organization itself. */
export async function refuseOwnAddress(db: Db, person: ErasedPerson): Promise<void> {
  if (await isOwnAddress(db, person))
    throw invalid(
      ["body", "address"],
      "This is an address of one of your channels. Enter the person's address.",
    );
}

async function isOwnAddress(db: Db, { tenant, spellings }: ErasedPerson): Promise<boolean> {
  const { rows } = await sql<{ is_own: boolean }>`
    select exists (
      select from channel_targets where sub_organization_id = ${tenant} and target = any(${spellings}::text[])
    ) as is_own`.execute(db);
  return rows[0]?.is_own ?? false;
}
