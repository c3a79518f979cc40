import { sql } from "kysely";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Tx } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import type { EarlierAttempt } from "../planning/retry.ts";
import type { AttemptRow, BatchContext, RequestRow } from "./settled-rows.ts";

/**
 * When the people of these attempts asked to be called again, by the attempt's key; nobody who opted out since. A statement
 * of its own, so that it sees what was booked while this transaction waited for the locks. Index: `call_backs_request`.
 */
export async function readCallBacks(
  tx: Tx,
  attempts: readonly Pick<AttemptRow, "key" | "mode" | "batch_key" | "request_id" | "attempt_number">[],
): Promise<Map<string, string>> {
  const calls = attempts.filter(({ mode }) => mode === "voice");
  if (calls.length === 0) return new Map();
  const given = calls.map(({ key, batch_key, request_id, attempt_number }) => ({
    key,
    batch_key,
    request_id,
    attempt_number,
  }));
  const { rows } = await sql<{ key: string; due_at: string }>`
    select w.key, asked.due_at
    from json_to_recordset(${JSON.stringify(given)}::json)
      as w (key text, batch_key bigint, request_id bigint, attempt_number integer)
    cross join lateral (
      select b.due_at from call_backs b
      where b.batch_key = w.batch_key and b.request_id = w.request_id and b.after_attempt = w.attempt_number
        and not exists (
          select from suppressions s
          where s.sub_organization_id = b.sub_organization_id and s.address = b.target collate "default" and s.lifted_at is null
            and s.scope in ('all', 'voice'))
      ${FOR_EACH}
    ) asked`.execute(tx);
  return new Map(rows.map(({ key, due_at }) => [key, due_at]));
}

/** When a campaign is open, on its agent's clock. Of the alias `c`. */
export const CAMPAIGN_HOURS = sql`json_build_object(
  'zone', coalesce((select timezone from agents where id = c.agent_id), 'UTC'),
  'schedule', json_build_object('daily_start_time', c.daily_start_time, 'daily_end_time', c.daily_end_time,
    'max_daily_calls', c.max_daily_calls, 'active_days', c.active_days,
    'outreach_override_rules', c.outreach_override_rules))`;

/** The campaign's rules by outcome with the hours that they stay in; null: it has none. Of the alias `c`. */
export const BY_OUTCOME = sql`case when c.retry_rules is not null then json_build_object('rules', c.retry_rules,
  'hours', ${CAMPAIGN_HOURS}) end`;

/**
 * How the attempts before these ended, where their campaign has rules by outcome. A statement of its own, as
 * `reachedBefore` is. Index: `attempts_reference`.
 */
export async function earlierAttempts(
  tx: Tx,
  among: readonly (Pick<AttemptRow, "key"> &
    Pick<BatchContext, "by_outcome"> & { request: Pick<RequestRow, "call_back_after"> })[],
): Promise<Map<string, EarlierAttempt[]>> {
  const given = among
    .filter(({ by_outcome }) => by_outcome !== null)
    .map(({ key, request }) => ({ key, after: request.call_back_after ?? 0 }));
  if (given.length === 0) return new Map();
  const { rows } = await sql<{ key: string; outcome: ChannelStatus; started_at: string }>`
    select w.key, e.outcome, e.started_at
    from json_to_recordset(${JSON.stringify(given)}::json) as w (key text, after integer)
    join attempts a on a.key = w.key
    cross join lateral (
      select e.decision ->> 'status' as outcome, e.started_at from attempts e
      where e.campaign_id = a.campaign_id and e.reference_id = a.reference_id and e.batch_key = a.batch_key
        and e.request_id = a.request_id and e.attempt_number > w.after and e.attempt_number < a.attempt_number
        and e.decision is not null
      ${FOR_EACH}
    ) e
    order by w.key, e.started_at`.execute(tx);
  const found = Map.groupBy(rows, ({ key }) => key);
  return new Map(
    [...found].map(([key, some]) => [
      key,
      some.map(({ outcome, started_at }) => ({ outcome, started_at: new Date(started_at) })),
    ]),
  );
}
