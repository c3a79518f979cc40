import { rm } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";

/*
 * Files of deleted rows. Their names are stored by the transaction that deletes the rows, and each name goes once its file
 * is gone, so that a process may die anywhere in between. Names are relative to the data directory.
 */

export async function listFiles(tx: Tx, tenant: number, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  await sql`
    insert into files_to_remove (path, sub_organization_id)
    select distinct path, ${tenant}::bigint from unnest(${paths}::text[]) as p (path)
    on conflict do nothing`.execute(tx);
}

const MOST_AT_ONCE = 500;

/** Removes all that are listed for a sub-organization, or for all. Resolves with how many names were worked off. */
export async function removeListedFiles(
  db: Db,
  dataDir: string,
  tenant: number | null = null,
): Promise<number> {
  for (let total = 0; ; ) {
    const { rows } = await sql<{ path: string }>`
      select path from files_to_remove where ${tenant}::bigint is null or sub_organization_id = ${tenant}::bigint
      order by path limit ${MOST_AT_ONCE}::bigint`.execute(db);
    if (rows.length === 0) return total;
    for (const row of rows) await rm(path.join(dataDir, row.path), { recursive: true, force: true });
    await sql`
      delete from files_to_remove where path = any(${rows.map((row) => row.path)}::text[])`.execute(db);
    total += rows.length;
  }
}
