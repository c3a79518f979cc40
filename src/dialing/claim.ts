import { sql } from "kysely";
import pg from "pg";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import type { ClaimedAttempt } from "../planning/attempt.ts";
import { statusAt } from "../planning/batch-state.ts";
import { AUTO_RATE_ms, autoRate, interval_ms, openHours } from "../planning/pacing.ts";
import { type Contender, placeOrder } from "../planning/places/place-order.ts";
import { type BatchStep, batchStep, type DayCap, isShortOfPlaces } from "../planning/steps/batch-step.ts";
import { silenceOf } from "../planning/steps/silent-step.ts";
import { beginDialing } from "./begin-dialing.ts";
import { laneName, lanesOf } from "./cadences/lanes.ts";
import { skipSteps } from "./cadences/skip-steps.ts";
import { passedOver, putOff } from "./candidates.ts";
import { type ClaimPlan, decideClaim, earlier, type Open, soonAfter } from "./decide-claim.ts";
import { type DueBatch, dueBatchKeys, lockDueBatches, paceOf, postponeBatch, timeOf } from "./due-batches.ts";
import { readKnown } from "./known/read-known.ts";
import { type LineLimits, lockLines } from "./lines.ts";
import { ClaimNumbers } from "./numbers/claim-numbers.ts";
import { type AbsentContender, PlaceQueue } from "./places/place-queue.ts";
import { skipRequests } from "./skip-requests.ts";
import { insertAttempts } from "./start-attempts.ts";

type ClaimParts = {
  db: Db;
  clock: Clock;
  log: Log;
  /** The owner of the leases of what this process claims. */
  owner: string;
  limits: LineLimits;
  destinations: DestinationRules;
};

/** `looked`: batches that were examined; when it reaches the limit, more may be due. */
type AttemptClaim = { attempts: ClaimedAttempt[]; looked: number };

/** A batch that can't be decided is examined again after this time. */
const UNDECIDED_ms = 60_000;

/**
 * Examines batches that are due and claims at most one request of each. Where that fails because of what one of them has,
 * each is examined by itself, so that no organization's list stops the campaigns of the others.
 */
export async function claimDue(parts: ClaimParts, most: number): Promise<AttemptClaim> {
  try {
    return await claimSome(parts, most);
  } catch (error) {
    if (!isOfRows(error)) throw error;
  }
  const due = await dueBatchKeys(parts.db, parts.clock.now(), most);
  const attempts: ClaimedAttempt[] = [];
  for (const batch_key of due) {
    try {
      attempts.push(...(await claimSome(parts, 1, batch_key)).attempts);
    } catch (error) {
      // What was claimed before is handed over first; the next claim meets the error again.
      if (!isOfRows(error)) break;
      parts.log.error({ error: errorText(error), batch_key }, "a batch can't be decided and is put off");
      await postponeBatch(parts.db, batch_key, new Date(parts.clock.now().getTime() + UNDECIDED_ms));
    }
  }
  return { attempts, looked: due.length };
}

/** PostgreSQL's class 22: data that a type can't hold; 23502 and 23514: a null or a value that a column doesn't take. */
const isOfRows = (error: unknown): boolean =>
  error instanceof pg.DatabaseError
    ? /^(22|23502$|23514$)/.test(error.code ?? "")
    : error instanceof RangeError || error instanceof TypeError;

/**
 * When this resolves, the attempts are stored and leased to this process, and no carrier has been called. One short
 * transaction with locks in this order: pacing and batches (skipping locked ones), organizations, requests (skipping locked
 * ones), waits for places.
 */
function claimSome(parts: ClaimParts, most: number, only: number | null = null): Promise<AttemptClaim> {
  return parts.db.transaction().execute(async (tx) => {
    await beginDialing(tx);
    const batches = await lockDueBatches(tx, parts.clock.now(), most, only);
    if (batches.length === 0) return { attempts: [], looked: 0 };
    // Read under the lock, so that an attempt never starts before the transaction that it waited for ended.
    const now = parts.clock.now();
    const plans: ClaimPlan[] = [];
    for (const batch of batches) {
      const plan = await planOf(tx, batch, now);
      plans.push(...lanesOf(batch).map((lane) => ({ ...plan, batch: lane })));
    }
    // Most due batches start nothing, so they need a new wake time but no lines.
    const ready = plans.filter((plan) => openDays(plan, LINES_FREE, now, laterFor(plan, now)) !== null);
    const attempts = ready.length === 0 ? [] : await claimReady(tx, parts, plans, ready, now);
    await storePacing(tx, plans);
    return { attempts, looked: batches.length };
  });
}

