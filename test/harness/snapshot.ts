import { sql } from "kysely";
import type { Db } from "../../src/db/database.ts";

/** What each table holds, as a hash. */
export type Snapshot = Map<string, string>;

/** Bookkeeping that reads and refusals may touch. */
const EXCEPT = new Set(["migrations", "job_runners", "write_probes"]);

type Owner = { organization_id: number; sub_organization_id: number };
type Table = { name: string; owner: keyof Owner | null };

/**
 * Every table with all its rows, the queue of jobs too; with an owner only theirs, of the tables that say whose a row
 * is. When a token was last used is left out.
 */
export async function snapshot(db: Db, owner?: Owner): Promise<Snapshot> {
  const looked = (await tablesOf(db)).filter((table) => !owner || table.owner);
  const hashes = looked.map((table) => {
    const theirs = owner && table.owner ? sql`where ${sql.ref(table.owner)} = ${owner[table.owner]}` : sql``;
    return sql`
      select ${table.name}::text as name, md5(coalesce(string_agg(r::text, ',' order by r::text), '')) as hash
      from (select to_jsonb(t) - 'last_used_at' as r from ${sql.table(table.name)} t ${theirs}) rows`;
  });
  const { rows } = await sql<{ name: string; hash: string }>`${sql.join(hashes, sql` union all `)}`.execute(
    db,
  );
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

export const changedTables = (before: Snapshot, after: Snapshot): string[] =>
  [...after.keys()].filter((table) => before.get(table) !== after.get(table)).toSorted();

const tables = new WeakMap<Db, Promise<Table[]>>();

function tablesOf(db: Db): Promise<Table[]> {
  const known = tables.get(db) ?? readTables(db);
  tables.set(db, known);
  return known;
}

async function readTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select format('%s.%s', t.table_schema, t.table_name) as name, (
        select max(c.column_name) from information_schema.columns c
        where c.table_schema = t.table_schema and c.table_name = t.table_name
          and c.column_name in ('sub_organization_id', 'organization_id')) as owner
    from information_schema.tables t
    where t.table_type = 'BASE TABLE' and (t.table_schema = 'public' or t.table_name = '_private_jobs')
    order by 1`.execute(db);
  return rows.filter(({ name }) => !EXCEPT.has(name.replace("public.", "")));
}
