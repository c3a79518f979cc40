import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../base/log.ts";
import { RepeatedFault } from "./repeated-fault.ts";

/** The wait before the next claim; null: until something finishes, or the loop is woken. */
export type Wait = {
  wait_ms: number | null;
  /** Whether a finished item ends the wait too. */
  untilChange?: boolean;
};

/** One kind of work that processes share through the database: each claims rows and runs what it claimed. */
export type Work<Item> = {
  /** For the log: "webhook deliveries". */
  of: string;
  log: Log;
  /** Called before each round of a running loop, whether there is room or not. */
  beforeRound?(): void | Promise<void>;
  /** How many may be claimed now; 0: none, and `full` gives the wait before the next check. */
  room(): number;
  full: Wait;
  /** Claims at most this many, and begins each as soon as it is claimed. */
  claim(room: number, begin: (item: Item) => void): Promise<Wait>;
  /** Runs one and stores its result. */
  run(item: Item): Promise<void>;
  /** The minimum time between two claims; default 0. */
  between_ms?: number;
};

export type WorkLoop = {
  /** Begun and not finished. */
  underWay(): number;
  /** Makes one claim, if there is room. */
  round(): Promise<Wait & { begun: number }>;
  /** Resolves when everything begun before this call has finished. */
  idle(): Promise<void>;
  /** Works until stopped. A failed claim is retried after a while. */
  start(after_fault_ms: number): void;
  /** Works until nothing is due and nothing is under way, or `noMore` is aborted. Rejects when a claim fails. */
  untilDone(noMore: AbortSignal): Promise<void>;
  /** There may be new work: ends the wait, and makes `untilDone` claim once more before it resolves. */
  wake(): void;
  /** Whether it was woken and has not claimed since. */
  isWoken(): boolean;
  /** Begins no further round; resolves when the last round has ended. What it began continues. */
  stop(): Promise<void>;
};

/**
 *     claim as there is room → run each, all at once → an end makes room → claim
 *
 * When a process dies, others find what it had claimed once the rows' leases expire.
 */
export function createWorkLoop<Item>(work: Work<Item>): WorkLoop {
  const { of, log, between_ms = 0 } = work;
  const underWay = new Set<Promise<void>>();
  let change = Promise.withResolvers<void>();
  let isWoken = false;
  /** Something finished since the last claim, so more may be claimed now. */
  let hasEnded = false;
  const fault = new RepeatedFault((error) => log.warn({ error, of }, "could not claim work"));
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

  /** Without `after_fault_ms` it ends by itself, or at the first error. */
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
      const wait = await round();
      if (fault.worked()) log.info({ of }, "work is claimed again");
      return wait;
    } catch (error) {
      if (after_fault_ms === undefined) throw error;
      // The database can't be reached; nothing is lost, because all state is stored there.
      fault.failed(error);
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

/** Resolves early, without an error, when it is aborted. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});
