import type { ChannelStatus } from "../channels/channel-status.ts";

/**
 * Stops a number or address from which nearly everything fails: a carrier that is down, an account out of money, a
 * number that networks block. People who are busy or don't answer are no failures.
 */
export type SourceHealth = {
  since: Date;
  ended: number;
  failed: number;
  /** Nothing starts before, and after it one attempt at a time until one ends. */
  closed_until: Date | null;
  /** Times in a row that it closed without an attempt in between that went well. */
  trips: number;
};

/** What ended since the last look. */
export type Tally = { ended: number; failed: number };

const WINDOW_ms = 120_000;
const LEAST_ENDED = 5;
const FAILED_SHARE = 0.5;
const FIRST_PAUSE_ms = 60_000;
const LONGEST_PAUSE_ms = 15 * 60_000;

export const healthy = (now: Date): SourceHealth => ({
  since: now,
  ended: 0,
  failed: 0,
  closed_until: null,
  trips: 0,
});

/** The health after what ended, and whether that closed the source. */
export function afterOutcomes(
  before: SourceHealth,
  { ended, failed }: Tally,
  now: Date,
): { health: SourceHealth; tripped: boolean } {
  const wasProbed = before.closed_until !== null && before.closed_until <= now;
  if (wasProbed && ended > failed) return { health: healthy(now), tripped: false };
  const isStale = now.getTime() - before.since.getTime() > WINDOW_ms;
  const counted = isStale ? { ...before, since: now, ended, failed } : sum(before, ended, failed);
  // What was under way when it closed ends meanwhile; that says nothing new.
  if (before.closed_until !== null && !wasProbed) return { health: counted, tripped: false };
  const isSick = wasProbed
    ? failed > 0
    : counted.ended >= LEAST_ENDED && counted.failed / counted.ended >= FAILED_SHARE;
  if (!isSick) return { health: counted, tripped: false };
  const pause_ms = Math.min(FIRST_PAUSE_ms * 2 ** before.trips, LONGEST_PAUSE_ms);
  return {
    health: {
      since: now,
      ended: 0,
      failed: 0,
      closed_until: new Date(now.getTime() + pause_ms),
      trips: before.trips + 1,
    },
    tripped: true,
  };
}

const sum = (before: SourceHealth, ended: number, failed: number): SourceHealth => ({
  ...before,
  ended: before.ended + ended,
  failed: before.failed + failed,
});

/** How many attempts a source may have under way. */
export function sourceLimit({ closed_until }: SourceHealth, limit: number, now: Date): number {
  if (closed_until === null) return limit;
  return closed_until > now ? 0 : 1;
}

const FAILURES: readonly ChannelStatus[] = [
  "FAILED",
  "UNEXPECTED_ERROR",
  "NO_OUTCOME",
  "SIP_TEMPORARILY_UNAVAILABLE",
  "SIP_LOOP_DETECTED",
  "DELIVERY_FAILED",
];

/** The way to the person failed, not the person. */
export const isCarrierFailure = (status: ChannelStatus): boolean => FAILURES.includes(status);
