import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import {
  placeText,
  type RequestPlace,
  type RequestSelection,
  selectRequests,
} from "../batches/request-selection.ts";
import { tellWebhooks } from "../batches/status-change.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { readReachIssues } from "../consent/reach-check.ts";
import type { Db, Tx } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { isDialled, statusAt } from "../planning/batch-state.ts";
import { type ReopenRefusal, type ReopenView, reopenRefusal } from "../planning/reopen.ts";
import { beginDialing } from "./begin-dialing.ts";
import { type DueBatch, reachQuestion, readBatchForStep, timeOf } from "./due-batches.ts";
import { wakeAt } from "./look-again.ts";

/** Requests of one call; 10,000 take about two seconds. */
export const MOST_RETRIED = 10_000;

export type RetryPlan = {
  at: Date;
  selected: number;
  retried: ReopenedRequest[];
  not_retried: Map<ReopenRefusal, number>;
  next: string | null;
};

type ReopenedRequest = {
  batch_key: number;
  request_id: number;
  reference_id: string;
  target: string;
  attempt_count: number;
  channel_status: ChannelStatus;
  batch_id: string;
};

type RetryCandidate = ReopenedRequest &
  Omit<ReopenView, "batch_goes_on" | "is_busy" | "is_blocked" | "has_changed"> & {
    is_live: boolean;
    changed_at: string | null;
  };

type Asked = {
  campaign_id: number;
  selection: RequestSelection;
  from: RequestPlace | null;
  /** What happened to a request after this keeps it from being tried again; null: nothing does. */
  as_of: Date | null;
};

/**
 * What a retry would do now. Reads without locks: what is decided here is decided again by {@link retryRequests}.
 */
export async function planRetry(db: Db, clock: Clock, asked: Asked): Promise<RetryPlan> {
  const now = clock.now();
  const { places, next } = await selectPlaces(db, asked, now);
  const found = await readRequests(db, asked.campaign_id, places, "unlocked");
  return decide(db, asked, { places, next, found }, now);
}

/**
 * Opens requests that are over once more, in one transaction: they wait as if a retry that was planned is due, so all rules
 * of the dialer hold for them as for any other. Locks in the order of a settlement: batches (shared), requests, pacing.
 * Requests that another transaction has locked are left out, which prevents deadlocks: they are under way.
 */
export async function retryRequests(tx: Tx, caller: Caller, clock: Clock, asked: Asked): Promise<RetryPlan> {
  await beginDialing(tx);
  const { places, next } = await selectPlaces(tx, asked, clock.now());
  const keys = [...new Set(places.map(({ batch_key }) => batch_key))];
  await sql`select key from batches where key = any(${keys}::bigint[]) order by key for share`.execute(tx);
  const found = await readRequests(tx, asked.campaign_id, places, "locked");
  // Under the locks, so that a request that another call opened meanwhile is seen as it is now.
  const now = clock.now();
  const plan = await decide(tx, asked, { places, next, found }, now);
  await reopen(tx, caller, asked.campaign_id, plan.retried, now);
  return plan;
}

async function selectPlaces(db: Db, { campaign_id, selection, from }: Asked, now: Date) {
  const { rows } = await selectRequests<RequestPlace>(selection, {
    campaign_id,
    columns: sql`r.batch_key, r.id as request_id`,
    most: MOST_RETRIED + 1,
    now,
    from,
  }).execute(db);
  const places = rows.slice(0, MOST_RETRIED);
  const last = places.at(-1);
  return { places, next: rows.length > MOST_RETRIED && last ? placeText(last) : null };
}

/** By primary key; then `attempts_reference`, `attempts_live_reference` and `attempts_live_address` for each. */
async function readRequests(
  db: Db,
  campaign_id: number,
  places: RequestPlace[],
  how: "locked" | "unlocked",
): Promise<RetryCandidate[]> {
  if (places.length === 0) return [];
  const lock = how === "locked" ? sql`for no key update of r skip locked` : sql``;
  // Locked first, by a statement of its own: the attempts are then read as of after the locks.
  await sql`
    select r.id from requests r
    join json_to_recordset(${JSON.stringify(places)}::json) as w (batch_key bigint, request_id bigint)
      on r.batch_key = w.batch_key and r.id = w.request_id ${lock}`.execute(db);
  const { rows } = await sql<RetryCandidate>`
    select r.batch_key, r.id as request_id, r.reference_id, r.target, r.attempt_count, b.batch_id,
      r.channel_manager_status as channel_status, r.request_status, r.answered_by, r.voicemail_left, r.talked,
      live.is_live, tried.is_reached_elsewhere,
      greatest(tried.last_at, (r.skip_reason ->> 'at')::timestamptz) as changed_at
    from json_to_recordset(${JSON.stringify(places)}::json) as w (batch_key bigint, request_id bigint)
    join batches b on b.key = w.batch_key
    join sub_organizations o on o.id = b.sub_organization_id
    join requests r on r.batch_key = w.batch_key and r.id = w.request_id
    cross join lateral (
      select coalesce(bool_or(a.channel_status in ('COMPLETED', 'DELIVERED') and a.answerer is distinct from 'MACHINE'
          and not (a.batch_key = r.batch_key and a.request_id = r.id)), false) as is_reached_elsewhere,
        max(coalesce(a.ended_at, a.started_at)) filter (where a.batch_key = r.batch_key and a.request_id = r.id)
          as last_at
      from attempts a where a.campaign_id = ${campaign_id} and a.reference_id = r.reference_id ${FOR_EACH}
    ) tried
    cross join lateral (
      select exists (
          select from attempts a
          where a.campaign_id = ${campaign_id} and a.reference_id = r.reference_id and a.state <> 'ENDED')
        or exists (
          select from attempts a
          where a.organization_id = o.organization_id and a.target = r.target collate "default" and a.holds_slot) as is_live
    ) live
    order by r.batch_key, r.id ${how === "locked" ? sql`for no key update of r skip locked` : sql``}`.execute(
    db,
  );
  return rows;
}

