import pg from "pg";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import type { News } from "./attempt-news.ts";
import { takeIn } from "./settle-store.ts";

/** Attempts whose news are taken in by one transaction; more would hold its locks for too long. */
const MOST = 250;
const TRIES = 5;

/**
 * Gathers what comes in while a transaction runs into the next one: alone, news are taken in at once; at a thousand a
 * second, hundreds share each commit. In the order in which they came.
 */
export type SettleQueue = {
  /** Resolves once it is stored; rejects if it could not be. */
  add(news: News[]): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

type Waiting = { news: News[]; done: () => void; failed: (error: unknown) => void };

export function createSettleQueue({ db, clock }: { db: Db; clock: Clock }): SettleQueue {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;

  const run = async () => {
    // What is added in this very turn of the loop goes along.
    await Promise.resolve();
    while (waiting.length > 0) {
      await takeInAll(nextPart());
    }
    running = null;
  };

  /** One that can't be stored must not keep those beside it from being. */
  async function takeInAll(taken: Waiting[]): Promise<void> {
    try {
      await settleAgain(() =>
        takeIn(
          db,
          taken.flatMap(({ news }) => news),
          clock.now(),
        ),
      );
      for (const { done } of taken) done();
    } catch (error) {
      if (taken.length === 1) taken[0]?.failed(error);
      else for (const each of taken) await takeInAll([each]);
    }
  }

  function nextPart(): Waiting[] {
    let size = 0;
    let count = 0;
    while (count < waiting.length && (count === 0 || size + (waiting[count]?.news.length ?? 0) <= MOST)) {
      size += waiting[count]?.news.length ?? 0;
      count++;
    }
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return taken;
  }

  return {
    async add(news) {
      if (news.length === 0) return;
      await new Promise<void>((done, failed) => {
        waiting.push({ news, done, failed });
        running ??= run();
      });
    },
    async idle() {
      while (running) await running;
    },
  };
}

/** Deadlock; and an attempt that is one again while another to the same person begins: the second look sees that one. */
const CONFLICTS = ["40P01", "23505"];
const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && CONFLICTS.includes(error.code ?? "");

/** Of two transactions in conflict PostgreSQL ends one, which changes nothing and is done again. */
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
