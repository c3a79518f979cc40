import { sql } from "kysely";
import type { CarrierPrices } from "../base/prices/carrier-prices.ts";
import { cutTo } from "../base/storable.ts";
import { tellWebhooks } from "../batches/status-change.ts";
import { isWaiting } from "../channels/request-status.ts";
import type { Db, Tx } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import { publish } from "../events/event.ts";
import { giveBackUses } from "../number-groups/number-uses.ts";
import type { CadencePerson, CadenceStep } from "../planning/cadences/cadence.ts";
import { isTakenBack } from "../planning/settle.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { beginDialing } from "./begin-dialing.ts";
import { holdCountries } from "./country-hold.ts";
import { BETTER_HOURS, preferenceOf, type StoredPreference } from "./hour-preference.ts";
import { wakeAt } from "./look-again.ts";
import { addOutreachFees } from "./outreach-fees.ts";
import { BY_OUTCOME, earlierAttempts, readCallBacks } from "./read-earlier.ts";
import { type AttemptRow, type BatchContext, hasOthers, idOf, type RequestRow } from "./settled-rows.ts";
import { Settlement } from "./settlement.ts";
import { silenceSteps } from "./silence-steps.ts";
import { recordOutcomes } from "./source-health.ts";

/**
 * Settles events of any number of attempts: attempt, request, counts, event, webhooks, the source's health and the time
 * of the retry, all in one transaction. An event that changes no status is ignored, so it may arrive twice.
 *
 * Locks, always in this order: batches (shared, so that none is deleted or expires meanwhile), attempts and their
 * requests by key, pacing, days, uses of numbers, sources, countries, spending. Returns how many attempts ended.
 */
export async function settleAttempts(
  db: Db,
  events: readonly AttemptEvent[],
  now: Date,
  prices: CarrierPrices = {},
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await beginDialing(tx);
    const keys = [...new Set(events.map(({ key }) => key))];
    const { attempts, requests, batches } = await lockRows(tx, keys);
    const placed = new Set(
      [...attempts.values()].flatMap((row) => (row.placed_at === null ? [] : [row.key])),
    );
    const settlement = new Settlement(now, attempts, requests, batches);
    for (const each of events) settlement.take(each);
    await store(tx, settlement, now);
    await addOutreachFees(tx, prices, placed, [...settlement.changed.attempts], now);
    return settlement.changed.ended;
  });
}

/**
 * Reads `attempts_pkey`, then the primary keys of the rest. `materialized` and `FOR_EACH` keep it so: joined the other
 * way round, all attempts of a batch and of its campaign were read each time.
 */
