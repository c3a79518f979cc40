import pg from "pg";
import type { Clock } from "../base/clock.ts";
import { gather } from "../base/gather.ts";
import type { CarrierPrices } from "../base/prices/carrier-prices.ts";
import type { Db } from "../db/database.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { settleAttempts } from "./settle-store.ts";

/** Attempts whose events are settled by one transaction; more would hold its locks for too long. */
const MOST = 250;
const TRIES = 5;

/** Settles events that arrive at about the same time in one transaction, in the order of their arrival. */
export type SettleQueue = {
  /** Resolves once it is stored; rejects if it could not be. */
  add(events: AttemptEvent[]): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

/** `prices`: the operator's, of what carriers charge; left out: none is known. */
type Parts = { db: Db; clock: Clock; prices?: CarrierPrices };

export function createSettleQueue({ db, clock, prices }: Parts): SettleQueue {
  const gathered = gather<AttemptEvent[], void>({
    most: MOST,
    size: (events) => events.length,
    async write(parts) {
      await settleAgain(() => settleAttempts(db, parts.flat(), clock.now(), prices));
      return parts.map(() => undefined);
    },
  });
  return {
    async add(events) {
      if (events.length > 0) await gathered.add(events);
    },
    idle: gathered.idle,
  };
}

/** Deadlock, and a unique violation when an attempt counts again while another one to the same person begins. */
const CONFLICTS = ["40P01", "23505"];
const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && CONFLICTS.includes(error.code ?? "");

/** PostgreSQL rolls one of two conflicting transactions back, so it is retried. */
async function settleAgain(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}
