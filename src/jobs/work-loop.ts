import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";

/** How long nothing is claimed; null: until something ends, or the loop is woken. */
export type Wait = { wait_ms: number | null /** Whether that ends it too. */; untilChange?: boolean };

/** One kind of work that all processes share through the database: each claims rows and runs what it claimed. */
export type Work<Item> = {
  /** For the log: "webhook deliveries". */
  of: string;
  log: Log;
  /** Before each round of a running loop, with room or without. */
  beforeRound?(): void | Promise<void>;
  /** How many may be claimed now; 0: none, and `full` says when it is asked again. */
  room(): number;
  full: Wait;
  /** Claims as many at most, and begins each as soon as it is there. */
  claim(room: number, begin: (item: Item) => void): Promise<Wait>;
  /** Runs one and stores what came of it. */
  run(item: Item): Promise<void>;
  /** Between two claims at least; left out: nothing. */
  between_ms?: number;
};

export type WorkLoop = {
  /** Begun and not over. */
  underWay(): number;
  /** One claim, as far as there is room. */
  round(): Promise<Wait & { begun: number }>;
  /** Resolves when all is over that was begun before. */
  idle(): Promise<void>;
  /** Works from now on, until stopped. A claim that failed is made again after a while. */
  start(after_fault_ms: number): void;
  /** Works until nothing is due and nothing under way, or `noMore` is raised. Rejects when a claim fails. */
  untilDone(noMore: AbortSignal): Promise<void>;
  /** There may be something new: the wait for it ends, and so does no `untilDone` before it looked. */
  wake(): void;
  /** Whether it was, and has not looked since. */
  isWoken(): boolean;
  /** Begins no further round; resolves when the last one is over. What it began goes on. */
  stop(): Promise<void>;
};

/**
 *     claim as there is room → run each, all at once → an end makes room → claim
 *
 * What a process claimed and did not finish, others find by the row's lease.
 */
export function createWorkLoop<Item>(work: Work<Item>): WorkLoop {
  const { of, log, between_ms = 0 } = work;
  const underWay = new Set<Promise<void>>();
  let change = Promise.withResolvers<void>();
  let isWoken = false;
  /** Something ended since the last look: what it held up may be claimed now. */
  let hasEnded = false;
  let running: { noMore: AbortController; ended: Promise<void> } | null = null;

  function begin(item: Item): void {
    const ends: Promise<void> = work
      .run(item)
      .catch((error) => log.error({ err: error, of }, "work that was claimed could not be run"))
      .finally(() => {
        underWay.delete(ends);
        hasEnded = true;
        change.resolve();
      });
    underWay.add(ends);
  }

  async function round(): Promise<Wait & { begun: number }> {
    const room = work.room();
    if (room <= 0) return { ...work.full, begun: 0 };
    let begun = 0;
    const wait = await work.claim(room, (item) => {
      begun++;
      begin(item);
    });
    return { ...wait, begun };
  }

  /** Ends by itself, or at the first fault, where no `after_fault_ms` is given. */
  async function run(noMore: AbortSignal, after_fault_ms?: number): Promise<void> {
    noMore.addEventListener("abort", wake);
    try {
      while (!noMore.aborted) {
        change = Promise.withResolvers();
        isWoken = false;
        hasEnded = false;
        const wait = await claimed(after_fault_ms);
        if (wait.wait_ms !== 0 && !isWoken) {
          if (after_fault_ms === undefined && underWay.size === 0 && !hasEnded) return;
          await passed(wait, noMore);
        }
        if (between_ms > 0) await pause(between_ms, noMore);
      }
    } finally {
      noMore.removeEventListener("abort", wake);
    }
  }

  async function claimed(after_fault_ms?: number): Promise<Wait> {
    try {
      await work.beforeRound?.();
      return await round();
    } catch (error) {
      if (after_fault_ms === undefined) throw error;
      // The database is away for a moment; all that is known stands there.
      log.warn({ error: errorText(error), of }, "could not claim work");
      return { wait_ms: after_fault_ms };
    }
  }

  const passed = ({ wait_ms, untilChange }: Wait, noMore: AbortSignal): Promise<void> => {
    if (wait_ms === null) return change.promise;
    const waited = pause(wait_ms, noMore);
    return untilChange ? Promise.race([change.promise, waited]) : waited;
  };

  function wake(): void {
    isWoken = true;
    change.resolve();
  }

  return {
    underWay: () => underWay.size,
    round,
    async idle() {
      await Promise.all(underWay);
    },
    start(after_fault_ms) {
      if (running) return;
      const noMore = new AbortController();
      running = { noMore, ended: run(noMore.signal, after_fault_ms) };
    },
    untilDone: (noMore) => run(noMore),
    wake,
    isWoken: () => isWoken,
    async stop() {
      running?.noMore.abort();
      await running?.ended;
      running = null;
    },
  };
}

/** Ends early, and quietly, when it is called off. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});