async function lockRows(tx: Tx, keys: string[]) {
  await sql`
    with known as materialized (select distinct batch_key from attempts where key = any(${keys}::text[]))
    select key from batches where key in (select batch_key from known) order by key for share`.execute(tx);
  const { rows } = await sql<
    Omit<AttemptRow, "was_reached_before" | "is_tried_elsewhere" | "call_back_at" | "earlier"> &
      Omit<BatchContext, "cadence" | "preference"> & {
        better_hours: StoredPreference | null;
        request: RequestRow;
        steps: CadenceStep[] | null;
        person: CadencePerson;
      }
  >`
    select a.*, case a.mode when 'whatsapp' then 'sms' else a.mode end as mode, a.counted_on::text as counted_on, a.number_day::text as number_day, b.batch_id, b.status as batch_status, b.expires_on, c.retry_count, c.retry_interval,
      ${BY_OUTCOME} as by_outcome, ${BETTER_HOURS} as better_hours, c.cadence -> 'steps' as steps,
      case when c.cadence is not null then json_build_object('target', r.target, 'variables', r.request_variables) end as person,
      a.mode = 'voice' and a.session_id is not null and exists (
        select from session_tool_calls t
        where t.session_id = a.session_id and t.tool_name = 'leave_voicemail' and t.error is null
      ) as voicemail_left,
      a.mode = 'voice' and a.session_id is not null and exists (
        select from session_messages m
        where m.session_id = a.session_id and m.role = 'agent' and m.text <> ''
      ) as has_spoken,
      json_build_object('batch_key', r.batch_key, 'request_id', r.id, 'request_status', r.request_status,
        'channel_status', r.channel_manager_status, 'attempt_count', r.attempt_count, 'refusals', r.refusals,
        'call_back_after', r.call_back_after,
        'due_at', r.due_at, 'sent_at', r.sent_at, 'sid', r.channel_manager_sid, 'session_id', r.session_id,
        'conversation_id', r.conversation_id, 'answered_by', r.answered_by, 'voicemail_left', r.voicemail_left,
        'step', r.step, 'step_target', r.step_target, 'step_log', r.step_log) as request
    from attempts a
    join requests r on r.batch_key = a.batch_key and r.id = a.request_id
    cross join lateral (select * from batches where key = a.batch_key ${FOR_EACH}) b
    cross join lateral (select * from campaigns where id = a.campaign_id ${FOR_EACH}) c
    where a.key = any(${keys}::text[])
    order by a.key
    for update of a, r`.execute(tx);
  const requests = new Map<string, RequestRow>();
  for (const { request } of rows) {
    const id = idOf(request);
    if (!requests.has(id)) requests.set(id, request);
  }
  const retries = rows.filter((row) => hasOthers(row, row.request));
  const call_backs = await readCallBacks(tx, rows);
  const earlier = await earlierAttempts(tx, retries);
  const reached = await reachedBefore(tx, retries);
  const elsewhere = await triedElsewhere(tx, rows.filter(isTakenBack));
  const known = rows.map(({ steps, person, better_hours, ...row }) => ({
    ...row,
    preference: preferenceOf(better_hours, row.expires_on),
    cadence: steps === null ? null : { steps, person },
    call_back_at: call_backs.get(row.key) ?? null,
    earlier: earlier.get(row.key) ?? [],
    was_reached_before: reached.has(row.key),
    is_tried_elsewhere: elsewhere.has(row.key),
  }));
  return {
    attempts: new Map(known.map((row) => [row.key, row as AttemptRow])),
    requests,
    batches: new Map(known.map((row) => [row.key, row as BatchContext])),
  };
}

/**
 * Attempts whose person another attempt of the same batch reached, since they asked for a call if they did. A statement of its own, so that it sees what was
 * committed while this transaction waited for the locks of the requests. Index: `attempts_reference`.
 */
async function reachedBefore(
  tx: Tx,
  among: { key: string; steps: unknown; request: Pick<RequestRow, "call_back_after"> }[],
): Promise<Set<string>> {
  if (among.length === 0) return new Set();
  const given = among.map(({ key, steps, request }) => ({
    key,
    after: request.call_back_after ?? 0,
    in_cadence: steps !== null,
  }));
  const { rows } = await sql<{ key: string }>`
    select a.key
    from json_to_recordset(${JSON.stringify(given)}::json) as w (key text, after integer, in_cadence boolean)
    join attempts a on a.key = w.key
    where exists (
      select from attempts e
      where e.campaign_id = a.campaign_id and e.reference_id = a.reference_id and e.key <> a.key
        and e.attempt_number > w.after and e.batch_key = a.batch_key and e.channel_status in ('COMPLETED', 'DELIVERED')
        -- A text of a cadence that was delivered is one of its steps, and no conversation.
        and (e.channel_status = 'COMPLETED' or not w.in_cadence)
        and e.answerer is distinct from 'MACHINE'
      ${FOR_EACH})`.execute(tx);
  return new Set(rows.map(({ key }) => key));
}

/**
 * Attempts whose reference or address has another live attempt. Indexes: `attempts_live_reference`,
 * `attempts_live_address`.
 */
async function triedElsewhere(tx: Tx, among: { key: string }[]): Promise<Set<string>> {
  if (among.length === 0) return new Set();
  const keys = among.map(({ key }) => key);
  const { rows } = await sql<{ key: string }>`
    select a.key from attempts a
    where a.key = any(${keys}::text[]) and (
      exists (
        select from attempts e
        where e.campaign_id = a.campaign_id and e.reference_id = a.reference_id and e.key <> a.key
          and e.state <> 'ENDED')
      or exists (
        select from attempts e
        where e.organization_id = a.organization_id and e.target = a.target and e.key <> a.key
          and e.holds_slot))`.execute(tx);
  return new Set(rows.map(({ key }) => key));
}

