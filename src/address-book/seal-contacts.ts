import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { SEALED_MARK } from "../base/sealed-text.ts";
import type { Db } from "../db/database.ts";
import { type ContactWords, contactSeal, sealedWith } from "./contact-seal.ts";
import { lockBook } from "./contact-store.ts";

/** A transaction holds the book for some hundredths of a second. */
const AT_ONCE = 500;

/**
 * Seals what is noted of a sub-organization's contacts with the organization's present key: what lies in clear, and what an
 * earlier key sealed, because contacts are kept for good. A run that died goes on. Rows that somebody holds are passed over
 * and counted.
 */
export async function sealContacts(
  { db, vault }: { db: Db; vault: Vault },
  sub_organization_id: number,
  {
    stop,
    onRows,
  }: { stop: AbortSignal | undefined; onRows: (table: string, sealed: number) => void | Promise<void> },
): Promise<{ sealed: number; left: number }> {
  const seal = await contactSeal(db, vault, sub_organization_id);
  if (seal.key_id === null) return { sealed: 0, left: 0 };
  const present = `${sealedWith(seal.key_id)}%`;
  const isToSeal = sql`(name not like ${present}::text or notes not like ${present}::text or key not like ${present}::text)`;
  let sealed = 0;
  for (let after = 0; ; ) {
    stop?.throwIfAborted();
    const done = await db.transaction().execute(async (tx) => {
      await lockBook(tx, sub_organization_id);
      const { rows } = await sql<ContactWords & { id: number }>`
        select id, name, notes, key from contacts
        where sub_organization_id = ${sub_organization_id} and id > ${after} and ${isToSeal}
        order by id limit ${AT_ONCE}::bigint for update skip locked`.execute(tx);
      // One whose key is gone is read as it lies, and stays so.
      const opened = rows.filter(
        (row) => ![row.name, row.notes, row.key].some((text) => text?.startsWith(SEALED_MARK)),
      );
      await sql`
        update contacts c
        set name = n.name, notes = n.notes, key = n.key, name_hash = n.name_hash, key_hash = n.key_hash
        from json_to_recordset(${JSON.stringify(opened.map((row) => ({ id: row.id, ...seal.stored(row) })))}::json)
          as n (id bigint, name text, notes text, key text, name_hash text, key_hash text)
        where c.id = n.id`.execute(tx);
      return { last: rows.at(-1)?.id, count: opened.length };
    });
    if (done.last === undefined) break;
    after = done.last;
    sealed += done.count;
    await onRows("contacts", done.count);
  }
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from contacts where sub_organization_id = ${sub_organization_id} and ${isToSeal}`.execute(
    db,
  );
  return { sealed, left: rows[0]?.n ?? 0 };
}