async function decide(
  db: Db,
  { as_of }: Asked,
  { places, next, found }: { places: RequestPlace[]; next: string | null; found: RetryCandidate[] },
  now: Date,
): Promise<RetryPlan> {
  const batches = new Map<number, DueBatch>();
  for (const key of new Set(found.map(({ batch_key }) => batch_key)))
    batches.set(key, await readBatchForStep(db, key));
  const batchOf = ({ batch_key }: RetryCandidate) => batches.get(batch_key) as DueBatch;
  const issues = await readReachIssues(
    db,
    found.map((request) => reachQuestion(batchOf(request), request.target)),
  );
  const plan: RetryPlan = { at: now, selected: places.length, retried: [], not_retried: new Map(), next };
  const refuse = (reason: ReopenRefusal, count = 1) =>
    plan.not_retried.set(reason, (plan.not_retried.get(reason) ?? 0) + count);
  if (found.length < places.length) refuse("under-way", places.length - found.length);
  for (const [index, request] of found.entries()) {
    const { is_live, changed_at, ...view } = request;
    const refusal = reopenRefusal({
      ...view,
      batch_goes_on: goesOn(batchOf(request), now),
      is_busy: is_live,
      is_blocked: issues[index] !== null,
      has_changed: as_of !== null && changed_at !== null && new Date(changed_at) > as_of,
    });
    if (refusal === null) plan.retried.push(request);
    else refuse(refusal);
  }
  return plan;
}

/** A paused batch goes on some day; its requests wait until then. */
function goesOn({ status, expires_on, campaign }: DueBatch, now: Date): boolean {
  if (campaign.deleted_at !== null) return false;
  const current = statusAt({ status, expires_on: timeOf(expires_on) }, now);
  return isDialled(current) || current === "PAUSED";
}

/**
 * A request that was skipped before its first attempt becomes PENDING; all others keep the status of their last attempt.
 * The count of a carrier's refusals is reset, because ten of them in a row may be why the request ended.
 */
async function reopen(
  tx: Tx,
  caller: Caller,
  campaign_id: number,
  requests: ReopenedRequest[],
  now: Date,
): Promise<void> {
  if (requests.length === 0) return;
  const at = now.toISOString();
  const { rows } = await sql<{ request_id: number; channel_status: ChannelStatus }>`
    update requests r set request_status = 'PENDING', due_at = ${at}::timestamptz, skip_reason = null,
      refusals = case when r.attempt_count > 0 then 0 else r.refusals end, answered_by = null, voicemail_left = null,
      channel_manager_status = case when r.request_status = 'SKIPPED' then 'PENDING' else r.channel_manager_status end
    from json_to_recordset(${JSON.stringify(requests)}::json) as n (batch_key bigint, request_id bigint)
    where r.batch_key = n.batch_key and r.id = n.request_id
    returning r.id as request_id, r.channel_manager_status as channel_status`.execute(tx);
  const statuses = new Map(rows.map(({ request_id, channel_status }) => [request_id, channel_status]));
  await publish(
    tx,
    caller.sub_organization_id,
    requests.map((request): NewEvent => reopenedEvent(request, campaign_id, caller.email, now)),
  );
  await tellWebhooks(
    tx,
    requests
      .filter(({ request_id, channel_status }) => statuses.get(request_id) !== channel_status)
      .map(({ batch_key, request_id, attempt_count, channel_status }) => ({
        sub_organization_id: caller.sub_organization_id,
        campaign_id,
        batch_key,
        request_id,
        attempt_count,
        previous: channel_status,
        status: "PENDING",
        request_status: "PENDING",
        at: now,
        provider_status: null,
      })),
  );
  await wakeAt(
    tx,
    [...new Set(requests.map(({ batch_key }) => batch_key))].map((batch_key) => ({ batch_key, at })),
  );
}

const reopenedEvent = (request: ReopenedRequest, campaign_id: number, by: string, at: Date): NewEvent => ({
  at,
  source: "api",
  source_id: null,
  category: "outbound",
  type: "request-reopened",
  description: `Request "${request.reference_id}" of batch "${request.batch_id}" is tried again: ${by}`,
  user_id: request.target,
  attributes: { campaign_id, batch_id: request.batch_id, reference_id: request.reference_id, by },
});
