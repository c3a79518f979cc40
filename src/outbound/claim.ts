import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Db, Tx } from "../db/database.ts";
import type { ClaimedAttempt } from "./attempt.ts";
import { statusAt } from "./batch-state.ts";
import {
  type Candidate,
  findSuppressed,
  lockCandidates,
  obstacleOf,
  passedOver,
  putOff,
  requestView,
} from "./candidates.ts";
import { chooseNext } from "./choose-next.ts";
import { type DueBatch, lockDueBatches, paceOf, timeOf } from "./due-batches.ts";
import { freshPlans } from "./fresh-plans.ts";
import { type LineLimits, type Lines, lockLines } from "./lines.ts";
import { type BatchStep, batchStep, type Day } from "./next-step.ts";
import { AUTO_RATE_ms, autoRate, interval_ms, openHours } from "./pacing.ts";
import { readTried } from "./per-person.ts";
import { type Skipped, skipRequests } from "./skip-requests.ts";
import { insertAttempts, newStart, type Start } from "./start-attempts.ts";

export type ClaimParts = {
  db: Db;
  clock: Clock;
  /** Names this process on the leases of what it claims. */
  owner: string;
  limits: LineLimits;
};

/** `looked`: batches that were looked at; as many as asked for means that more may be due. */
export type Claim = { attempts: ClaimedAttempt[]; looked: number };

/** No line was free, or the only request that waits is being changed: worth another look soon. */
const SOON_ms = 1_000;

/**
 * Decides about batches that are due and claims, of each, at most one request: its attempt is there, leased to this
 * process, when this resolves, and nobody has been called yet. One short transaction; its locks, in this order: pacing
 * and batches (those that others hold are left out), organizations, requests (likewise).
 */
export async function claimDue(parts: ClaimParts, most: number): Promise<Claim> {
  return parts.db.transaction().execute(async (tx) => {
    await freshPlans(tx);
    const batches = await lockDueBatches(tx, parts.clock.now(), most);
    if (batches.length === 0) return { attempts: [], looked: 0 };
    // Under the lock: the start of an attempt is never before the end of what had to be waited for.
    const now = parts.clock.now();
    const paced: Paced[] = [];
    for (const batch of batches) paced.push(await withRate(tx, batch, now));
    const plans = new Map<number, Plan>(
      paced.map((each) => [each.batch.batch_key, { ...each, wake_at: null, started: null }]),
    );
    // Most of what is due needs no lines, only another time to be looked at.
    const unbound = { source_paused_until: null, free_lines: { source: 1, organization: 1 } };
    const ready = paced.filter((each) => stepOf(each, unbound, now).kind === "start");
    for (const each of paced) if (!ready.includes(each)) sleep(plans, each, stepOf(each, unbound, now));
    const attempts = ready.length === 0 ? [] : await claimReady(tx, parts, ready, plans, now);
    await storePacing(tx, [...plans.values()]);
    return { attempts, looked: batches.length };
  });
}

type Paced = { batch: DueBatch; rate: number | null; last_at: Date | null; rated_at: Date | null };
type Plan = Paced & { wake_at: Date | null; started: Date | null };

function stepOf({ batch, rate, last_at }: Paced, around: ReturnType<Lines["around"]>, now: Date): BatchStep {
  const { campaign, timezone, sender } = batch;
  const status = campaign.deleted_at === null ? batch.status : "CANCELED";
  return batchStep(
    {
      status: statusAt({ status, expires_on: timeOf(batch.expires_on) }, now),
      source: timezone === null ? null : (sender?.address ?? null),
      hours: { schedule: campaign, zone: timezone ?? "UTC" },
      rate,
      last_at,
      ...around,
    },
    now,
  );
}

function sleep(
  plans: Map<number, Plan>,
  { batch }: Paced,
  step: BatchStep,
  fallback: Date | null = null,
): void {
  const plan = plans.get(batch.batch_key) as Plan;
  plan.wake_at = step.kind === "wait" ? (step.until ?? fallback) : null;
}

