import { type RawBuilder, sql } from "kysely";
import { sealContacts } from "../address-book/seal-contacts.ts";
import type { Vault } from "../base/crypto.ts";
import type { Db } from "../db/database.ts";
import { isSealedDocument } from "../db/sealed-values.ts";
import {
  type AddressMarker,
  type JsonSealer,
  organizationJsonSealer,
  organizationMarks,
} from "../redaction/text-sealer.ts";

/*
 * Seals the requests of campaigns, the tests and the contacts that were stored before their organization sealed: unlike
 * conversations they are used again, for as long as they are there. Contacts get the new key, too. Each transaction seals
 * some rows that lie in clear, so the next run continues where one died. Rows that somebody holds are passed over and
 * counted: a settlement locks requests in another order.
 */

/** A transaction holds its rows for some hundredths of a second. */
const AT_ONCE = 500;

/** How a column of JSON is sealed: the document as one value, each element of a list, or one member. */
type Part = { column: string; seals: "document" | "elements" | { member: string } };
/** `marked`: it has marks of the addresses in its one part, which an erasure looks at. */
type Store = { table: string; parts: Part[]; marked?: boolean };

const REQUESTS: Store = { table: "requests", parts: [{ column: "request_variables", seals: "document" }] };
const OF_TENANT: Store[] = [
  { table: "test_outreach", parts: [{ column: "outreach", seals: { member: "variables" } }] },
  { table: "test_cases", parts: [{ column: "definition", seals: "document" }], marked: true },
  { table: "test_runs", parts: [{ column: "cases", seals: "elements" }], marked: true },
  {
    table: "test_results",
    parts: [
      { column: "verdicts", seals: "document" },
      { column: "notes", seals: "document" },
    ],
  },
];

export type SealedStored = { sealed: number; left: number };

/** `left`: rows that somebody held. `onRows` is called after each transaction. */
export async function sealStored(
  { db, vault }: { db: Db; vault: Vault },
  { stop }: { stop?: AbortSignal } = {},
  onRows: (table: string, sealed: number) => void | Promise<void> = () => {},
): Promise<SealedStored> {
  const total = { sealed: 0, left: 0 };
  const { rows: tenants } = await sql<{ id: number }>`
    select s.id from sub_organizations s join organizations o on o.id = s.organization_id and o.seals_texts
    order by s.id`.execute(db);
  for (const { id } of tenants) {
    const seal = await organizationJsonSealer(db, vault, id);
    if (seal === null) continue;
    const marks = await organizationMarks(db, vault, id);
    const { rows: batches } = await sql<{ key: number }>`
      select key from batches where sub_organization_id = ${id} order by key`.execute(db);
    const scopes = [
      // Index: primary key of requests.
      ...batches.map(({ key }) => ({ store: REQUESTS, rows: sql`batch_key = ${key}::bigint` })),
      ...OF_TENANT.map((store) => ({ store, rows: sql`sub_organization_id = ${id}::bigint` })),
    ];
    const add = ({ sealed, left }: SealedStored) => {
      total.sealed += sealed;
      total.left += left;
    };
    for (const { store, rows } of scopes) add(await sealRows(db, store, rows, { seal, marks, stop, onRows }));
    add(await sealContacts({ db, vault }, id, { stop, onRows }));
  }
  return total;
}

async function sealRows(
  db: Db,
  { table, parts, marked = false }: Store,
  scope: RawBuilder<unknown>,
  how: {
    seal: JsonSealer;
    marks: AddressMarker;
    stop: AbortSignal | undefined;
    onRows: (table: string, sealed: number) => void | Promise<void>;
  },
): Promise<SealedStored> {
  const [from, columns] = [sql.table(table), parts.map(({ column }) => sql.ref(column))];
  const isClear = sql`(${sql.join(parts.map(clear), sql` or `)})`;
  let sealed = 0;
  for (let after = 0; ; ) {
    how.stop?.throwIfAborted();
    const rows = await db.transaction().execute(async (tx) => {
      const texts = columns.map((column) => sql`${column}::text`);
      const found = await sql<{ id: number; texts: string[] }>`
        select id, array[${sql.join(texts)}] as texts from ${from}
        where ${scope} and id > ${after} and ${isClear}
        order by id limit ${AT_ONCE}::bigint for update skip locked`.execute(tx);
      const next = found.rows.map(({ id, texts }) => ({
        id,
        texts: texts.map((text, at) => sealedText(text, parts[at] as Part, how.seal)),
        ...(marked && { marks: how.marks(texts[0] as string, { isIndexed: table === "test_cases" }) }),
      }));
      const changes = columns.map((column, at) => sql`${column} = (n.texts ->> ${at}::integer)::json`);
      if (marked) changes.push(sql`address_marks = n.marks`);
      await sql`
        update ${from} set ${sql.join(changes)}
        from json_to_recordset(${JSON.stringify(next)}::json) as n (id bigint, texts json, marks bytea)
        where ${sql.ref(`${table}.id`)} = n.id and ${scope}`.execute(tx);
      return found.rows;
    });
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
    sealed += rows.length;
    await how.onRows(table, rows.length);
  }
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${from} where ${scope} and ${isClear}`.execute(db);
  return { sealed, left: rows[0]?.n ?? 0 };
}

/** Whether something of a column is still to be sealed. */
function clear({ column, seals }: Part): RawBuilder<unknown> {
  const stored = sql.ref(column);
  const lies = (document: RawBuilder<unknown>) =>
    sql`(not ${isSealedDocument(document)} and ${document}::text not in ('{}', '[]'))`;
  if (seals === "document") return lies(stored);
  // All elements are sealed, or none.
  return seals === "elements" ? lies(sql`(${stored} -> 0)`) : lies(sql`(${stored} -> ${seals.member}::text)`);
}

/** A part that is sealed already, beside one that is not, is read opened, or as it lies where this process opens none. */
function sealedText(text: string, { seals }: Part, seal: JsonSealer): string {
  if (text.startsWith('"')) return text;
  if (seals === "document") return seal(text);
  const value = JSON.parse(text);
  if (seals === "elements") return `[${value.map((part: unknown) => seal(JSON.stringify(part))).join(",")}]`;
  const member = JSON.parse(seal(JSON.stringify(value[seals.member])));
  return JSON.stringify({ ...value, [seals.member]: member });
}
