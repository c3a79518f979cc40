import { CLOCK_SET_BACK_MS } from "../base/clock.ts";
import { isOpen, type Schedule } from "./schedule.ts";

/**
 * When a batch may start its next attempt: one interval after the last one, so that they are evenly spread and no hour,
 * wherever it begins, holds more than the rate. What an outage missed is not caught up: there is no credit.
 */
type Rates = { hourly_rate: number; call_rate: number | null };

const HOUR_ms = 3_600_000;

/** Attempts per hour. What `auto_call_rate` worked out goes over the batch's own rate, and that over the campaign's. */
export const rateOf = ({ hourly_rate, call_rate }: Rates, auto_rate: number | null): number =>
  auto_rate ?? call_rate ?? hourly_rate;

/** Between the starts of two attempts. Rounded up: a millisecond less, and an hour would hold one too many. */
export const interval_ms = (rate: number): number => Math.ceil(HOUR_ms / rate);

/** The last start as this clock can have seen it. Waiting for a time that was an error could stop a batch for hours. */
export const lastStart = (last_at: Date | null, now: Date): Date | null =>
  last_at !== null && last_at.getTime() > now.getTime() + CLOCK_SET_BACK_MS ? now : last_at;

/** The first instant at which the next attempt may start; in the past where it may at once. */
export const nextSlot = (last_at: Date | null, rate: number): Date =>
  new Date(last_at === null ? 0 : last_at.getTime() + interval_ms(rate));

/** The API's highest rate: one a second, which is also what carriers take by default. */
const MAX_RATE = 3600;
const MIN_RATE = 1;
/** How far a rate may leave the one that was worked out first. */
const SWING = 0.2;

type AutoRate = { rate: number; baseline: number };

/**
 * Attempts per hour that spread what is left over the open hours before the batch expires. The first one is the baseline;
 * later ones stay within 20 % of it, so that a slow day makes no burst. Null when nothing is left, or no open hour.
 */
export function autoRate(left: {
  requests: number;
  open_hours: number;
  baseline: number | null;
}): AutoRate | null {
  if (left.requests === 0 || left.open_hours === 0) return null;
  const needed = clamp(left.requests / left.open_hours, MIN_RATE, MAX_RATE);
  const baseline = left.baseline ?? needed;
  const rate = clamp(needed, baseline * (1 - SWING), baseline * (1 + SWING));
  return { rate: clamp(rate, MIN_RATE, MAX_RATE), baseline };
}

/** How long an auto rate holds before it is worked out again. */
export const AUTO_RATE_ms = 5 * 60_000;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Five minutes divide every window that people choose; a batch that runs for months needs no such detail. */
const STEP_ms = 5 * 60_000;
const MAX_STEPS = 10_000;
/**
 * Clocks change twice in it. Every further change costs as much as 20 steps, under the locks of a claim: a batch that ends in
 * the year 9999 took 0.3 s, and steps of whole days would all meet the same hour.
 */
const LOOKED_AT_ms = 365 * 24 * HOUR_ms;

/** How many hours between two instants are open, to some minutes; beyond a year, as many of each as in its first. */
export function openHours(schedule: Schedule, zone: string, from: Date, until: Date): number {
  const span_ms = until.getTime() - from.getTime();
  if (span_ms <= 0) return 0;
  const looked_ms = Math.min(span_ms, LOOKED_AT_ms);
  const steps = Math.min(Math.ceil(looked_ms / STEP_ms), MAX_STEPS);
  const step_ms = looked_ms / steps;
  let open = 0;
  for (let step = 0; step < steps; step++) {
    if (isOpen(schedule, zone, new Date(from.getTime() + (step + 0.5) * step_ms))) open++;
  }
  return ((open / steps) * span_ms) / HOUR_ms;
}
