import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { byDay, type DayCount, dayOf, type Figures, type Period, percent, table, within } from "./figures.ts";

/** Requests made in the period, but for those that ended in a test session. */
const requestsOf = (period: Period) => sql`
  requests r
  join batches b on b.key = r.batch_key
  join campaigns c on c.id = b.campaign_id
  left join sessions s on s.id = r.session_id
  where b.sub_organization_id = ${period.sub_organization_id} and s.is_test is not true
    and ${within("r.created_at", period)}`;

export async function outboundCampaigns(db: Db, period: Period): Promise<Figures> {
  const [days, campaigns, outcomes] = await Promise.all([
    sql<DayCount>`
      select ${dayOf("r.created_at", period)} as day, r.request_status as kind, count(*) as count
      from ${requestsOf(period)} group by 1, 2`.execute(db),
    sql<{
      Campaign: string;
      Requests: number;
      Attempts: number;
      Completed: number;
      Waiting: number;
      Failed: number;
    }>`
      select c.campaign_name as "Campaign", count(*) as "Requests", sum(r.attempt_count) as "Attempts",
        count(*) filter (where r.request_status = 'COMPLETED') as "Completed",
        count(*) filter (where r.request_status in ('PENDING', 'INITIATED', 'CONNECTED')) as "Waiting",
        count(*) filter (where r.request_status = 'FAILED') as "Failed"
      from ${requestsOf(period)} group by c.id, c.campaign_name order by 2 desc, 1 limit 200`.execute(db),
    sql<{ Status: string; Outcome: string; Requests: number }>`
      select r.request_status as "Status", r.channel_manager_status as "Outcome",
        count(*) as "Requests"
      from ${requestsOf(period)} group by 1, 2 order by 3 desc, 1, 2`.execute(db),
  ]);
  const sum = (of: (row: (typeof campaigns.rows)[number]) => number) =>
    campaigns.rows.reduce((total, row) => total + of(row), 0);
  const all = sum((row) => row.Requests);
  return {
    numbers: [
      { name: "Requests", value: all, unit: "count" },
      { name: "Attempts", value: sum((row) => row.Attempts), unit: "count" },
      {
        name: "Completed",
        value: percent(
          sum((row) => row.Completed),
          all,
        ),
        unit: "percent",
      },
      { name: "Waiting or under way", value: sum((row) => row.Waiting), unit: "count" },
    ],
    by_day: byDay(period, days.rows),
    tables: [
      table(
        "By campaign",
        ["Campaign", "Requests", "Attempts", "Completed", "Waiting", "Failed"],
        campaigns.rows,
      ),
      table("By outcome", ["Status", "Outcome", "Requests"], outcomes.rows),
    ],
  };
}
