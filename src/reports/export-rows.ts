import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { EXPORTED, type ExportedTable, isLeftOut, type Rows } from "./exported-tables.ts";

/** Rows fetched at once: some hundred kB of JSON, whatever a table's size. */
const BATCH = 1000;

export type Owner = { organization_id: number; sub_organization_id: number };

/**
 * The owner's rows of a table as JSON Lines, in the order of its key, a batch at a time.
 *
 * A cursor, whose one column is always a text: the driver keeps statements prepared, and `fetch` would fail when the
 * columns behind it changed. PostgreSQL writes the JSON itself, with the spelling of every column that answers have.
 */
export async function* exportRows(tx: Tx, exported: ExportedTable, owner: Owner): AsyncGenerator<string[]> {
  const { columns, key } = await describeTable(tx, exported.table);
  const chosen = columns.filter((column) => !isLeftOut(column)).map((column) => sql.ref(column));
  await sql`
    declare exported no scroll cursor for
    select row_to_json(r)::text as line from (
      select ${sql.join(chosen)} from ${sql.table(exported.table)}
      where ${belongs(exported.rows, owner)}
      order by ${sql.join(key.map((column) => sql.ref(column)))}
    ) r`.execute(tx);
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(BATCH)} from exported`.execute(tx);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await sql`close exported`.execute(tx);
}

function belongs(rows: Rows, owner: Owner): RawBuilder<boolean> {
  const column = sql.ref(rows.column);
  if ("is" in rows) return sql`${column} = ${owner[`${rows.is}_id`]}`;
  const parent = Object.values(EXPORTED)
    .flat()
    .find(({ table }) => table === rows.of);
  if (!parent) throw new Error(`${rows.of} is not exported`);
  return sql`${column} in (
    select ${sql.ref(rows.key)} from ${sql.table(rows.of)} where ${belongs(parent.rows, owner)}
  )`;
}

/** A table's columns, and those of them that are its primary key. */
async function describeTable(tx: Tx, table: string): Promise<{ columns: string[]; key: string[] }> {
  const { rows } = await sql<{ name: string; place_in_key: number | null }>`
    select a.attname as name, array_position(i.indkey::int2[], a.attnum) as place_in_key
    from pg_attribute a
    left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
    where a.attrelid = ${table}::regclass and a.attnum > 0 and not a.attisdropped
    order by a.attnum`.execute(tx);
  const key = rows
    .filter((row) => row.place_in_key !== null)
    .toSorted((a, b) => Number(a.place_in_key) - Number(b.place_in_key));
  return { columns: rows.map(({ name }) => name), key: key.map(({ name }) => name) };
}
