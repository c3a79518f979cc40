import { sql } from "kysely";
import { purposeOf, type ReachRules } from "../campaigns/reach-rules.ts";
import type { FilterSettings } from "../campaigns/target-filter.ts";
import type { Outreach } from "../channels/outreach.ts";
import type { ReachQuestion } from "../consent/reach-check.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Mode } from "../planning/attempt.ts";
import type { BatchStatus } from "../planning/batch-state.ts";
import type { CadenceStep } from "../planning/cadences/cadence.ts";
import { type ContactKind, contactChannelOf } from "../planning/contact-hours.ts";
import { lastStart, rateOf } from "../planning/pacing.ts";
import type { Schedule } from "../planning/schedule.ts";
import type { MissingConfirmation, SpendView } from "../planning/steps/batch-step.ts";
import type { StoredSilence } from "../planning/steps/silent-step.ts";

/** A batch with all that its next attempt depends on: its campaign, the agent's time zone, and its source address. */
export type DueBatch = {
  batch_key: number;
  batch_id: string;
  status: BatchStatus;
  expires_on: string | null;
  call_rate: number | null;
  auto_call_rate: boolean;
  auto_call_rate_baseline: number | null;
  last_at: string | null;
  auto_rate: number | null;
  rated_at: string | null;
  /** Its steps without words, by their number. */
  silent_steps: Record<string, StoredSilence> | null;
  organization_id: number;
  sub_organization_id: number;
  /** Null: the campaign has no spend cap. */
  spending: SpendView | null;
  /** Of the agent's calls at once; null: no own limit. */
  agent_most: number | null;
  /** Null: the batch is small enough, or confirmed. */
  confirmation: MissingConfirmation | null;
  campaign: Schedule &
    FilterSettings & {
      id: number;
      mode: Mode;
      agent_id: number | null;
      caller_id: string | null;
      campaign_variables: Record<string, string>;
      voicemail_detection: Record<string, unknown> | null;
      sms_session_ttl: number | null;
      /** Its numbers send in place of the sender's; null: the sender's own does. */
      number_group_id: number | null;
      /** Of its attempts at once; null: no own limit. */
      max_concurrent: number | null;
      priority: number;
      hourly_rate: number;
      retry_count: number;
      retry_interval: string | null;
      reach_rules: ReachRules | null;
      deleted_at: string | null;
    };
  timezone: string | null;
  /** The campaign's steps after its own, and what sends each; null: it never had any. */
  cadence: CadenceStep[] | null;
  step_senders: (StepSender | null)[] | null;
  /** The step whose candidates these are (cadences/lanes.ts); 0: the campaign's own. */
  step: number;
  /** The source address; null: the campaign's agent no longer has its source nor its caller_id. */
  sender: {
    channel_target_id: number;
    channel_id: number;
    address: string;
    /** The mode of its attempts: a text campaign goes out by WhatsApp when its source is a WhatsApp sender. */
    mode: Outreach["mode"];
    is_test: boolean;
    /** The number group that it is in. Its uses count there, whether the campaign names the group or not. */
    number_group_id: number | null;
  } | null;
};

/** What sends a step: of whichever agent has its source. */
export type StepSender = NonNullable<DueBatch["sender"]> & { agent_id: number; agent_most: number | null };

/** The channel of its attempts, which also decides whose opt-outs apply. */
export const reachModeOf = ({ sender, campaign }: DueBatch): Outreach["mode"] =>
  sender?.mode ?? campaign.mode;

/** How and what for its people are contacted, which decides whose rules about hours and holidays hold. */
export const contactKindOf = (batch: DueBatch): ContactKind => ({
  channel: contactChannelOf(reachModeOf(batch)),
  purpose: purposeOf(batch.campaign.reach_rules),
});

/** What is asked of the person's own will before an attempt to them (consent/reach-check.ts). */
export const reachQuestion = (batch: DueBatch, address: string): ReachQuestion => ({
  sub_organization_id: batch.sub_organization_id,
  mode: reachModeOf(batch),
  purpose: purposeOf(batch.campaign.reach_rules),
  address,
});

/** The account whose permissions the carrier checks. */
export const senderOf = ({ organization_id, campaign: { mode }, sender }: DueBatch) => ({
  organization_id,
  source: sender?.address ?? "",
  mode,
});

