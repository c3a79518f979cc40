import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import { errorText, publicText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { CarrierFault, type Carriers } from "../channels/carrier.ts";
import type { OutreachSender, Senders, SentOutreach } from "../channels/outreach.ts";
import type { Db } from "../db/database.ts";
import { createWorkLoop, type Wait, type WorkLoop } from "../jobs/work-loop.ts";
import { type ClaimedAttempt, HAND_OVER_ms } from "../planning/attempt.ts";
import { CLOCK_SET_BACK_ms } from "../planning/pacing.ts";
import type { AttemptEvent } from "./attempt-event.ts";
import { claimDue } from "./claim.ts";
import { attemptLeases } from "./leases.ts";
import type { LineLimits } from "./lines.ts";
import { advanceRetries, lookAtAll } from "./look-again.ts";
import { lookAhead } from "./look-ahead.ts";
import type { SettleQueue } from "./settle-queue.ts";
import { askCarrier, takeUnsettled } from "./unsettled.ts";

/**
 * Reaches people: every process runs one dialer, and they share the work through the database alone.
 *
 * 1. A tick claims requests that are due (claim.ts): an attempt's row is committed before its carrier is called.
 * 2. Each attempt is handed to the sender of its mode. What comes of it is taken in at once (settle-store.ts); what the
 *    carrier tells later comes through `Attempts.signal`, to whichever process.
 * 3. What nobody looks after any more is taken over: the carrier is asked what became of it (unsettled.ts).
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
  /** Who is asked what kind of number somebody has, where filters ask for it. */
  carriers: Carriers;
  /** Called at the named places; only tests hand one in, to die there. */
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
  /** One round; resolves when what it claimed was handed over and taken in. Returns what it did. */
  tick(): Promise<Tick>;
  /** Ticks whenever something is due, until stopped. */
  start(): void;
  /** Claims nothing new, and waits for what is being handed over. */
  stop(): Promise<void>;
};

export type Tick = { claimed: number; asked: number; more: boolean };

/** Batches looked at by one claim: its transaction takes some tens of milliseconds. */
const MOST_BATCHES = 200;
/** Being handed over at once; carriers answer in tenths of a second. */
const MOST_SENDING = 400;
const MOST_ASKED = 50;
/** What other processes made due is seen within this. */
const LOOK_ms = 1_000;
/** Between two looks at what carriers have to be asked. */
const ASK_ms = 500;
/** What is due but was not claimed is held by somebody else for a moment. */
const HELD_ms = 50;
/** A sender has its own, shorter time limits; this one is for one that hangs. */
const HUNG_ms = 60_000;
const FINISH_ms = 15_000;

export function createDialer(parts: DialerParts): Dialer {
  const { db, clock, log, owner, senders, queue } = parts;
  const claim = { db, clock, owner, limits: parts.limits, destinations: parts.destinations };
  const reach = async (name: FaultPoint) => parts.faultPoint?.(name);
  const leases = attemptLeases({ ...parts, beforeRound: () => reach("before-renew") });
  const holds = (key: string) => leases.holds(key, HAND_OVER_ms);
  let asking: Promise<number> | null = null;
  let lookingUp: Promise<number> | null = null;
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

  /** What was put off by a clock that went wrong, or by a program that is no more, is looked at once now. */
  async function lookAgain(): Promise<void> {
    const now = clock.now();
    const isSetBack = now.getTime() < lastLook - CLOCK_SET_BACK_ms;
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

  /** Never throws: what can't be stored is found by its lease running out. */
  async function place({ outreach }: ClaimedAttempt): Promise<void> {
    const { key } = outreach;
    try {
      await reach("before-send");
      if (!(await leases.stillHolds(key, HAND_OVER_ms))) return;
      const send = () => senders[outreach.mode].send(outreach, () => holds(key));
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

  /** Carriers that answer slowly, or not at all, hold nobody up who is to be called. */
  function inBackground(): void {
    if (performance.now() - askedAt < ASK_ms) return;
    askedAt = performance.now();
    const begin = (work: Promise<number>) =>
      work.catch((error) => {
        log.warn({ error: errorText(error) }, "the dialer could not ask a carrier");
        return 0;
      });
    asking ??= begin(askAbout()).finally(() => {
      asking = null;
    });
    lookingUp ??= begin(lookAhead(parts)).finally(() => {
      lookingUp = null;
    });
  }

  async function askAbout(): Promise<number> {
    const now = clock.now();
    const unsettled = await takeUnsettled(db, owner, now, MOST_ASKED);
    if (unsettled.length === 0) return 0;
    await reach("before-ask");
    // Each by itself: a carrier that hangs keeps nobody else in the dark.
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

/** What came of handing an attempt over. */
async function handOver(
  send: () => Promise<SentOutreach>,
  key: string,
  { clock, log }: Pick<DialerParts, "clock" | "log">,
): Promise<AttemptEvent> {
  try {
    const { sid, status, session_id, conversation_id } = await inTime(send());
    const session = session_id === null || conversation_id === null ? null : { session_id, conversation_id };
    return { kind: "status", key, status, is_transient: null, at: clock.now(), sid, session };
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

/** Anything that is no `CarrierFault` may have happened after the carrier took it. */
function eventOfFault(error: unknown, why: string, key: string, at: Date): AttemptEvent {
  if (!(error instanceof CarrierFault)) return { kind: "unknown", key, why, from: "handing-over" };
  // Nobody's fault but ours: whatever it was, the person has not been tried.
  if (error.is_ours && error.fate !== "unknown")
    return { kind: "not-taken", key, retry_after_s: null, why, is_ours: true, is_country: error.is_country };
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

/** How long there is nothing to do, as far as this process can know. Indexes: `batch_pacing_wake`, `attempts_check`. */
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