async function store(tx: Tx, { changed }: Settlement, now: Date): Promise<void> {
  await storeAttempts(tx, [...changed.attempts]);
  await storeRequests(tx, [...changed.requests]);
  for (const [sub_organization_id, events] of changed.events) await publish(tx, sub_organization_id, events);
  await tellWebhooks(tx, changed.status_changes);
  await wakeAt(
    tx,
    [...changed.requests].flatMap(({ batch_key, request_status, due_at }) =>
      isWaiting(request_status) && due_at !== null ? [{ batch_key, at: due_at }] : [],
    ),
  );
  await silenceSteps(tx, changed.silent_steps, now);
  await giveBackDays(tx, changed.given_back);
  await giveBackUses(tx, changed.given_back_numbers);
  await recordOutcomes(tx, changed.outcomes, now);
  await holdCountries(tx, changed.refused_countries, now);
}

/** By primary key. */
async function storeAttempts(tx: Tx, rows: AttemptRow[]): Promise<void> {
  if (rows.length === 0) return;
  const given = rows.map((row) => ({
    key: row.key,
    attempt_number: row.attempt_number,
    state: row.state,
    channel_status: row.channel_status,
    answerer: row.answerer,
    provider_status: row.provider_status && cutTo(row.provider_status, 500),
    error_code: row.error_code,
    sid: row.sid,
    session_id: row.session_id,
    conversation_id: row.conversation_id,
    placed_at: row.placed_at,
    ended_at: row.ended_at,
    check_at: row.check_at,
    checks: row.checks,
    holds_slot: row.holds_slot,
    decision: row.decision,
    handed_over_by: row.handed_over_by,
    counted_on: row.counted_on,
    number_day: row.number_day,
  }));
  await sql`
    update attempts a set attempt_number = n.attempt_number, state = n.state, channel_status = n.channel_status,
      answerer = n.answerer, provider_status = n.provider_status, error_code = n.error_code, sid = n.sid, session_id = n.session_id,
      conversation_id = n.conversation_id, placed_at = n.placed_at, ended_at = n.ended_at, check_at = n.check_at,
      checks = n.checks, holds_slot = n.holds_slot, decision = n.decision, handed_over_by = n.handed_over_by,
      counted_on = n.counted_on, number_day = n.number_day
    from json_populate_recordset(null::attempts, ${JSON.stringify(given)}::json) as n
    where a.key = n.key`.execute(tx);
}

/** Only for attempts that the carrier refused because of us. Locked after pacing, in the order that claims use. */
async function giveBackDays(tx: Tx, days: { campaign_id: number; day: string }[]): Promise<void> {
  if (days.length === 0) return;
  await sql`
    with given as (
      select campaign_id, day, count(*) as n
      from json_populate_recordset(null::campaign_days, ${JSON.stringify(days)}::json) group by 1, 2
    ),
    locked as (
      select d.campaign_id, d.day, given.n from campaign_days d join given using (campaign_id, day)
      order by d.campaign_id, d.day for update of d
    )
    update campaign_days d set first_attempts = d.first_attempts - locked.n
    from locked where d.campaign_id = locked.campaign_id and d.day = locked.day`.execute(tx);
}

/** By primary key; the table's trigger updates the counts. */
async function storeRequests(tx: Tx, rows: RequestRow[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update requests r set request_status = n.request_status, channel_manager_status = n.channel_status,
      attempt_count = n.attempt_count, refusals = n.refusals, call_back_after = n.call_back_after, due_at = n.due_at, sent_at = n.sent_at,
      channel_manager_sid = n.sid, session_id = n.session_id, conversation_id = n.conversation_id,
      answered_by = n.answered_by, voicemail_left = n.voicemail_left,
      step = n.step, step_target = n.step_target, step_log = n.step_log
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (
      batch_key bigint, request_id bigint, request_status text, channel_status text, attempt_count integer,
      refusals integer, call_back_after integer, due_at timestamptz, sent_at timestamptz, sid text, session_id bigint, conversation_id bigint,
      answered_by text, voicemail_left boolean, step smallint, step_target text, step_log json
    )
    where r.batch_key = n.batch_key and r.id = n.request_id`.execute(tx);
}