async function claimReady(
  tx: Tx,
  parts: ClaimParts,
  ready: Paced[],
  plans: Map<number, Plan>,
  now: Date,
): Promise<ClaimedAttempt[]> {
  const soon = new Date(now.getTime() + SOON_ms);
  const lines = await lockLines(
    tx,
    ready.map(({ batch }) => batch),
    parts.limits,
    now,
  );
  const open = ready.flatMap((each) => {
    const step = stepOf(each, lines.around(each.batch), now);
    if (step.kind === "start") return [{ ...each, days: step.days }];
    sleep(plans, each, step, soon);
    return [];
  });
  const batches = open.map(({ batch }) => batch);
  const { per_person = null } = parts.limits;
  const candidates = await lockCandidates(tx, open, per_person);
  const tried = await readTried(tx, per_person, addressesOf(batches, candidates), now);
  const blocked = await findSuppressed(tx, batches, candidates);
  const reached = await readDays(tx, open);
  const starts: Start[] = [];
  const skipped: Skipped[] = [];
  const late: Parameters<typeof putOff>[1] = [];
  const idle: Parameters<typeof passedOver>[1] = [];
  for (const each of open) {
    const { batch, days } = each;
    const plan = plans.get(batch.batch_key) as Plan;
    const step = stepOf(each, lines.around(batch), now);
    if (step.kind !== "start") {
      sleep(plans, each, step, soon);
      continue;
    }
    const mine = candidates.get(batch.batch_key) ?? [];
    const views = mine.map((candidate) =>
      requestView(
        candidate,
        batch.campaign.retry_count,
        obstacleOf(batch, candidate, blocked(batch, candidate.target)),
        tried.tooOften({ ...batch, target: candidate.target }),
      ),
    );
    const hours = { schedule: batch.campaign, zone: batch.timezone as string };
    const chosen = chooseNext(views, days, (date) => reached.get(dayName(batch, date)) ?? 0, hours, now);
    for (const { index, ...why } of chosen.skips) {
      skipped.push({ batch, candidate: mine[index] as Candidate, ...why });
    }
    for (const { index, until } of chosen.put_off) {
      const { request_id } = mine[index] as Candidate;
      late.push({ batch_key: batch.batch_key, request_id, due_at: until });
    }
    plan.wake_at =
      chosen.looks_soon && (chosen.look_at === null || chosen.look_at > soon) ? soon : chosen.look_at;
    if (chosen.start === null) {
      idle.push({ batch_key: batch.batch_key, seen: mine });
      continue;
    }
    const { index, counts_on } = chosen.start;
    const next = mine[index] as Candidate;
    starts.push(newStart(batch, next, counts_on, now));
    tried.add({ ...batch, target: next.target }, now);
    if (counts_on !== null) count(reached, dayName(batch, counts_on));
    lines.take(batch);
    plan.started = now;
    plan.wake_at = new Date(now.getTime() + interval_ms(plan.rate as number));
  }
  for (const batch_key of await passedOver(tx, idle)) {
    const plan = plans.get(batch_key) as Plan;
    if (plan.wake_at === null || plan.wake_at > soon) plan.wake_at = soon;
  }
  await skipRequests(tx, skipped, now);
  await putOff(tx, late);
  return insertAttempts(tx, parts.owner, starts, now);
}

const addressesOf = (batches: DueBatch[], candidates: Map<number, Candidate[]>) =>
  batches.flatMap(({ batch_key, sub_organization_id }) =>
    (candidates.get(batch_key) ?? []).map(({ target }) => ({ sub_organization_id, target })),
  );

/** An auto rate holds for some minutes; then it is worked out from what is left. */
async function withRate(tx: Tx, batch: DueBatch, now: Date): Promise<Paced> {
  const known = { batch, ...paceOf(batch, now), rated_at: timeOf(batch.rated_at) };
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
  // Nothing is left: whatever the rate, nobody is called by it.
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

const dayName = ({ campaign }: DueBatch, date: string): string => `${campaign.id} ${date}`;
const count = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);

/** First attempts of campaigns on the days that are open, as of the organizations' lock. */
async function readDays(tx: Tx, open: { batch: DueBatch; days: Day[] }[]): Promise<Map<string, number>> {
  const wanted = open.flatMap(({ batch, days }) =>
    days.map(({ date }) => ({ campaign_id: batch.campaign.id, day: date })),
  );
  const { rows } = await sql<{ campaign_id: number; day: string; n: number }>`
    select distinct d.campaign_id, d.day::text as day, d.first_attempts as n
    from campaign_days d
    join json_to_recordset(${JSON.stringify(wanted)}::json) as w (campaign_id bigint, day date) using (campaign_id, day)
  `.execute(tx);
  return new Map(rows.map(({ campaign_id, day, n }) => [`${campaign_id} ${day}`, n]));
}

/** When each batch is looked at next. Its row is locked since `lockDueBatches`. */
async function storePacing(tx: Tx, plans: Plan[]): Promise<void> {
  const rows = plans.map(({ batch, wake_at, started, last_at, rate, rated_at }) => ({
    batch_key: batch.batch_key,
    wake_at,
    last_at: started ?? last_at,
    auto_rate: batch.auto_call_rate && rated_at !== null ? rate : null,
    rated_at,
  }));
  await sql`
    update batch_pacing p set wake_at = n.wake_at, last_at = n.last_at, auto_rate = n.auto_rate, rated_at = n.rated_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (batch_key bigint, wake_at timestamptz,
      last_at timestamptz, auto_rate double precision, rated_at timestamptz)
    where p.batch_key = n.batch_key`.execute(tx);
}
