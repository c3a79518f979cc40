import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import { lockByKey } from "./batch-store.ts";
import { resumeCancels } from "./cancel-waiting.ts";
import { foldCounts } from "./request-counts.ts";
import { failLostUploads } from "./upload-claim.ts";

const tidyBatches: Job<object> = {
  name: "tidy-batches",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** What time alone changes about batches, every minute. Readers and writers see an expiry at once, by the clock. */
export const tidyBatchesJob = ({ db, clock }: { db: Db; clock: Clock }): JobHandler =>
  handle(tidyBatches, async () => {
    const steps = [
      () => expireBatches(db, clock),
      () => failLostUploads(db, clock),
      () => resumeCancels(db),
      () => foldCounts(db),
    ];
    await oneByOne(steps, (step) => step());
  });

/** Batches whose time is up become EXPIRED, and what waits in them CANCELED (`cancel-waiting.ts`): each in a transaction of its own. */
export async function expireBatches(db: Db, clock: Clock): Promise<void> {
  const due = await db
    .selectFrom("batches")
    .select("key")
    .where("status", "not in", ["CANCELED", "EXPIRED"])
    .where("expires_on", "<=", clock.now().toISOString())
    .execute();
  // The lock settles it.
  await oneByOne(due, ({ key }) => db.transaction().execute((tx) => lockByKey(tx, clock, key)));
}