const COLUMNS = sql`
  b.key as batch_key, b.batch_id, b.status, b.expires_on, b.call_rate, b.auto_call_rate, b.auto_call_rate_baseline,
  p.last_at, p.auto_rate, p.rated_at, p.silent_steps, o.organization_id, b.sub_organization_id,
  json_build_object('id', c.id, 'mode', coalesce(c.mode, 'voice'), 'agent_id', c.agent_id, 'caller_id', c.caller_id,
    'campaign_variables', c.campaign_variables, 'voicemail_detection', c.voicemail_detection,
    'sms_session_ttl', c.sms_session_ttl, 'number_group_id', c.number_group_id,
    'max_concurrent', c.max_concurrent, 'priority', c.priority, 'hourly_rate', c.hourly_rate, 'retry_count', c.retry_count,
    'retry_interval', c.retry_interval, 'reach_rules', c.reach_rules, 'deleted_at', c.deleted_at, 'daily_start_time', c.daily_start_time,
    'daily_end_time', c.daily_end_time, 'max_daily_calls', c.max_daily_calls, 'active_days', c.active_days,
    'outreach_override_rules', c.outreach_override_rules, 'target_filters', c.target_filters,
    'allowed_line_types', c.allowed_line_types, 'include_unknown_line_types', c.include_unknown_line_types) as campaign,
  case when c.spend_cap_usd is not null then json_build_object('cap_usd', c.spend_cap_usd, 'spent_usd',
    coalesce((select m.cost_usd from campaign_spending m where m.campaign_id = c.id), 0)) end as spending,
  (
    select json_build_object('people', q.people, 'above', g.confirm_above)
    from organizations g
    cross join lateral (
      select coalesce(sum(n), 0) as people from request_counts
      where batch_key = b.key and request_status not in ('DUPLICATE', 'INVALID', 'CANCELED')
    ) q
    where g.id = o.organization_id and g.confirm_above is not null
      and q.people > coalesce(b.confirmed_people, 0) + g.confirm_above
  ) as confirmation,
  a.timezone, a.max_concurrent as agent_most, t.sender, c.cadence -> 'steps' as cadence, s.step_senders, 0 as step`;

/** By primary key. */
const GROUP_OF_TARGET = sql`(select m.group_id from number_group_numbers m where m.channel_target_id = t.id)`;

/** The source address is the campaign's source, else its caller_id, as its agent has it now, with or without "+". */
const TABLES = sql`
  join sub_organizations o on o.id = b.sub_organization_id
  join campaigns c on c.id = b.campaign_id
  left join agents a on a.id = c.agent_id and a.deleted_at is null
  left join lateral (
    select json_build_object('channel_target_id', t.id, 'channel_id', t.channel_id, 'address', t.target,
      'mode', t.target_mode, 'is_test', t.is_test, 'number_group_id', ${GROUP_OF_TARGET}) as sender
    from channel_targets t
    where t.agent_id = a.id and t.sub_organization_id = b.sub_organization_id
      and t.target_mode in (coalesce(c.mode, 'voice'), case c.mode when 'sms' then 'whatsapp' end)
      and ltrim(lower(t.target), '+') in (ltrim(lower(c.source), '+'), ltrim(lower(c.caller_id), '+'))
    order by ltrim(lower(t.target), '+') = ltrim(lower(c.source), '+') desc nulls last,
      t.target_mode = 'whatsapp', t.id
    limit 1
  ) t on true
  left join lateral (
    select json_agg(found.sender order by step.n) as step_senders
    from json_array_elements(c.cadence -> 'steps') with ordinality as step (value, n)
    left join lateral (
      select json_build_object('channel_target_id', t.id, 'channel_id', t.channel_id, 'address', t.target,
        'mode', t.target_mode, 'is_test', t.is_test, 'number_group_id', ${GROUP_OF_TARGET},
        'agent_id', t.agent_id, 'agent_most', g.max_concurrent) as sender
      from channel_targets t join agents g on g.id = t.agent_id and g.deleted_at is null
      where t.sub_organization_id = b.sub_organization_id
        and t.target_mode in (step.value ->> 'mode', case step.value ->> 'mode' when 'sms' then 'whatsapp' end)
        and ltrim(lower(t.target), '+') = ltrim(lower(step.value ->> 'source'), '+')
      order by t.target_mode = 'whatsapp', t.id limit 1
    ) found on true
  ) s on c.cadence is not null`;

