import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { deleteDeliveries } from "./delete-deliveries.ts";

/** How long deliveries are kept for the log and for replays. */
const KEPT_ms = 30 * 24 * 3600_000;
const MOST_PER_STATEMENT = 5_000;

const purgeDeliveries: Job<object> = {
  name: "purge-webhook-deliveries",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "17 * * * *",
};

export const purgeDeliveriesJob = ({ db, clock }: { db: Db; clock: Clock }): JobHandler =>
  handle(purgeDeliveries, async (_, { stopping }) => {
    const before = new Date(clock.now().getTime() - KEPT_ms);
    while (!stopping.aborted) if ((await purgeSome(db, before)) < MOST_PER_STATEMENT) break;
  });

/**
 * Includes deliveries that still wait, since those were replayed a month after they were written. Keys grow with time, so
 * the oldest are at the beginning of the primary key.
 */
const purgeSome = (db: Db, before: Date): Promise<number> =>
  db.transaction().execute(async (tx) => {
    const { deliveries } = await deleteDeliveries(
      tx,
      sql`key in (
        select key from (select key, created_at from webhook_deliveries order by key limit ${MOST_PER_STATEMENT}::bigint) as first
        where created_at < ${before.toISOString()}::timestamptz)`,
    );
    return deliveries;
  });