/** What a step is sent from may get an agent at any time, which wakes no batch. */
const STEP_LOOK_ms = 60_000;
const laterFor = ({ batch: { step } }: ClaimPlan, now: Date): Date | null =>
  step === 0 ? null : new Date(now.getTime() + STEP_LOOK_ms);

/** Batches of a stopped organization are woken when outreach is resumed; this is for one that was missed then. */
const STOPPED_ms = 30_000;

type Capacity = ReturnType<ClaimNumbers["capacity"]>;
const LINES_FREE: Capacity = {
  source_paused_until: null,
  source_refusal: null,
  stopped: null,
  free_lines: { source: 1, organization: 1 },
  campaign_limit: null,
  agent_limit: null,
  numbers: null,
};

/** The days whose window allows an attempt now. Null: none is allowed, and the plan has the next wake time. */
function openDays(plan: ClaimPlan, capacity: Capacity, now: Date, fallback: Date | null): DayCap[] | null {
  return daysOrWait(plan, stepOf(plan, capacity, now), fallback);
}

function daysOrWait(plan: ClaimPlan, step: BatchStep, fallback: Date | null): DayCap[] | null {
  if (step.kind === "start") return step.days;
  plan.wake_at = step.kind === "wait" ? (step.until ?? fallback) : null;
  return null;
}

function stepOf({ batch, rate, last_at }: ClaimPlan, capacity: Capacity, now: Date): BatchStep {
  const { campaign, timezone, sender, spending, confirmation } = batch;
  const status = campaign.deleted_at === null ? batch.status : "CANCELED";
  return batchStep(
    {
      status: statusAt({ status, expires_on: timeOf(batch.expires_on) }, now),
      source: timezone === null ? null : (sender?.address ?? null),
      hours: { schedule: campaign, zone: timezone ?? "UTC" },
      rate,
      last_at,
      spending,
      confirmation,
      silent: silenceOf(batch),
      ...capacity,
    },
    now,
  );
}

/** Needs the locks of the batches. Locks lines and requests, decides which to start, and stores the decision. */
async function claimReady(
  tx: Tx,
  parts: ClaimParts,
  plans: ClaimPlan[],
  ready: ClaimPlan[],
  now: Date,
): Promise<ClaimedAttempt[]> {
  const batches = ready.map(({ batch }) => batch);
  const lines = await lockLines(tx, batches, parts.limits, now);
  const numbers = await ClaimNumbers.read(tx, batches, lines, now);
  const looked = plans.map(({ batch }) => batch);
  const queue = await PlaceQueue.read(tx, batches, looked, now);
  const soon = soonAfter(now);
  const daysOf = (plan: ClaimPlan) => {
    const capacity = numbers.capacity(plan.batch);
    const step = stepOf(plan, capacity, now);
    const isShort = isShortOfPlaces(step, capacity);
    queue.note(plan.batch, isShort);
    const stopped_until = capacity.stopped === null ? null : new Date(now.getTime() + STOPPED_ms);
    return daysOrWait(plan, step, stopped_until ?? (isShort ? soon : (laterFor(plan, now) ?? soon)));
  };
  const open = ready.flatMap((plan): Open[] => {
    const days = daysOf(plan);
    return days === null ? [] : [{ plan, batch: plan.batch, days }];
  });
  const pass = async (some: Open[], absent: AbsentContender[], firsts: number) => {
    const known = await readKnown(tx, parts, numbers, some, now, firsts);
    const contenders = some.map((each) => ({ ...each, ...contenderOf(each.batch, queue) }));
    const decided = decideClaim(
      placeOrder([...contenders, ...absent], now),
      known,
      (plan) => daysOf(plan) !== null,
      now,
    );
    await skipRequests(tx, await skipSteps(tx, decided.skipped, now), now);
    await putOff(tx, decided.put_off);
    return {
      ...decided,
      attempts: await insertAttempts(tx, parts.owner, decided.starts, known.persons, now),
    };
  };
  const first = await pass(open, queue.absent, 1);
  // Few people are held back; where the next one of a batch is, those behind are read, and only there.
  const held = new Set(first.put_off.map(({ lane }) => lane));
  const startedNobody = new Set(
    first.idle.map(({ batch }) => laneName(batch)).filter((lane) => held.has(lane)),
  );
  const isAgain = ({ batch }: { batch: DueBatch }) => startedNobody.has(laneName(batch));
  const again = open.filter(isAgain);
  const second = again.length === 0 ? null : await pass(again, [], BEHIND_HELD);
  const idle = [...first.idle.filter((each) => !isAgain(each)), ...(second?.idle ?? [])];
  const waiting = await passedOver(tx, idle);
  for (const { plan, batch } of idle)
    if (waiting.has(laneName(batch))) plan.wake_at = earlier(plan.wake_at, soon);
  await queue.store(
    tx,
    ready.flatMap(({ batch, pace }) => (pace.started === null ? [] : [batch])),
  );
  return [...first.attempts, ...(second?.attempts ?? [])];
}

