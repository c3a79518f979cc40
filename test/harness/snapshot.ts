import { sql } from "kysely";
import type { Db } from "../../src/db/database.ts";

/** What each table holds, as a hash. */
export type Snapshot = Map<string, string>;

/** Bookkeeping that reads and refusals may touch. */
const EXCEPT = new Set(["migrations", "job_runners"]);

/**
 * Every table with all its rows, the queue of jobs too; with `sub_organization_id` only that one's, of the tables that
 * say whose a row is. When a token was last used is left out.
 */
export async function snapshot(db: Db, sub_organization_id?: number): Promise<Snapshot> {
  const tables = await tablesOf(db, sub_organization_id !== undefined);
  const where =
    sub_organization_id === undefined ? sql`` : sql`where sub_organization_id = ${sub_organization_id}`;
  const hashes = tables.map(
    (table) => sql`
      select ${table}::text as name, md5(coalesce(string_agg(r::text, ',' order by r::text), '')) as hash
      from (select to_jsonb(t) - 'last_used_at' as r from ${sql.table(table)} t ${where}) rows`,
  );
  const { rows } = await sql<{ name: string; hash: string }>`${sql.join(hashes, sql` union all `)}`.execute(
    db,
  );
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

export const changedTables = (before: Snapshot, after: Snapshot): string[] =>
  [...after.keys()].filter((table) => before.get(table) !== after.get(table)).toSorted();

async function tablesOf(db: Db, owned: boolean): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%s.%s', t.table_schema, t.table_name) as name
    from information_schema.tables t
    where t.table_type = 'BASE TABLE'
      and (t.table_schema = 'public' or t.table_name = '_private_jobs')
      and (not ${owned} or exists (
        select from information_schema.columns c
        where c.table_schema = t.table_schema and c.table_name = t.table_name
          and c.column_name = 'sub_organization_id'))
    order by 1`.execute(db);
  return rows.map(({ name }) => name).filter((name) => !EXCEPT.has(name.replace("public.", "")));
}
