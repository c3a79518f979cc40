import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import { readNumberGroups } from "../number-groups/number-pool.ts";
import type { AttemptLimits, ConcurrencyLimit } from "../planning/forecasts/attempts-at-once.ts";
import type { NumberCap } from "../planning/forecasts/number-days.ts";

/** What bounds a campaign's attempts beside its own schedule and pace, as a forecast takes it. */
export type ForecastLimits = {
  limits: AttemptLimits;
  agents_steps: ReadonlySet<number>;
  number_cap: NumberCap | null;
};

type Row = {
  most: number | null;
  agent_most: number | null;
  number_group_id: number | null;
  hold_ms: number | null;
  call_hold_ms: number | null;
  agents_steps: number[];
};

/** How long an attempt holds its place in a campaign that has had none, ringing and talking. */
const HOLD_ms = 60_000;
const MOST_HOLDS = 1_000;

/** As long as some of the campaign's attempts lasted. Index: `attempts_reference`. */
const holdOf = (which: ReturnType<typeof sql>) => sql`(
  select extract(epoch from avg(ended_at - started_at)) * 1000 from (
    select started_at, ended_at from attempts
    where campaign_id = c.id and ended_at > started_at and ${which} limit ${MOST_HOLDS}
  ) some_attempts
)`;

export async function readForecastLimits(db: Db, campaign_id: number, now: Date): Promise<ForecastLimits> {
  const { rows } = await sql<Row>`
    select c.max_concurrent as most, a.max_concurrent as agent_most, c.number_group_id,
      case when c.max_concurrent is not null then ${holdOf(sql`true`)} end as hold_ms,
      case when a.max_concurrent is not null then ${holdOf(sql`mode = 'voice'`)} end as call_hold_ms,
      array(
        select step.n::integer from json_array_elements(c.cadence -> 'steps') with ordinality as step (value, n)
        where step.value ->> 'mode' = 'voice' and exists (
          select from channel_targets t
          where t.agent_id = a.id and t.sub_organization_id = c.sub_organization_id and t.target_mode = 'voice'
            and ltrim(lower(t.target), '+') = ltrim(lower(step.value ->> 'source'), '+'))
      ) as agents_steps
    from campaigns c left join agents a on a.id = c.agent_id and a.deleted_at is null
    where c.id = ${campaign_id}`.execute(db);
  const row = rows[0] as Row;
  return {
    limits: {
      campaign: limitOf(row.most, row.hold_ms),
      agent: limitOf(row.agent_most, row.call_hold_ms),
    },
    agents_steps: new Set(row.agents_steps),
    number_cap: await readNumberCap(db, row.number_group_id, now),
  };
}

const limitOf = (most: number | null, hold_ms: number | null): ConcurrencyLimit | null =>
  most === null ? null : { most, hold_ms: Math.max(1, Math.round(hold_ms ?? HOLD_ms)) };

/** Null: nothing bounds the numbers. A group without numbers, or that was deleted, sends nothing. */
async function readNumberCap(db: Db, group_id: number | null, now: Date): Promise<NumberCap | null> {
  if (group_id === null) return null;
  const group = (await readNumberGroups(db, [group_id], now)).get(group_id);
  const numbers = group?.numbers ?? [];
  const cap = group?.daily_cap ?? null;
  if (cap === null && numbers.length > 0) return null;
  return {
    zone: group?.timezone ?? "UTC",
    per_day: (cap ?? 0) * numbers.length,
    // What a number sent beyond its cap, as a campaign's own source, takes nothing from the others.
    used: { at: now, attempts: numbers.reduce((sum, { uses }) => sum + Math.min(uses, cap ?? 0), 0) },
  };
}

export function limitsText({ limits: { campaign, agent }, number_cap }: ForecastLimits): string[] {
  const seconds = ({ hold_ms }: ConcurrencyLimit) => `${Math.round(hold_ms / 1000)} s`;
  const count = (n: number) => n.toLocaleString("en");
  return [
    ...(campaign === null
      ? []
      : [`At most ${count(campaign.most)} attempts are under way at once, each for ${seconds(campaign)}.`]),
    ...(agent === null
      ? []
      : [
          `The agent has at most ${count(agent.most)} calls at once, each for ${seconds(agent)}; its inbound calls and those of other campaigns are left out.`,
        ]),
    ...(number_cap === null
      ? []
      : [
          `The number group makes at most ${count(number_cap.per_day)} attempts a day; no number rests, and other campaigns use none of them.`,
        ]),
  ];
}
