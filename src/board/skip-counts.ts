import { sql } from "kysely";
import type { Db } from "../db/database.ts";

/** Of each batch so many are counted, the newest of its list. */
export const MOST_SKIPS = 10_000;

/** How many requests were skipped, by reason, over the newest batches of a campaign. Index: `requests_skipped`. */
export async function countSkips(
  db: Db,
  campaign_id: number,
  most_batches: number,
): Promise<Record<string, number>> {
  const { rows } = await sql<{ reason: string; n: number }>`
    select skipped.reason, count(*) as n
    from (
      select key from batches where campaign_id = ${campaign_id} and deleted_at is null
      order by key desc limit ${most_batches}
    ) b
    cross join lateral (
      select r.skip_reason ->> 'reason' as reason from requests r
      where r.batch_key = b.key and r.skip_reason is not null order by r.id desc limit ${MOST_SKIPS}
    ) skipped
    group by 1 order by 1`.execute(db);
  return Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));
}
