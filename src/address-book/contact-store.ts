import { type RawBuilder, sql } from "kysely";
import { Fault } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import type { ContactSeal } from "./contact-seal.ts";
import { MOST_ADDRESSES } from "./merge-by-key.ts";

/** What somebody noted of a person. `key`: what the organization's own systems call them. */
export type ContactFields = {
  name: string | null;
  timezone: string | null;
  language: string | null;
  notes: string | null;
  key: string | null;
};

export type LinkedAddress = {
  address: string;
  linked_at: string;
  /** By somebody here or the API, by the key that a request of a campaign carried, or because they called or wrote. */
  linked_through: "operator" | "request" | "session";
  linked_by: string | null;
};

export type ContactRecord = ContactFields & {
  id: number;
  addresses: LinkedAddress[];
  created_at: string;
  updated_at: string;
  last_updated_by: string;
};

/** Whose book it is, how it is stored, and who changes it when. */
export type ContactChange = { sub_organization_id: number; seal: ContactSeal; by: string; at: Date };

/**
 * Changes of one sub-organization's contacts take turns, so that two that link the same addresses at once find each other's
 * links. The lock is held until the transaction ends. Readers never wait for it.
 */
export async function lockBook(tx: Tx, sub_organization_id: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`contacts/${sub_organization_id}`}, 0))`.execute(
    tx,
  );
}

/** From now on claims of the organization ask about contacts. Waits for a claim that is going on, the first time only. */
export const markLinked = (tx: Tx, sub_organization_id: number): Promise<unknown> =>
  sql`
    update organizations set has_linked_addresses = true
    where id = (select organization_id from sub_organizations where id = ${sub_organization_id})
      and not has_linked_addresses`.execute(tx);

/** Of the contact `c`. */
export const ADDRESSES = sql<LinkedAddress[]>`(
  select coalesce(json_agg(json_build_object('address', a.address, 'linked_at', a.linked_at,
    'linked_through', a.linked_through, 'linked_by', a.linked_by) order by a.linked_at, a.address), '[]')
  from contact_addresses a where a.contact_id = c.id)`;

/** Null: no contact has the address. */
export const findContact = (
  db: Db,
  sub_organization_id: number,
  address: string,
): Promise<ContactRecord | null> =>
  findWhere(
    db,
    sql`c.id = (select contact_id from contact_addresses
      where sub_organization_id = ${sub_organization_id} and address = ${address})`,
  );

const findById = async (db: Db, id: number): Promise<ContactRecord> =>
  (await findWhere(db, sql`c.id = ${id}`)) as ContactRecord;

async function findWhere(db: Db, which: RawBuilder<unknown>): Promise<ContactRecord | null> {
  const { rows } = await sql<ContactRecord>`
    select c.id, c.key, c.name, c.timezone, c.language, c.notes, c.created_at, c.updated_at, c.last_updated_by,
      ${ADDRESSES} as addresses
    from contacts c where ${which}`.execute(db);
  return rows[0] ?? null;
}

/** All addresses of the person who has this one, itself first. */
export async function addressesOfPerson(
  db: Db,
  sub_organization_id: number,
  address: string,
): Promise<string[]> {
  const found = await findContact(db, sub_organization_id, address);
  return [...new Set([address, ...(found?.addresses ?? []).map((each) => each.address)])];
}

/** Needs the book's lock. Throws where one of the addresses, or the key, is another contact's. */
export async function insertContact(
  tx: Tx,
  fields: ContactFields,
  addresses: readonly string[],
  change: ContactChange,
): Promise<ContactRecord> {
  const at = change.at.toISOString();
  await refuseTakenKey(tx, fields, change, null);
  const { id } = await tx
    .insertInto("contacts")
    .values({
      ...fields,
      ...change.seal.stored(fields),
      sub_organization_id: change.sub_organization_id,
      created_at: at,
      updated_at: at,
      last_updated_by: change.by,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const address of addresses) await link(tx, id, address, change);
  if (fields.timezone !== null) await markLinked(tx, change.sub_organization_id);
  return findById(tx, id);
}

/** Needs the book's lock. */
export async function replaceFields(
  tx: Tx,
  id: number,
  fields: ContactFields,
  change: ContactChange,
): Promise<ContactRecord> {
  await refuseTakenKey(tx, fields, change, id);
  await tx
    .updateTable("contacts")
    .set({ ...fields, ...change.seal.stored(fields), ...changed(change) })
    .where("id", "=", id)
    .execute();
  if (fields.timezone !== null) await markLinked(tx, change.sub_organization_id);
  return findById(tx, id);
}

const changed = ({ by, at }: ContactChange) => ({ updated_at: at.toISOString(), last_updated_by: by });

/** Needs the book's lock. An address that the contact has already stays as it is. */
export async function linkAddress(
  tx: Tx,
  contact: ContactRecord,
  address: string,
  change: ContactChange,
): Promise<ContactRecord> {
  if (contact.addresses.some((each) => each.address === address)) return contact;
  await link(tx, contact.id, address, change);
  await tx.updateTable("contacts").set(changed(change)).where("id", "=", contact.id).execute();
  return findById(tx, contact.id);
}

/** Needs the book's lock. The last address goes with the contact itself (`removeContact`). */
export async function unlinkAddress(
  tx: Tx,
  contact: ContactRecord,
  address: string,
  change: ContactChange,
): Promise<ContactRecord> {
  if (contact.addresses.length === 1)
    throw new Fault(
      "refused",
      `${address} is the contact's only address. Delete the contact, or link another address first.`,
    );
  await sql`
    delete from contact_addresses
    where sub_organization_id = ${change.sub_organization_id} and address = ${address}`.execute(tx);
  await tx.updateTable("contacts").set(changed(change)).where("id", "=", contact.id).execute();
  return findById(tx, contact.id);
}

