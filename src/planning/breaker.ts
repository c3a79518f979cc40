import type { ChannelStatus } from "../channels/channel-status.ts";

/**
 * Stops a number or address from which nearly everything fails: a carrier that is down, a number that networks block. The
 * last attempts are judged by their count, however slowly they come. People who are busy or don't answer are no failures.
 * What the carrier refuses because of us (account, permission, number, template) stops it at once.
 */
export type SourceHealth = {
  since: Date;
  /** Of the last attempts: those that ended, and of these the failures. */
  ended: number;
  failed: number;
  /** Nothing starts before, and after it one attempt at a time until one ends. */
  closed_until: Date | null;
  /** Times in a row that it closed without an attempt in between that went well. */
  trips: number;
  /** The carrier's words, where it refused something of ours. */
  reason: string | null;
};

/**
 * What ended since the last look. `repeated`: people whom the carrier did not take before either; one of them says little
 * about all others, and only matters where the source is being tried again. `refused`: what the carrier refused because of
 * us, in its words.
 */
export type Tally = { ended: number; failed: number; repeated: number; refused: string | null };

const LEAST_ENDED = 5;
/** Counts are halved here, so that the last five to ten attempts are judged. */
const MOST_ENDED = 10;
const FAILED_SHARE = 0.5;
const FIRST_PAUSE_ms = 60_000;
const LONGEST_PAUSE_ms = 15 * 60_000;

export const healthy = (now: Date): SourceHealth => ({
  since: now,
  ended: 0,
  failed: 0,
  closed_until: null,
  trips: 0,
  reason: null,
});

/** The health after what ended, and whether that closed the source. */
export function afterOutcomes(
  before: SourceHealth,
  { ended, failed, repeated, refused }: Tally,
  now: Date,
): { health: SourceHealth; tripped: boolean } {
  const wasProbed = before.closed_until !== null && before.closed_until <= now;
  if (wasProbed && ended > failed + repeated && refused === null)
    return { health: healthy(now), tripped: false };
  // What was under way when it closed ends meanwhile; that says nothing new.
  if (before.closed_until !== null && !wasProbed) return { health: before, tripped: false };
  const counted = { ...before, ended: before.ended + ended, failed: before.failed + failed };
  const isSick =
    refused !== null ||
    (wasProbed
      ? failed + repeated > 0
      : counted.ended >= LEAST_ENDED && counted.failed / counted.ended >= FAILED_SHARE);
  if (!isSick) return { health: forget(counted), tripped: false };
  const pause_ms = Math.min(FIRST_PAUSE_ms * 2 ** before.trips, LONGEST_PAUSE_ms);
  return {
    health: {
      since: now,
      ended: 0,
      failed: 0,
      closed_until: new Date(now.getTime() + pause_ms),
      trips: before.trips + 1,
      reason: refused,
    },
    tripped: true,
  };
}

function forget(counted: SourceHealth): SourceHealth {
  let { ended, failed } = counted;
  while (ended >= MOST_ENDED) [ended, failed] = [Math.floor(ended / 2), Math.floor(failed / 2)];
  return { ...counted, ended, failed };
}

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
