import { systemClock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { freeLines } from "../calls/lines/line-store.ts";
import type { Database } from "../db/database.ts";
import { freeExecutions } from "../executions/claim.ts";
import { reap, tellOfSetAside } from "../jobs/heartbeat.ts";
import { freeSessions } from "../sessions/lease.ts";
import { freeDeliveries } from "../webhooks/delivery-claim.ts";

/**
 * Nobody but us works on an embedded database, so what a program that was killed still holds is free now and need not run
 * out first. Attempts are left alone: their leases take three seconds, and their carrier has to be asked.
 */
export async function freeHeld({ db, pool }: Database, log: Log): Promise<void> {
  await freeSessions(db);
  await freeLines(db, systemClock.now());
  await freeDeliveries(db, systemClock.now());
  await freeExecutions(db);
  tellOfSetAside(log, await reap(pool, 0));
}
