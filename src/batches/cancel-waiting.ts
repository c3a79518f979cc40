import { sql } from "kysely";
import { z } from "zod";
import type { Db, Tx } from "../db/database.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import { cancelPending } from "./request-store.ts";

/*
 * Writing to each of a million requests that its batch was deleted or has expired takes 9 s in one transaction. So
 * the batch's own change says that they are canceled (`cancels_waiting`), and a job writes it to them, slice by slice;
 * meanwhile readers show every PENDING request of that batch as CANCELED, and the dialer, which asks the batch first,
 * starts none of them.
 */

/** 10,000 requests take 0.1 s. Most batches are canceled whole in the transaction that says so. */
export const SLICE = 10_000;

const cancelWaitingJob: Job<{ batch_key: number }> = {
  name: "cancel-waiting-requests",
  payload: z.object({ batch_key: z.int() }),
  max_attempts: 10,
};

/** In the transaction that ends the batch, under its lock. Returns how many requests waited. */
export async function cancelWaiting(tx: Tx, batch_key: number, at: Date): Promise<number> {
  const canceled = await cancelPending(tx, batch_key, at, SLICE);
  if (canceled < SLICE) return canceled;
  const left = await countPending(tx, batch_key);
  if (left === 0) return canceled;
  await tx.updateTable("batches").set({ cancels_waiting: true }).where("key", "=", batch_key).execute();
  await enqueueCancel(tx, batch_key);
  return canceled + left;
}

const enqueueCancel = (tx: Tx, batch_key: number): Promise<void> =>
  enqueue(tx, cancelWaitingJob, { batch_key }, { key: `cancel-waiting-${batch_key}` });

/** From the counts that triggers keep; those of this very transaction are in them. */
async function countPending(tx: Tx, batch_key: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(n), 0) as n from request_counts
    where batch_key = ${batch_key} and request_status = 'PENDING'`.execute(tx);
  return rows[0]?.n ?? 0;
}

export const cancelWaitingHandler = ({ db }: { db: Db }): JobHandler =>
  handle(cancelWaitingJob, async ({ batch_key }, { stopping }) => {
    while (!stopping.aborted) if (!(await cancelSlice(db, batch_key))) return;
    // The next process that runs jobs continues.
    await db.transaction().execute((tx) => enqueueCancel(tx, batch_key));
  });

/** One slice in a transaction of its own; false when that was the last. Safe to run twice, and at once. */
export async function cancelSlice(db: Db, batch_key: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const batch = await tx
      .selectFrom("batches")
      .select("key")
      .where("key", "=", batch_key)
      .where("cancels_waiting", "=", true)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!batch) return false;
    if ((await cancelPending(tx, batch_key, null, SLICE)) === SLICE) return true;
    await tx.updateTable("batches").set({ cancels_waiting: false }).where("key", "=", batch_key).execute();
    return false;
  });
}

/** Jobs that were given up, for whatever reason, are begun again. Index: batches_cancels_waiting. */
export async function resumeCancels(db: Db): Promise<void> {
  const batches = await db.selectFrom("batches").select("key").where("cancels_waiting", "=", true).execute();
  await oneByOne(batches, ({ key }) => db.transaction().execute((tx) => enqueueCancel(tx, key)));
}

/** Whether it is still being written to those who waited. */
export async function cancelsWaiting(db: Db, batch_key: number): Promise<boolean> {
  const batch = await db
    .selectFrom("batches")
    .select("cancels_waiting")
    .where("key", "=", batch_key)
    .executeTakeFirst();
  return batch?.cancels_waiting === true;
}

/**
 * Whether requests that still say PENDING are canceled: the batch says so, or it has expired and no job has written it
 * yet.
 */
export async function isCanceling(db: Db, batch_key: number, now: Date): Promise<boolean> {
  const batch = await db
    .selectFrom("batches")
    .select(["cancels_waiting", "expires_on"])
    .where("key", "=", batch_key)
    .executeTakeFirst();
  if (!batch) return false;
  return batch.cancels_waiting || (batch.expires_on !== null && new Date(batch.expires_on) <= now);
}
