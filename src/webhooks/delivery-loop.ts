import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { errorText } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { createWorkLoop, pause, type WorkLoop } from "../jobs/work-loop.ts";
import { type ClaimedDelivery, claimDeliveries, releaseClaims, setAside } from "./delivery-claim.ts";
import { createGates } from "./delivery-gate.ts";
import { sendDelivery, TIMEOUT_ms } from "./delivery-send.ts";
import { type SettledTry, settleTries } from "./delivery-settle.ts";
import { isUnresponsive, judgeTry } from "./delivery-verdict.ts";

/**
 * Sends the deliveries of the outbox. Each process runs one loop; they share the work by claiming rows.
 *
 *     claim what is due, as the gates allow → send all concurrently → settle the results, many in one statement
 *
 * A job for each delivery would be simpler, but could not skip a hung receiver's backlog: the jobs of one queue run in
 * order, and waiting ones block it.
 */
export type Deliverer = {
  /** Sends from now on, until stopped. */
  start(): void;
  /** Claims no more, waits a moment for responses under way, and releases the rest. */
  stop(): Promise<void>;
  /** Sends what is due by the clock until nothing is; resolves with the number of tries. */
  drain(): Promise<number>;
};

export type DelivererParts = {
  db: Db;
  clock: Clock;
  log: Log;
  vault: Vault;
  egress: Egress;
  /** A random number below 1, which spreads retries. */
  random?: () => number;
  timeout_ms?: number;
};

/** Concurrent deliveries of one process to receivers that answer in time. */
const MOST_AT_ONCE = 1_000;
/**
 * Deliveries that take longer than this have a limit of their own: at 64 each, sixteen receivers that hang at the same
 * moment would use up all slots until the timeout.
 */
const SLOW_AFTER_ms = 1_000;
/** Concurrent deliveries including slow ones; each holds a socket and a few kilobytes. */
const MOST_IN_ALL = 5_000;
/** While deliveries are under way, a claim of fewer than this isn't worth its statement. */
const LEAST_ROOM = 100;
/** Six timeouts, so that a lease outlives its try even on a machine that stalls. A dead process's claims wait this long. */
export const LEASE_ms = 60_000;
/** Between claims while there is work: long enough to find several due at once, short beside a receiver's response. */
const BETWEEN_CLAIMS_ms = 5;
/** How often an idle outbox is polled. */
const POLL_ms = 100;
/** Polling takes no more than about this share of the time, however many webhooks have waiting deliveries. */
const POLL_SHARE = 0.05;
/** Still it is polled as often, or a busy machine would add many seconds to the five of the first retry. */
const LONGEST_POLL_ms = 1_000;
const SET_ASIDE_ms = 1_000;
/** Results are collected this long, so that one statement settles many. */
const GATHER_ms = 5;
const MOST_PER_SETTLE = 500;
const AFTER_FAULT_ms = 1_000;
/** How long a stop waits for responses; a slower receiver gets its message again from another process. */
const GOODBYE_ms = 3_000;

/** How long an outbox with nothing due is left alone, after a poll that took so long. */
export const untilNextPoll_ms = (took_ms: number): number =>
  Math.min(Math.max(POLL_ms, took_ms / POLL_SHARE), LONGEST_POLL_ms);

export function createDeliverer(parts: DelivererParts): Deliverer {
  const { db, clock, log, vault, random = Math.random, timeout_ms = TIMEOUT_ms } = parts;
  const owner = randomId();
  const gates = createGates();
  let slow = 0;
  const results: SettledTry[] = [];
  let settling: Promise<void> | null = null;
  let cutOff = new AbortController();
  let setAsideAt = 0;

  const loop: WorkLoop = createWorkLoop<ClaimedDelivery>({
    of: "webhook deliveries",
    log,
    async beforeRound() {
      if (performance.now() < setAsideAt) return;
      setAsideAt = performance.now() + SET_ASIDE_ms;
      await setAside(db, clock.now());
    },
    room() {
      const all = loop.underWay();
      const places = Math.min(MOST_AT_ONCE - (all - slow), MOST_IN_ALL - all);
      return places >= LEAST_ROOM ? places : 0;
    },
    full: { wait_ms: POLL_ms, untilChange: true },
    async claim(most, begin) {
      const began = performance.now();
      const now = clock.now();
      const lease_until = new Date(now.getTime() + LEASE_ms);
      const claimed = await claimDeliveries(db, { owner, now, lease_until, rooms: gates.rooms(now), most });
      for (const delivery of claimed) begin(delivery);
      if (claimed.length > 0) return { wait_ms: 0 };
      // When nothing was claimed, all receivers may be at their limits, so the next response wakes the loop.
      return { wait_ms: untilNextPoll_ms(performance.now() - began), untilChange: true };
    },
    run: send,
    between_ms: BETWEEN_CLAIMS_ms,
  });

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    gates.began(delivery.webhook_id);
    const { sent, outcome } = await sendDelivery({ ...parts, timeout_ms }, delivery, cutOff.signal).catch(
      (error: unknown) => {
        // An error of this program: its slot is freed, or the webhook would run out of slots.
        gates.ended(delivery.webhook_id, null, clock.now());
        throw error;
      },
    );
    const now = clock.now();
    gates.ended(delivery.webhook_id, !isUnresponsive(outcome), now);
    // Aborted by our own stop, which says nothing about the receiver: the claim is released.
    if (cutOff.signal.aborted && outcome.kind === "failed") return;
    results.push({ delivery, sent, verdict: judgeTry(outcome, delivery.tries, now, random) });
    settling ??= settleGathered();
  }

  async function send(delivery: ClaimedDelivery): Promise<void> {
    let isSlow = false;
    const slowness = setTimeout(() => {
      isSlow = true;
      slow++;
    }, SLOW_AFTER_ms);
    try {
      await deliver(delivery);
    } finally {
      clearTimeout(slowness);
      if (isSlow) slow--;
    }
  }

  async function settleGathered(): Promise<void> {
    await sleep(GATHER_ms);
    while (results.length > 0) {
      const some = results.splice(0, MOST_PER_SETTLE);
      try {
        await settleTries({ db, vault }, some);
      } catch (error) {
        log.warn({ err: errorText(error), tries: some.length }, "could not settle webhook deliveries");
        await pause(AFTER_FAULT_ms, cutOff.signal);
        // Others send them again after the lease; receivers deduplicate by the message's id.
        const age_ms = clock.now().getTime() - Date.parse(some[0]?.sent.at ?? "");
        if (age_ms < LEASE_ms && !cutOff.signal.aborted) results.unshift(...some);
      }
    }
    settling = null;
  }

  const settled = async () => {
    await loop.idle();
    while (settling) await settling;
  };

  return {
    start() {
      cutOff = new AbortController();
      loop.start(AFTER_FAULT_ms);
    },
    async stop() {
      await loop.stop();
      await Promise.race([settled(), pause(GOODBYE_ms)]);
      cutOff.abort();
      await settled();
      await releaseClaims(db, owner, clock.now()).catch(() => {});
    },
    async drain() {
      for (let tries = 0; ; ) {
        while ((await setAside(db, clock.now())) > 0);
        const { begun } = await loop.round();
        await settled();
        if (begun === 0) return tries;
        tries += begun;
      }
    },
  };
}
