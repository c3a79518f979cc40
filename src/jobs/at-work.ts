import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/**
 * Whether a job runs or is due: for the dialogue with `source`, or for anything. What waits for its moment, or has failed
 * for good, doesn't count. Index: none; for a small queue.
 */
export async function isAtWork(db: Db, source: string | null = null): Promise<boolean> {
  const { rows } = await sql`
    select from graphile_worker._private_jobs
    where (${source}::text is null or payload->>'source' = ${source})
      and (locked_at is not null or (run_at <= now() and attempts < max_attempts)) limit 1`.execute(db);
  return rows.length > 0;
}
