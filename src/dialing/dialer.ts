import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { CLOCK_SET_BACK_MS, type Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import { publicText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { CarrierFault, type Carriers } from "../channels/carrier.ts";
import { type OutreachSender, type Senders, type SentOutreach, Withdrawn } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";
import { RepeatedFault } from "../jobs/repeated-fault.ts";
import { createWorkLoop, type Wait, type WorkLoop } from "../jobs/work-loop.ts";
import { type ClaimedAttempt, HAND_OVER_ms } from "../planning/attempt.ts";
import { lookAhead } from "./ahead/look-ahead.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { claimDue } from "./claim.ts";
import { handOverGate } from "./hand-over-gate.ts";
import { attemptLeases } from "./leases.ts";
import type { LineLimits } from "./lines.ts";
import { advanceRetries, lookAtAll } from "./look-again.ts";
import type { SettleQueue } from "./settle-queue.ts";
import { askCarrier, takeUnsettled } from "./unsettled.ts";

/**
 * Places the attempts of batches. Every process runs one dialer, and they share the work through the database alone.
 *
 * 1. A tick claims requests that are due (claim.ts): an attempt's row is committed before its carrier is called.
 * 2. Each attempt is handed to the sender of its mode, and the outcome is settled at once (settle-store.ts). Later status
 *    updates of the carrier reach any process and come through `Attempts.signal`.
 * 3. Attempts whose lease ran out are taken over: their carrier is asked for their status (unsettled.ts).
 *
 * A process that dies between 1 and 2 leaves an attempt whose lease runs out; another one asks the carrier about it.
 */
export type DialerParts = {
  db: Db;
  clock: Clock;
  log: Log;
  owner: string;
  senders: Senders;
  limits: LineLimits;
  destinations: DestinationRules;
  queue: SettleQueue;
  /** Looks up the type of a number, for campaigns that filter by it. */
  carriers: Carriers;
  /** Called at the named fault points; tests pass one to end the process there. */
  faultPoint?: (name: FaultPoint) => void | Promise<void>;
};

export const FAULT_POINTS = [
  "before-claim",
  "after-claim",
  "before-send",
  "after-send",
  "after-settle",
  "before-ask",
  "after-ask",
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number] | "before-renew";

export type Dialer = {
  /** One round; resolves with what it did, once all attempts it claimed were handed over and settled. */
  tick(): Promise<Tick>;
  /** Ticks whenever something is due, until stopped. */
  start(): void;
  /** Claims nothing more, and waits for attempts that are being handed over. */
  stop(): Promise<void>;
};

type Tick = { claimed: number; asked: number; more: boolean };

/** Batches examined by one claim, whose transaction then takes some tens of milliseconds. */
const MOST_BATCHES = 200;
/** Attempts handed over at once; carriers answer in tenths of a second. */
const MOST_SENDING = 400;
const MOST_ASKED = 50;
/** Work that other processes made due is noticed within this time. */
const LOOK_ms = 1_000;
/** Interval between two checks for attempts that have to be looked up with their carrier. */
const ASK_ms = 500;
/** Wait after a claim that left due work behind, because another process holds it for a moment. */
const HELD_ms = 50;
/** Senders have shorter timeouts of their own; this one ends a sender that hangs. */
const HUNG_ms = 60_000;
const FINISH_ms = 15_000;

export function createDialer(parts: DialerParts): Dialer {
  const { db, clock, log, owner, senders, queue } = parts;
  const claim = { db, clock, log, owner, limits: parts.limits, destinations: parts.destinations };
  const reach = async (name: FaultPoint) => parts.faultPoint?.(name);
  const leases = attemptLeases({ ...parts, beforeRound: () => reach("before-renew") });
  const holds = (key: string) => leases.holds(key, HAND_OVER_ms);
  const requireReachable = handOverGate(db);
  let asking: Promise<unknown> | null = null;
  let lookingUp: Promise<unknown> | null = null;
  // Mostly the database's faults: a carrier's are logged where the carrier is asked.
  const tell = (what: string) => new RepeatedFault((error) => log.warn({ error }, what));
  const askFault = tell("the fate of attempts could not be found out");
  const lookUpFault = tell("numbers could not be looked up ahead of their calls");
  let lastLook = 0;
  let askedAt = 0;

  const loop: WorkLoop = createWorkLoop<ClaimedAttempt>({
    of: "attempts",
    log,
    beforeRound: inBackground,
    room: () => Math.min(MOST_BATCHES, MOST_SENDING - loop.underWay()),
    full: { wait_ms: HELD_ms },
    claim: claimNext,
    run: place,
  });

  /** Everything is examined once now, because a wrong clock or an earlier program may have postponed it. */
  async function lookAgain(): Promise<void> {
    const now = clock.now();
    const isSetBack = now.getTime() < lastLook - CLOCK_SET_BACK_MS;
    if (isSetBack) await advanceRetries(db, now);
    if (lastLook === 0 || isSetBack) await lookAtAll(db, now);
    lastLook = now.getTime();
  }

  async function claimNext(room: number, begin: (attempt: ClaimedAttempt) => void): Promise<Wait> {
    await lookAgain();
    await reach("before-claim");
    const claimed_at = leases.moment();
    const { attempts, looked } = await claimDue(claim, room);
    await reach("after-claim");
    for (const attempt of attempts) {
      leases.hold(attempt.outreach.key, claimed_at);
      begin(attempt);
    }
    if (looked === room) return { wait_ms: 0 };
    return { wait_ms: attempts.length > 0 ? 1 : await untilNext(db, clock.now()) };
  }

  /** Never throws: an outcome that can't be stored is found again when its lease runs out. */
  async function place({ outreach, purpose, stop_question, isOpenAt }: ClaimedAttempt): Promise<void> {
    const { key } = outreach;
    try {
      await reach("before-send");
      if (!(await leases.stillHolds(key, HAND_OVER_ms))) return;
      const mayGo = async () => {
        if (!isOpenAt(clock.now()))
          throw new Withdrawn("The hours in which the person may be reached are over.");
        await requireReachable({ ...outreach, purpose, address: outreach.target }, stop_question);
        return holds(key);
      };
      const send = () => senders[outreach.mode].send(outreach, mayGo);
      const event = await handOver(send, key, { clock, log });
      await reach("after-send");
      await queue.add([event]);
      await reach("after-settle");
    } catch (error) {
      log.error({ err: error, key }, "an attempt was left to be asked about");
    } finally {
      leases.drop(key);
    }
  }

  /** Runs beside claiming, so that lookups with a slow carrier delay no attempts. */
  function inBackground(): void {
    if (performance.now() - askedAt < ASK_ms) return;
    askedAt = performance.now();
    const begin = (work: Promise<number>, fault: RepeatedFault): Promise<unknown> =>
      work.then(
        () => fault.worked(),
        (error) => fault.failed(error),
      );
    asking ??= begin(askAbout(), askFault).finally(() => {
      asking = null;
    });
    lookingUp ??= begin(lookAhead(parts), lookUpFault).finally(() => {
      lookingUp = null;
    });
  }

  async function askAbout(): Promise<number> {
    const now = clock.now();
    const unsettled = await takeUnsettled(db, owner, now, MOST_ASKED);
    if (unsettled.length === 0) return 0;
    await reach("before-ask");
    // Settled one by one, so that a carrier that hangs delays no other lookup.
    await Promise.all(
      unsettled.map(async (attempt) => {
        const event = await askCarrier(parts, findInTime(senders[attempt.mode]), attempt, clock.now());
        await reach("after-ask");
        await queue.add([event]);
      }),
    );
    return unsettled.length;
  }

  return {
    async tick() {
      await lookAhead(parts);
      const { begun, wait_ms } = await loop.round();
      const asked = await askAbout();
      await loop.idle();
      await queue.idle();
      return { claimed: begun, asked, more: wait_ms === 0 };
    },
    start: () => loop.start(LOOK_ms),
    async stop() {
      await loop.stop();
      const underWay = Promise.all([loop.idle(), asking, lookingUp]);
      await Promise.race([underWay, sleep(FINISH_ms, undefined, { ref: false })]);
      leases.stop();
      await queue.idle();
    },
  };
}

/** The outcome of handing an attempt over. */
async function handOver(
  send: () => Promise<SentOutreach>,
  key: string,
  { clock, log }: Pick<DialerParts, "clock" | "log">,
): Promise<AttemptEvent> {
  try {
    const { sid, status, failure, session_id, conversation_id } = await inTime(send());
    const session = session_id === null || conversation_id === null ? null : { session_id, conversation_id };
    return { kind: "status", key, status, is_transient: null, ...failure, at: clock.now(), sid, session };
  } catch (error) {
    const why = publicText(error, log, "an attempt could not be handed over");
    return eventOfFault(error, why, key, clock.now());
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise: hung, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new CarrierFault("it did not answer", "unknown")), HUNG_ms);
  try {
    return await Promise.race([work, hung]);
  } finally {
    clearTimeout(timer);
  }
}

/** An error that is no `CarrierFault` may have happened after the carrier accepted the attempt. */
function eventOfFault(error: unknown, why: string, key: string, at: Date): AttemptEvent {
  if (!(error instanceof CarrierFault)) return { kind: "unknown", key, why, from: "handing-over" };
  if (error instanceof Withdrawn)
    return { kind: "not-taken", key, retry_after_s: null, why, is_withdrawn: true };
  // A fault of this program before the hand-over, so the attempt does not count.
  if (error.ours !== null && error.fate !== "unknown")
    return { kind: "not-taken", key, retry_after_s: null, why, ours: error.ours };
  switch (error.fate) {
    case "refused":
      return {
        kind: "status",
        key,
        status: error.status ?? "FAILED",
        is_transient: false,
        at,
        provider_status: why,
      };
    case "not-sent":
      return { kind: "not-taken", key, retry_after_s: error.retry_after_s, why };
    case "unknown":
      return { kind: "unknown", key, why, from: "handing-over" };
  }
}

const findInTime = ({ find }: OutreachSender): Pick<OutreachSender, "find"> => ({
  find: (outreach, since) => inTime(find(outreach, since)),
});

/** Time until the next work this process knows of. Indexes: `batch_pacing_wake`, `attempts_check`. */
async function untilNext(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ at: number | null }>`
    select extract(epoch from least(
      (select min(wake_at) from batch_pacing where wake_at is not null),
      (select min(check_at) from attempts where state <> 'ENDED')
    )) * 1000 as at`.execute(db);
  const at = rows[0]?.at ?? null;
  if (at === null) return LOOK_ms;
  const wait_ms = at - now.getTime();
  return wait_ms <= 0 ? HELD_ms : Math.min(wait_ms, LOOK_ms);
}
