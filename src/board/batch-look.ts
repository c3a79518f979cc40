import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { type DueBatch, paceOf, readBatchForStep, timeOf } from "../dialing/due-batches.ts";
import { type LineLimits, type Lines, readLines } from "../dialing/lines.ts";
import { statusAt } from "../planning/batch-state.ts";
import { type BatchStep, batchStep, type DayCap } from "../planning/next-step.ts";
import { openDays } from "../planning/schedule.ts";

/** A batch as the dialer sees it, for somebody who only looks: nothing is locked, nothing decided. */
export type BatchLook = {
  batch: DueBatch;
  step: BatchStep;
  lines: Lines;
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
  const zone = batch.timezone ?? "UTC";
  const { rate, last_at } = paceOf(batch, now);
  const step = batchStep(
    {
      status: statusAt({ status: batch.status, expires_on: timeOf(batch.expires_on) }, now),
      source: batch.timezone === null ? null : (batch.sender?.address ?? null),
      hours: { schedule: batch.campaign, zone },
      rate,
      last_at,
      ...lines.capacity(batch),
    },
    now,
  );
  const days = openDays(batch.campaign, zone, now);
  const { rows } = await sql<{ day: string; n: number }>`
    select day::text, first_attempts as n from campaign_days
    where campaign_id = ${batch.campaign.id} and day = any(${days.map(({ date }) => date)}::date[])`.execute(
    db,
  );
  const counts = new Map(rows.map(({ day, n }) => [day, n]));
  return { batch, step, lines, days, rate, zone, reached: (date) => counts.get(date) ?? 0 };
}
