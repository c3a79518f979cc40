import type { ChannelStatus } from "../../channels/channel-status.ts";
import { type Hours, isOpen } from "../schedule.ts";
import { DAY_ms, wallClock } from "../wall-clock.ts";

/** Outcomes that a campaign may have a rule for: those after which another attempt may meet a better one. */
export const RULED_OUTCOMES = [
  "BUSY",
  "NO-ANSWER",
  "MACHINE",
  "FAILED",
  "SIP_TEMPORARILY_UNAVAILABLE",
  "NO_OUTCOME",
  "UNDELIVERED",
  "DELIVERY_FAILED",
  "UNEXPECTED_ERROR",
] as const satisfies ChannelStatus[];

export type OutcomeRule = {
  outcome: (typeof RULED_OUTCOMES)[number];
  /** Such as 10m or 1d; null: the campaign's retry_interval. */
  wait: string | null;
  /** So many retries of one person after this outcome; 0: none. */
  max_retries: number;
  /** The retry is moved to a time of the day at which the person was not tried yet. */
  another_hour: boolean;
};

/** `hours`: when the campaign is open, which a move to another hour stays in. */
export type OutcomeRules = { rules: readonly OutcomeRule[]; hours: Hours };

export const ruleOf = (rules: OutcomeRules | null, status: ChannelStatus): OutcomeRule | null =>
  rules?.rules.find(({ outcome }) => outcome === status) ?? null;

const HOUR_ms = 3_600_000;
/** In the order in which they are tried: a few hours later than planned, then earlier. */
const MOVES_h = [3, -3, 5, -5, 2, -2];
export const MOST_MOVED_ms = Math.max(...MOVES_h) * HOUR_ms;
/** Nearer than this to an earlier attempt counts as the same hour. */
const SAME_HOUR_s = 5_400;

/**
 * The planned time, moved within the campaign's hours to a time of the day that is far from those of all earlier attempts;
 * the planned time itself where there is none. Never before the last attempt ended. Pure.
 */
export function atAnotherHour(
  planned: Date,
  { schedule, zone }: Hours,
  earlier: readonly { started_at: Date }[],
  ended_at: Date,
): Date {
  const tried = [...earlier.map(({ started_at }) => started_at), ended_at].map((at) => secondOfDay(zone, at));
  const isNew = (at: Date) => tried.every((second) => apart_s(second, secondOfDay(zone, at)) >= SAME_HOUR_s);
  const moved = MOVES_h.map((hours) => new Date(planned.getTime() + hours * HOUR_ms));
  return (
    [planned, ...moved].find((at) => at > ended_at && isNew(at) && isOpen(schedule, zone, at)) ?? planned
  );
}

const secondOfDay = (zone: string, at: Date): number => wallClock(zone, at.getTime()).second;

/** Round the clock: 23:30 and 00:30 are an hour apart. */
function apart_s(a: number, b: number): number {
  const apart = Math.abs(a - b);
  return Math.min(apart, DAY_ms / 1000 - apart);
}