/** With its links. What was said stays, by address. */
export const removeContact = async (tx: Tx, id: number): Promise<unknown> =>
  tx.deleteFrom("contacts").where("id", "=", id).execute();

/** Needs the book's lock, under which nobody else links. */
async function link(tx: Tx, contact_id: number, address: string, change: ContactChange): Promise<void> {
  const { sub_organization_id, by, at } = change;
  const holder = await findContact(tx, sub_organization_id, address);
  if (holder !== null) throw takenAddress(address, holder);
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from contact_addresses where contact_id = ${contact_id}`.execute(tx);
  if ((rows[0]?.n ?? 0) >= MOST_ADDRESSES)
    throw new Fault("refused", `A contact has at most ${MOST_ADDRESSES} addresses. Unlink one first.`);
  if (rows[0]?.n === 1) await markLinked(tx, sub_organization_id);
  await tx
    .insertInto("contact_addresses")
    .values({
      sub_organization_id,
      address,
      contact_id,
      linked_at: at.toISOString(),
      linked_through: "operator",
      linked_by: by,
    })
    .execute();
}

function takenAddress(address: string, { name, addresses }: ContactRecord): Fault {
  const others = addresses.map((each) => each.address).filter((each) => each !== address);
  const known = [name, ...others.slice(0, 3)].filter(Boolean).join(", ");
  return new Fault(
    "conflict",
    `${address} belongs to another contact${known === "" ? "" : ` (${known})`}. ${others.length === 0 ? "Delete that contact first" : "Unlink it there first"}.`,
  );
}

/** Needs the book's lock, under which nobody else stores a key. `own`: the contact that may have it. */
async function refuseTakenKey(
  tx: Tx,
  { key }: ContactFields,
  { sub_organization_id, seal }: ContactChange,
  own: number | null,
): Promise<void> {
  if (key === null) return;
  const { rows } = await sql`
    select id from contacts c
    where sub_organization_id = ${sub_organization_id} and id is distinct from ${own}::bigint and ${hasKey(seal, key)}
    limit 1`.execute(tx);
  if (rows.length > 0) throw new Fault("conflict", `Another contact has the key "${key}".`);
}

/** Of the contact `c`: however its key is stored. Indexes: `contacts_key`, `contacts_key_hash`. */
export const hasKey = (seal: ContactSeal, key: string): RawBuilder<boolean> =>
  sql`(c.key = ${key} or c.key_hash = any(${seal.keyHashes(key)}::text[]))`;
