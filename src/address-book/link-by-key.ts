import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { type ContactSeal, SEALED_WORD } from "./contact-seal.ts";
import { lockBook, markLinked } from "./contact-store.ts";
import { type KeyedAddress, type KnownContact, type MergeConflict, mergeByKey } from "./merge-by-key.ts";

/** `most_told`: how many conflicts have an event of their own. */
type From = {
  sub_organization_id: number;
  seal: ContactSeal;
  batch_id: string;
  variable: string;
  by: string;
  at: Date;
  most_told: number;
};

/**
 * Links addresses that came with the key of their person, in the transaction that stores their requests, and tells of
 * conflicts. Returns how many there were. Indexes: `contacts_key`, `contacts_key_hash`, `contact_addresses_pkey`, `contact_addresses_contact`.
 */
export async function linkByKey(tx: Tx, from: From, incoming: KeyedAddress[]): Promise<number> {
  if (incoming.length === 0) return 0;
  const { sub_organization_id, seal, at, by } = from;
  await lockBook(tx, sub_organization_id);
  const merge = mergeByKey(incoming, await readKnown(tx, from, incoming));
  const stamp = sql`${at.toISOString()}::timestamptz`;
  if (merge.adopted.length > 0)
    await sql`
      update contacts c set key = n.key, key_hash = n.key_hash, updated_at = ${stamp}, last_updated_by = ${by}
      from json_to_recordset(${JSON.stringify(merge.adopted.map(({ id, key }) => ({ id, ...storedKey(seal, key) })))}::json)
        as n (id bigint, key text, key_hash text)
      where c.id = n.id`.execute(tx);
  if (merge.linked.length > 0)
    await sql`
      with linked as (
        insert into contact_addresses (sub_organization_id, address, contact_id, linked_at, linked_through)
        select ${sub_organization_id}, address, n.id, ${stamp}, 'request'
        from json_to_recordset(${JSON.stringify(merge.linked)}::json) as n (id bigint, addresses text[])
        cross join unnest(n.addresses) as address
        returning contact_id
      )
      update contacts set updated_at = ${stamp}, last_updated_by = ${by}
      where id in (select contact_id from linked)`.execute(tx);
  if (merge.made.length > 0)
    await sql`
      with given as (
        select key, key_hash, addresses
        from json_to_recordset(${JSON.stringify(merge.made.map(({ key, addresses }) => ({ addresses, ...storedKey(seal, key) })))}::json)
          as n (key text, key_hash text, addresses text[])
      ),
      made as (
        insert into contacts (sub_organization_id, key, key_hash, created_at, updated_at, last_updated_by)
        select ${sub_organization_id}, key, key_hash, ${stamp}, ${stamp}, ${by} from given
        returning id, key
      )
      insert into contact_addresses (sub_organization_id, address, contact_id, linked_at, linked_through)
      select ${sub_organization_id}, address, made.id, ${stamp}, 'request'
      from given join made on made.key = given.key collate "C" cross join unnest(given.addresses) as address`.execute(
      tx,
    );
  if (merge.linked.length > 0 || merge.made.some(({ addresses }) => addresses.length > 1))
    await markLinked(tx, sub_organization_id);
  await publish(tx, sub_organization_id, conflictEvents(merge.conflicts.slice(0, from.most_told), from));
  return merge.conflicts.length;
}

/** No two are stored alike where they are sealed. */
function storedKey(seal: ContactSeal, value: string) {
  const { key, key_hash } = seal.stored({ name: null, notes: null, key: value });
  return { key, key_hash };
}

async function readKnown(tx: Tx, { sub_organization_id, seal }: From, incoming: KeyedAddress[]) {
  const keys = [...new Set(incoming.map(({ key }) => key))];
  const hashes = keys.flatMap((key) => seal.keyHashes(key));
  const addresses = [...new Set(incoming.map(({ address }) => address))];
  const { rows } = await sql<KnownContact & { held: string[] }>`
    select c.id, c.key, (select count(*) from contact_addresses a where a.contact_id = c.id) as addresses,
      array(select a.address from contact_addresses a where a.contact_id = c.id) as held
    from contacts c
    where c.id in (
      select id from contacts where sub_organization_id = ${sub_organization_id} and key = any(${keys}::text[])
      ${hashes.length === 0 ? sql`` : sql`union select id from contacts where sub_organization_id = ${sub_organization_id} and key_hash = any(${hashes}::text[])`}
      union
      select contact_id from contact_addresses
      where sub_organization_id = ${sub_organization_id} and address = any(${addresses}::text[]))`.execute(
    tx,
  );
  return {
    by_key: new Map(rows.flatMap((row) => (row.key === null ? [] : [[row.key, row]]))),
    by_address: new Map(rows.flatMap((row) => row.held.map((address) => [address, row]))),
  };
}

const WHY: Record<MergeConflict["reason"], string> = {
  taken: "it belongs to another contact and stays there",
  "too-many": "more addresses have this key than a person has",
};

/** Where keys are sealed an event doesn't name them: the address finds the row of the file. */
const conflictEvents = (conflicts: MergeConflict[], { batch_id, variable, seal, at }: From): NewEvent[] =>
  conflicts.map(({ address, reason, ...conflict }) => {
    const key = seal.key_id === null ? conflict.key : SEALED_WORD;
    return {
      at,
      source: "outbound",
      source_id: null,
      category: "outbound",
      type: "contact-conflict",
      description: `${address} of batch "${batch_id}" was not linked to the contact with ${variable} "${key}": ${WHY[reason]}.`,
      user_id: address,
      attributes: { batch_id, variable, key, reason },
    };
  });
