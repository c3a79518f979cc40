import { sql } from "kysely";
import {
  countEndedTried,
  outcomes,
  type RequestCount,
  type RequestProgress,
  readProgress,
  tally,
} from "../batches/request-counts.ts";
import type { CampaignGoal } from "../campaigns/goal.ts";
import type { Db } from "../db/database.ts";

/** Who waits in a batch whose time is up counts as CANCELED, as in the batch itself (request-counts.ts). */
export async function countAll(db: Db, campaign_id: number, now: Date) {
  const canceled = sql`c.request_status = 'PENDING'
    and (b.cancels_waiting or coalesce(b.expires_on <= ${now.toISOString()}::timestamptz, false))`;
  const { rows } = await sql<RequestCount>`
    select case when ${canceled} then 'CANCELED' else c.request_status end as request_status,
      case when ${canceled} then 'CANCELED' else c.channel_manager_status end as channel_manager_status, sum(c.n) as n
    from batches b join request_counts c on c.batch_key = b.key
    where b.campaign_id = ${campaign_id}
    group by 1, 2 having sum(c.n) <> 0 order by 1, 2`.execute(db);
  const keys = await db.selectFrom("batches").select("key").where("campaign_id", "=", campaign_id).execute();
  const { status_counts, detailed_status_counts } = tally(rows);
  const batch_keys = keys.map(({ key }) => key);
  const progress = await readProgress(db, batch_keys);
  const busy = await sql<{ n: number }>`
    select count(*) as n from attempts where campaign_id = ${campaign_id} and state <> 'ENDED'`.execute(db);
  return {
    status_counts,
    detailed_status_counts,
    outcome_counts: outcomes(status_counts, progress, await countEndedTried(db, batch_keys, now)),
    under_way: busy.rows[0]?.n ?? 0,
    progress,
  };
}

export const funnelOf = (
  { tried, answered, talked, reached_goal }: RequestProgress,
  goal: CampaignGoal | null,
) => ({
  tried,
  answered,
  talked,
  goal: goal === null ? null : reached_goal,
});

/** Index: batches_campaign. */
export async function countBatches(db: Db, campaign_id: number, now: Date) {
  const { rows } = await sql<{ active_batches: number; paused_batches: number }>`
    select count(*) filter (where paused is not true) as active_batches,
      count(*) filter (where paused) as paused_batches
    from batches
    where campaign_id = ${campaign_id} and status not in ('CANCELED', 'EXPIRED')
      and coalesce(expires_on > ${now.toISOString()}::timestamptz, true)`.execute(db);
  return rows[0] ?? { active_batches: 0, paused_batches: 0 };
}
