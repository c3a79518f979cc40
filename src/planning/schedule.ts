import { DAY_ms, DAY_s, LAST_OPENING_ms, spanAt, wallClock } from "./wall-clock.ts";
import { WEEKDAYS, type Weekday } from "./weekday.ts";

/**
 * When a campaign reaches out. Everything is read on one wall clock, that of the campaign's agent: an instant is open
 * if the clock shows a time inside a window, whatever the clock did before. So where clocks are set ahead a window
 * begins at the first minute it really has, and where they are set back the hour that comes twice counts twice.
 *
 * `isOpen` and `openDays` are the only truth before a dial; `nextOpening` only tells how long to sleep.
 */
export type Schedule = {
  /** HH:MM:SS; null: from midnight, until midnight. */
  daily_start_time: string | null;
  daily_end_time: string | null;
  /** People reached for the first time in a day; null: no limit. */
  max_daily_calls: number | null;
  active_days: Weekday[];
  outreach_override_rules: {
    days?: Partial<Record<Weekday, Rule>>;
    dates?: Partial<Record<string, Rule>>;
  } | null;
};

/** What one weekday or date has of its own; null and absent inherit. */
export type Rule = {
  active?: boolean | null | undefined;
  daily_start_time?: string | null | undefined;
  daily_end_time?: string | null | undefined;
  max_daily_calls?: number | null | undefined;
};

/**
 * [start, end) in seconds since the local midnight of the day it belongs to. An end past 24 h lies in the night after;
 * that part still belongs to the day that began it, so closing the next day does not cut it.
 */
export type Window = { start_s: number; end_s: number };

/** No windows: closed, for retries too. `cap` bounds first attempts only; null: no limit. */
export type Day = { windows: Window[]; cap: number | null };

const CLOSED: Day = { windows: [], cap: 0 };

/** `date` is a day of the agent's calendar, YYYY-MM-DD. Date over weekday over campaign, each field for itself. */
export const resolveDay = (schedule: Schedule, date: string): Day => resolve(schedule, dayOf(date));

/**
 * The days of the agent's calendar whose window is open, the earlier first: a window over midnight may still run when
 * the next day's begins. A first attempt counts towards the cap of one of them; a retry needs only that there is one.
 */
export function openDays(
  schedule: Schedule,
  zone: string,
  instant: Date,
): { date: string; cap: number | null }[] {
  const now = wallClock(zone, instant.getTime());
  return [now.day - 1, now.day].flatMap((day) => {
    const { windows, cap } = resolve(schedule, day);
    const second = now.second + (now.day - day) * DAY_s;
    return windows.some((window) => isInside(window, second)) ? [{ date: isoDate(day), cap }] : [];
  });
}

export function isOpen(schedule: Schedule, zone: string, instant: Date): boolean {
  const { day, second } = wallClock(zone, instant.getTime());
  return (
    resolve(schedule, day).windows.some((window) => isInside(window, second)) ||
    resolve(schedule, day - 1).windows.some((window) => isInside(window, second + DAY_s))
  );
}

/** A schedule and the wall clock it is read on. */
export type Hours = { schedule: Schedule; zone: string };

/** The first instant from `instant` on that is open, to the millisecond; null when there will be none. */
export function nextOpening(schedule: Schedule, zone: string, instant: Date): Date | null {
  const from_ms = instant.getTime();
  const today = wallClock(zone, from_ms).day;
  let best: { at_ms: number; day: number } | null = null;
  for (const day of daysToTry(schedule, today - 1)) {
    // Where clocks go back over midnight, tomorrow's window may come before the rest of today's.
    if (best !== null && day > best.day + 1) break;
    for (const window of resolve(schedule, day).windows) {
      const at_ms = firstInside(zone, day, window, from_ms);
      if (at_ms !== null && (best === null || at_ms < best.at_ms)) best = { at_ms, day };
    }
  }
  return best === null || best.at_ms > LAST_OPENING_ms ? null : new Date(best.at_ms);
}

/** Beyond any zone's distance from UTC. */
const MAX_OFFSET_ms = 26 * 3_600_000;

/** The first instant from `from_ms` on at which the zone's clock shows a time inside the day's window. */
function firstInside(zone: string, day: number, window: Window, from_ms: number): number | null {
  const start_ms = day * DAY_ms + window.start_s * 1000;
  const end_ms = day * DAY_ms + window.end_s * 1000;
  let at_ms = Math.max(from_ms, start_ms - MAX_OFFSET_ms);
  while (at_ms < end_ms + MAX_OFFSET_ms) {
    const { offset_ms, until_ms } = spanAt(zone, at_ms);
    const first_ms = Math.max(at_ms, start_ms - offset_ms);
    if (first_ms < Math.min(until_ms, end_ms - offset_ms)) return first_ms;
    at_ms = until_ms;
  }
  return null;
}

/**
 * Days that may be open, in order: as many in a row as it takes for a weekday that is open by itself to come round
 * without a date rule in its way (or a gap that swallows its window), then the dates that have a rule.
 */
function* daysToTry(schedule: Schedule, first: number): Generator<number> {
  const ruled = Object.keys(schedule.outreach_override_rules?.dates ?? {})
    .map(dayOf)
    .filter((day) => day >= first);
  const last = first + 7 * (ruled.length + 3);
  for (let day = first; day <= last; day++) yield day;
  yield* ruled.filter((day) => day > last).toSorted((a, b) => a - b);
}

function resolve(schedule: Schedule, day: number): Day {
  const rules = schedule.outreach_override_rules;
  const weekday = weekdayOf(day);
  const byDate = rules?.dates?.[isoDate(day)];
  const byWeekday = rules?.days?.[weekday];
  const active = byDate?.active ?? byWeekday?.active ?? schedule.active_days.includes(weekday);
  const cap = byDate?.max_daily_calls ?? byWeekday?.max_daily_calls ?? schedule.max_daily_calls;
  if (!active || cap === 0) return CLOSED;
  const start = byDate?.daily_start_time ?? byWeekday?.daily_start_time ?? schedule.daily_start_time;
  const end = byDate?.daily_end_time ?? byWeekday?.daily_end_time ?? schedule.daily_end_time;
  return { windows: [windowOf(start, end)], cap };
}

/** An end that is not after its start lies on the next day; the same time twice is a full day. */
function windowOf(start: string | null, end: string | null): Window {
  const start_s = start === null ? 0 : secondOfDay(start);
  const end_s = end === null ? DAY_s : secondOfDay(end);
  return { start_s, end_s: end_s > start_s ? end_s : end_s + DAY_s };
}

const isInside = ({ start_s, end_s }: Window, second: number): boolean => start_s <= second && second < end_s;

const secondOfDay = (time: string): number =>
  Number(time.slice(0, 2)) * 3600 + Number(time.slice(3, 5)) * 60 + Number(time.slice(6, 8));

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): Weekday => WEEKDAYS[(((day + 3) % 7) + 7) % 7] as Weekday;

const dayOf = (date: string): number => Date.parse(date) / DAY_ms;

/** Printing a date is most the cost of a membership test, and tests are nearly always about today. */
const printed = new Map<number, string>();
const MAX_PRINTED = 1_000;

function isoDate(day: number): string {
  let date = printed.get(day);
  if (date === undefined) {
    if (printed.size >= MAX_PRINTED) printed.clear();
    date = new Date(day * DAY_ms).toISOString().slice(0, 10);
    printed.set(day, date);
  }
  return date;
}