/** The keys of batches that are due, the longest due first. Index: `batch_pacing_wake`. */
export async function dueBatchKeys(db: Db, now: Date, most: number): Promise<number[]> {
  const rows = await db
    .selectFrom("batch_pacing")
    .select("batch_key")
    .where("wake_at", "<=", now.toISOString())
    .orderBy("wake_at")
    .limit(most)
    .execute();
  return rows.map(({ batch_key }) => batch_key);
}

/** It is not examined before. */
export async function postponeBatch(db: Db, batch_key: number, until: Date): Promise<void> {
  await db
    .updateTable("batch_pacing")
    .set({ wake_at: until.toISOString() })
    .where("batch_key", "=", batch_key)
    .execute();
}

/**
 * Locks batches that are due, the longest due first, until the transaction ends. Those locked by another process or by a
 * change are skipped. Index: `batch_pacing_wake`.
 *
 * The batch's own row is locked too, shared, so that no attempt starts after a pause or a deletion was answered.
 *
 * `only`: this one, if it is due.
 */
export async function lockDueBatches(
  tx: Tx,
  now: Date,
  most: number,
  only: number | null,
): Promise<DueBatch[]> {
  const locked = await sql<{ key: number }>`
    select b.key
    from batch_pacing p join batches b on b.key = p.batch_key
    where p.wake_at <= ${now.toISOString()}::timestamptz ${only === null ? sql`` : sql`and p.batch_key = ${only}`}
    order by p.wake_at
    limit ${most}
    for update of p skip locked for share of b skip locked`.execute(tx);
  return readByKey(tx, locked.rows);
}

/** Batches that are due within a minute and whose campaigns ask about numbers before they reach them. */
export async function askingBatches(db: Db, now: Date, most: number): Promise<DueBatch[]> {
  const asking = await sql<{ key: number }>`
    select b.key
    from batch_pacing p join batches b on b.key = p.batch_key join campaigns c on c.id = b.campaign_id
    where p.wake_at <= ${new Date(now.getTime() + 60_000).toISOString()}::timestamptz and b.status = 'ACTIVE'
      and (coalesce(c.mode, 'voice') <> 'email' and (c.target_filters is not null or cardinality(c.allowed_line_types) > 0)
        or c.reach_rules ->> 'check_reassigned' = 'true')
    order by p.wake_at
    limit ${most}`.execute(db);
  return readByKey(db, asking.rows);
}

/**
 * With all that is needed, the longest due first. The keys are found first, by a query that is quickly planned: this one
 * takes some 2 ms to plan, several times a second, and mostly nothing is due.
 */
async function readByKey(db: Db, batches: { key: number }[]): Promise<DueBatch[]> {
  if (batches.length === 0) return [];
  const { rows } = await sql<DueBatch>`
    select ${COLUMNS}
    from batches b join batch_pacing p on p.batch_key = b.key ${TABLES}
    where b.key = any(${batches.map(({ key }) => key)}::bigint[])
    order by p.wake_at`.execute(db);
  return rows;
}

/** One batch without locks, for the board and the forecast. */
export async function readBatchForStep(db: Db, batch_key: number): Promise<DueBatch> {
  const { rows } = await sql<DueBatch>`
    select ${COLUMNS}
    from batches b left join batch_pacing p on p.batch_key = b.key ${TABLES}
    where b.key = ${batch_key}`.execute(db);
  return rows[0] as DueBatch;
}

/** A campaign as if it had a batch that is due, for what is done without one. */
export async function readCampaignAsBatch(db: Db, campaign_id: number): Promise<DueBatch> {
  const { rows } = await sql<DueBatch>`
    select ${COLUMNS}
    from (
      select 0::bigint as key, '' as batch_id, 'ACTIVE' as status, null::timestamptz as expires_on, null::integer as call_rate,
        false as auto_call_rate, null::integer as auto_call_rate_baseline, null::bigint as confirmed_people, sub_organization_id, id as campaign_id
      from campaigns where id = ${campaign_id}
    ) b
    cross join (select null::timestamptz as last_at, null::integer as auto_rate, null::timestamptz as rated_at, null::json as silent_steps) p ${TABLES}`.execute(
    db,
  );
  return rows[0] as DueBatch;
}

export const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** Its pace, as far as it is known without counting what is left. */
export const paceOf = (batch: DueBatch, now: Date): { rate: number; last_at: Date | null } => ({
  rate: rateOf(
    { hourly_rate: batch.campaign.hourly_rate, call_rate: batch.call_rate },
    batch.auto_call_rate ? batch.auto_rate : null,
  ),
  last_at: lastStart(timeOf(batch.last_at), now),
});
