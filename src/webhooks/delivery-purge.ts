import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";

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
    await purgeLateTries(db);
  });

/** Also deletes tries that were logged after their delivery had been purged. */
const purgeLateTries = (db: Db) =>
  sql`delete from webhook_tries where delivery_key < (select min(key) from webhook_deliveries)`.execute(db);

/**
 * Includes deliveries that still wait, since those were replayed a month after they were written. Keys grow with time, so
 * the oldest are at the beginning of the primary key.
 */
async function purgeSome(db: Db, before: Date): Promise<number> {
  const result = await sql`
    with old as (
      select key from (select key, created_at from webhook_deliveries order by key limit ${MOST_PER_STATEMENT}::bigint) as first
      where created_at < ${before.toISOString()}::timestamptz
    ),
    tries as (delete from webhook_tries using old where delivery_key = old.key),
    waiting as (delete from webhook_outbox using old where delivery_key = old.key)
    delete from webhook_deliveries using old where webhook_deliveries.key = old.key
  `.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
