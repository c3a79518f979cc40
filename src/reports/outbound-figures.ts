import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import {
  AGENT_NAME,
  byDay,
  type DayCount,
  dayOf,
  type Figures,
  overall,
  type Period,
  percent,
  table,
  within,
} from "./figures.ts";

/** What waits in a batch that is over is canceled, written or not. */
const STATUS = sql`case when b.cancels_waiting and r.request_status = 'PENDING' then 'CANCELED' else r.request_status end`;
const OUTCOME = sql`case when b.cancels_waiting and r.request_status = 'PENDING' then 'CANCELED' else r.channel_manager_status end`;

const COMPLETED = sql`count(*) filter (where ${STATUS} = 'COMPLETED')`;
const WAITING = sql`count(*) filter (where ${STATUS} in ('PENDING', 'INITIATED', 'CONNECTED'))`;

/**
 * Requests made in the period, but for those that were tried from a test number, whether it led to a session or not. Reads the
 * attempts once: of 300,000 requests the whole dashboard takes 0.5 s in place of 0.3.
 */
const requestsOf = (period: Period) => sql`
  requests r
  join batches b on b.key = r.batch_key
  join campaigns c on c.id = b.campaign_id
  left join sessions s on s.id = r.session_id
  where b.sub_organization_id = ${period.sub_organization_id} and s.is_test is not true
    and not exists (
      select from attempts a where a.is_test and a.campaign_id = b.campaign_id and a.reference_id = r.reference_id
        and a.batch_key = r.batch_key and a.request_id = r.id)
    and ${within("r.created_at", period)}`;

const NOTHING = { requests: 0, attempts: 0, completed: 0, waiting: 0 };

/** Of requests that led to a session. */
type OfVersion = { Agent: string; Prompt: string; Version: number; Requests: number; Completed: number };

export async function outboundCampaigns(db: Db, period: Period): Promise<Figures> {
  const [days, campaigns, outcomes, versions] = await Promise.all([
    sql<DayCount>`
      select ${dayOf("r.created_at", period)} as day, ${STATUS} as kind, count(*) as count
      from ${requestsOf(period)} group by 1, 2`.execute(db),
    sql<{
      Campaign: string;
      Requests: number;
      Attempts: number;
      Completed: number;
      Waiting: number;
      Failed: number;
      requests: number;
      attempts: number;
      completed: number;
      waiting: number;
    }>`
      select c.campaign_name as "Campaign", count(*) as "Requests", sum(r.attempt_count) as "Attempts",
        ${COMPLETED} as "Completed", ${WAITING} as "Waiting",
        count(*) filter (where ${STATUS} = 'FAILED') as "Failed",
        ${overall(sql`count(*)`)} as requests, ${overall(sql`sum(r.attempt_count)`)} as attempts,
        ${overall(COMPLETED)} as completed, ${overall(WAITING)} as waiting
      from ${requestsOf(period)} group by c.id, c.campaign_name order by 2 desc, 1 limit 200`.execute(db),
    sql<{ Status: string; Outcome: string; Requests: number }>`
      select ${STATUS} as "Status", ${OUTCOME} as "Outcome",
        count(*) as "Requests"
      from ${requestsOf(period)} group by 1, 2 order by 3 desc, 1, 2`.execute(db),
    sql<OfVersion>`
      select ${AGENT_NAME} as "Agent", s.prompt_name as "Prompt", s.prompt_version_number as "Version",
        count(*) as "Requests", count(*) filter (where r.request_status = 'COMPLETED') as "Completed"
      from ${requestsOf(period)} and s.id is not null
      group by s.agent_id, 2, 3 order by 1, 2, 3 desc limit 200`.execute(db),
  ]);
  const { requests, attempts, completed, waiting } = campaigns.rows[0] ?? NOTHING;
  return {
    numbers: [
      { name: "Requests", value: requests, unit: "count" },
      { name: "Attempts", value: attempts, unit: "count" },
      { name: "Completed", value: percent(completed, requests), unit: "percent" },
      { name: "Waiting or under way", value: waiting, unit: "count" },
    ],
    by_day: byDay(period, days.rows),
    tables: [
      table(
        "By campaign",
        ["Campaign", "Requests", "Attempts", "Completed", "Waiting", "Failed"],
        campaigns.rows,
      ),
      table("By outcome", ["Status", "Outcome", "Requests"], outcomes.rows),
      table(
        "By agent and prompt version",
        ["Agent", "Prompt", "Version", "Requests", "Completed"],
        versions.rows,
      ),
    ],
  };
}
