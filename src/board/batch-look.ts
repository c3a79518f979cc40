import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { laneOf } from "../dialing/cadences/lanes.ts";
import { type DueBatch, paceOf, readBatchForStep, timeOf } from "../dialing/due-batches.ts";
import { type LineLimits, type Lines, readLines } from "../dialing/lines.ts";
import { ClaimNumbers } from "../dialing/numbers/claim-numbers.ts";
import { statusAt } from "../planning/batch-state.ts";
import { openDays } from "../planning/schedule.ts";
import { type BatchStep, batchStep, type DayCap } from "../planning/steps/batch-step.ts";
import { silenceOf } from "../planning/steps/silent-step.ts";

/** The same batch as one step of its campaign's cadence sees it. */
export function lookAtLane(look: BatchLook, step: number, now: Date): BatchLook {
  if (step === 0) return look;
  const batch = laneOf(look.batch, step);
  return { ...look, batch, step: stepOf(batch, look.numbers, now) };
}

function stepOf(batch: DueBatch, numbers: ClaimNumbers, now: Date): BatchStep {
  const zone = batch.timezone ?? "UTC";
  const { rate, last_at } = paceOf(batch, now);
  return batchStep(
    {
      status: statusAt({ status: batch.status, expires_on: timeOf(batch.expires_on) }, now),
      source: batch.timezone === null ? null : (batch.sender?.address ?? null),
      hours: { schedule: batch.campaign, zone },
      rate,
      last_at,
      spending: batch.spending,
      confirmation: batch.confirmation,
      silent: silenceOf(batch),
      ...numbers.capacity(batch),
    },
    now,
  );
}

/** A batch as the dialer sees it, for somebody who only looks: nothing is locked, nothing decided. */
export type BatchLook = {
  batch: DueBatch;
  step: BatchStep;
  lines: Lines;
  numbers: ClaimNumbers;
  /** Days whose window is open now. */
  days: DayCap[];
  rate: number;
  zone: string;
  /** First attempts by day. */
  reached: (date: string) => number;
};

export async function lookAtBatch(
  { db, clock, limits }: { db: Db; clock: Clock; limits: LineLimits },
  batch_key: number,
): Promise<BatchLook> {
  const batch = await readBatchForStep(db, batch_key);
  const now = clock.now();
  const lines = await readLines(db, [batch.organization_id], limits, now);
  const numbers = await ClaimNumbers.read(db, [batch], lines, now);
  const zone = batch.timezone ?? "UTC";
  const { rate } = paceOf(batch, now);
  const step = stepOf(batch, numbers, now);
  const days = openDays(batch.campaign, zone, now);
  const { rows } = await sql<{ day: string; n: number }>`
    select day::text, first_attempts as n from campaign_days
    where campaign_id = ${batch.campaign.id} and day = any(${days.map(({ date }) => date)}::date[])`.execute(
    db,
  );
  const counts = new Map(rows.map(({ day, n }) => [day, n]));
  return { batch, step, lines, numbers, days, rate, zone, reached: (date) => counts.get(date) ?? 0 };
}