const contenderOf = (batch: DueBatch, queue: PlaceQueue): Contender => ({
  campaign_id: batch.campaign.id,
  batch_key: batch.batch_key,
  priority: batch.campaign.priority,
  since: queue.since(batch),
});

/** How many are read behind one that a limit per person, their own clock or a blocked country holds back. */
const BEHIND_HELD = 40;

/** An automatic rate is valid for some minutes, then computed again from the requests that remain. */
async function planOf(tx: Tx, batch: DueBatch, now: Date): Promise<ClaimPlan> {
  const nothing = { wake_at: null, pace: { started: null } };
  const known = { batch, ...paceOf(batch, now), rated_at: timeOf(batch.rated_at), ...nothing };
  const expires_on = timeOf(batch.expires_on);
  if (!batch.auto_call_rate || expires_on === null || batch.timezone === null) return known;
  const age_ms =
    known.rated_at === null ? Number.POSITIVE_INFINITY : now.getTime() - known.rated_at.getTime();
  if (batch.auto_rate !== null && age_ms >= 0 && age_ms < AUTO_RATE_ms) return known;
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(n), 0) as n from request_counts
    where batch_key = ${batch.batch_key} and request_status = 'PENDING'`.execute(tx);
  const found = autoRate({
    requests: rows[0]?.n ?? 0,
    open_hours: openHours(batch.campaign, batch.timezone, now, expires_on),
    baseline: batch.auto_call_rate_baseline,
  });
  // No request remains, so the rate does not matter.
  if (found === null) return { ...known, rate: (rows[0]?.n ?? 0) === 0 ? known.rate : null };
  if (batch.auto_call_rate_baseline === null) {
    await tx
      .updateTable("batches")
      .set({ auto_call_rate_baseline: found.baseline })
      .where("key", "=", batch.batch_key)
      .execute();
  }
  return { ...known, rate: found.rate, rated_at: now };
}

/** Stores each batch's next wake time. Its row has been locked since `lockDueBatches`. */
async function storePacing(tx: Tx, plans: ClaimPlan[]): Promise<void> {
  const lanes = Map.groupBy(plans, ({ batch }) => batch.batch_key);
  const rows = [...lanes.values()].map((some) => {
    const { batch, pace, last_at, rate, rated_at } = some[0] as ClaimPlan;
    return {
      batch_key: batch.batch_key,
      wake_at:
        pace.started !== null && rate !== null
          ? new Date(pace.started.getTime() + interval_ms(rate))
          : some.reduce<Date | null>(
              (at, { wake_at }) => (wake_at === null ? at : earlier(at, wake_at)),
              null,
            ),
      last_at: pace.started ?? last_at,
      auto_rate: batch.auto_call_rate && rated_at !== null ? rate : null,
      rated_at,
    };
  });
  await sql`
    update batch_pacing p set wake_at = n.wake_at, last_at = n.last_at, auto_rate = n.auto_rate, rated_at = n.rated_at
    from json_populate_recordset(null::batch_pacing, ${JSON.stringify(rows)}::json) as n
    where p.batch_key = n.batch_key`.execute(tx);
}
