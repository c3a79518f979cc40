import { sql } from "kysely";
import { wakeBatch } from "../batches/wake-batch.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Schedule } from "../planning/schedule.ts";
import { WEEKDAYS } from "../planning/weekday.ts";

/** Somebody who called one of our numbers, and the agent who answered. */
export type AskingCaller = {
  organization_id: number;
  sub_organization_id: number;
  agent_id: number;
  agent_name: string;
  timezone: string;
  /** Ours, which they called and are called back from. */
  number: string;
  target: string;
};

/** When an agent calls its callers back until somebody sets other hours: on the agent's clock. */
export const CALLERS_WINDOW: Omit<Schedule, "outreach_override_rules"> = {
  daily_start_time: "08:00:00",
  daily_end_time: "21:00:00",
  max_daily_calls: null,
  active_days: [...WEEKDAYS],
};

/** The newest batch of the agent's campaign for callers. Index: campaigns_call_backs. */
export async function findCallersBatch(db: Db, agent_id: number): Promise<number | null> {
  const { rows } = await sql<{ key: number }>`
    select b.key from campaigns c join batches b on b.campaign_id = c.id
    where c.call_backs_of = ${agent_id} and c.deleted_at is null and b.status in ('ACTIVE', 'PAUSED')
      and b.expires_on is null
    order by b.key desc limit 1`.execute(db);
  return rows[0]?.key ?? null;
}

/**
 * The request by which a caller is called back: of the agent's own campaign for that, which is made when somebody asks for
 * the first time, and is a campaign like any other from then on. One request a person. Lock: the agent.
 */
export async function callerRequest(
  tx: Tx,
  caller: AskingCaller,
  { at, due_at }: { at: Date; due_at: Date },
): Promise<{ batch_key: number; request_id: number }> {
  await sql`select id from agents where id = ${caller.agent_id} for no key update`.execute(tx);
  const batch_key = (await findCallersBatch(tx, caller.agent_id)) ?? (await makeBatch(tx, caller, at));
  const reference_id = `call-back-${caller.target}`;
  const found = await findRequest(tx, batch_key, caller.target);
  if (found !== null) return { batch_key, request_id: found };
  const { rows } = await sql<{ id: number }>`
    insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, due_at, created_at,
      request_variables, call_back_after)
    values (${batch_key}, ${reference_id}, ${caller.target}, 'PENDING', 'PENDING', ${due_at.toISOString()}::timestamptz,
      ${at.toISOString()}::timestamptz, '{}', 0)
    returning id`.execute(tx);
  return { batch_key, request_id: (rows[0] as { id: number }).id };
}

/** Index: requests_target. */
async function findRequest(tx: Tx, batch_key: number, target: string): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select id from requests
    where batch_key = ${batch_key} and target = ${target}
      and request_status not in ('DUPLICATE', 'INVALID', 'CANCELED')`.execute(tx);
  return rows[0]?.id ?? null;
}

const BY = "call-backs";

async function makeBatch(tx: Tx, caller: AskingCaller, now: Date): Promise<number> {
  const at = now.toISOString();
  const { daily_start_time, daily_end_time, active_days } = CALLERS_WINDOW;
  const { rows: known } = await sql<{ id: number }>`
    select id from campaigns where call_backs_of = ${caller.agent_id} and deleted_at is null`.execute(tx);
  const campaign_id =
    known[0]?.id ??
    (
      await tx
        .insertInto("campaigns")
        .values({
          sub_organization_id: caller.sub_organization_id,
          campaign_name: `Call-backs: ${caller.agent_name}`,
          description: "Calls people back who called the agent and asked for it.",
          mode: "voice",
          campaign_variables: "{}",
          daily_start_time,
          daily_end_time,
          active_days,
          source: caller.number,
          caller_id: caller.number,
          hourly_rate: 3600,
          retry_count: 2,
          retry_interval: "30m",
          include_unknown_line_types: true,
          agent_id: caller.agent_id,
          call_backs_of: caller.agent_id,
          created_at: at,
          updated_at: at,
          last_updated_by: BY,
        })
        .returning("id")
        .executeTakeFirstOrThrow()
    ).id;
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from batches where campaign_id = ${campaign_id}`.execute(tx);
  const n = rows[0]?.n ?? 0;
  const { key } = await tx
    .insertInto("batches")
    .values({
      sub_organization_id: caller.sub_organization_id,
      batch_id: `call-backs-${campaign_id}${n === 0 ? "" : `-${n + 1}`}`,
      campaign_id,
      auto_call_rate: false,
      status: "ACTIVE",
      created_at: at,
      last_updated_at: at,
      last_updated_by: BY,
    })
    .returning("key")
    .executeTakeFirstOrThrow();
  await wakeBatch(tx, key, now);
  return key;
}
