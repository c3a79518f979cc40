import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** Which of some entries name a data source, or are a label that one has: a tool may give either. */
export async function knownSources(
  db: Db,
  sub_organization_id: number,
  entries: readonly string[],
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const { rows } = await sql<{ entry: string }>`
    select entry from unnest(${[...new Set(entries)]}::text[]) as given (entry)
    where exists (
      select from data_sources d
      where d.sub_organization_id = ${sub_organization_id} and d.deleted_at is null
        and (d.name = entry or entry = any (d.labels)))`.execute(db);
  return new Set(rows.map((row) => row.entry));
}
