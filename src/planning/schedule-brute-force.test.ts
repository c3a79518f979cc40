import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { isOpen, nextOpening, openDays, type Rule, resolveDay, type Schedule } from "./schedule.ts";
import { WEEKDAYS, type Weekday } from "./weekday.ts";

/**
 * The rules once more, minute by minute and in the slowest words: what Intl says the clock shows, compared as text.
 * Shares neither the calendar, the clock nor the arithmetic of what it checks.
 */
type Shown = { date: string; time: string };

function clockOf(zone: string): (at_ms: number) => Shown {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (at_ms) => {
    const [date, time] = format.format(at_ms).split(" ") as [string, string];
    return { date, time };
  };
}

const nameOf = (date: string): Weekday =>
  new Date(date).toLocaleDateString("en", { weekday: "short", timeZone: "UTC" }).toLowerCase() as Weekday;

const dayBefore = (date: string) => Temporal.PlainDate.from(date).subtract({ days: 1 }).toString();

function slowWindow(schedule: Schedule, date: string): { start: string; end: string } | null {
  const layers: Rule[] = [
    schedule.outreach_override_rules?.dates?.[date] ?? {},
    schedule.outreach_override_rules?.days?.[nameOf(date)] ?? {},
    { ...schedule, active: schedule.active_days.includes(nameOf(date)) },
  ];
  const first = <K extends keyof Rule>(key: K) => layers.find((layer) => layer[key] != null)?.[key];
  if (!first("active") || first("max_daily_calls") === 0) return null;
  return { start: first("daily_start_time") ?? "00:00:00", end: first("daily_end_time") ?? "24:00:00" };
}

/** Remembers the windows of dates: brute force asks for the same ones thousands of times. */
function slowly(schedule: Schedule): (shown: Shown) => boolean {
  const found = new Map<string, ReturnType<typeof slowWindow>[]>();
  return ({ date, time }) => {
    let windows = found.get(date);
    if (!windows) {
      windows = [date, dayBefore(date)].map((day) => slowWindow(schedule, day));
      found.set(date, windows);
    }
    const [today, yesterday] = windows;
    const overMidnight = (window: { start: string; end: string }) => window.end <= window.start;
    return (
      (today != null && time >= today.start && (overMidnight(today) || time < today.end)) ||
      (yesterday != null && overMidnight(yesterday) && time < yesterday.end)
    );
  };
}

const MINUTE_ms = 60_000;
const DAY_ms = 86_400_000;
const clockTime = (minutes: number) => {
  const of = ((minutes % 1440) + 1440) % 1440;
  return `${String(Math.floor(of / 60)).padStart(2, "0")}:${String(of % 60).padStart(2, "0")}:00`;
};

/** Every day from one time until another. */
const every = (start: string, end: string): Schedule => ({
  daily_start_time: start,
  daily_end_time: end,
  max_daily_calls: null,
  active_days: [...WEEKDAYS],
  outreach_override_rules: null,
});

describe("where the clocks change", () => {
  test.each([
    ["America/New_York", "2026-03-08T07:00", "gap 02-03"],
    ["America/New_York", "2026-11-01T06:00", "overlap 01-02"],
    ["Europe/London", "2026-03-29T01:00", "gap 01-02"],
    ["Europe/London", "2026-10-25T01:00", "overlap 01-02"],
    ["Australia/Lord_Howe", "2026-10-03T15:30", "gap of half an hour"],
    ["Australia/Lord_Howe", "2026-04-04T15:00", "overlap of half an hour"],
    ["Australia/Sydney", "2026-10-03T16:00", "gap 02-03, southern spring"],
    ["Pacific/Chatham", "2026-04-04T14:00", "overlap at 02:45, offset of 45 minutes"],
    ["Africa/Cairo", "2026-04-23T22:00", "gap that begins at midnight"],
    ["Africa/Cairo", "2026-10-29T21:00", "overlap that ends at midnight"],
    ["America/Havana", "2026-03-08T05:00", "gap that begins at midnight"],
    ["America/Havana", "2026-11-01T05:00", "overlap that begins at midnight"],
    ["America/Santiago", "2026-09-06T04:00", "gap that begins at midnight, southern"],
    ["America/Santiago", "2026-04-05T03:00", "overlap back over midnight into Saturday"],
    ["America/St_Johns", "2010-03-14T03:31", "gap at one minute past midnight"],
    ["America/St_Johns", "2010-11-07T02:31", "overlap from one minute past midnight into the day before"],
    ["America/Sao_Paulo", "2018-11-04T03:00", "gap that begins at midnight"],
    ["Antarctica/Troll", "2026-03-29T01:00", "gap of two hours"],
    ["Antarctica/Troll", "2026-10-25T01:00", "overlap of two hours"],
    ["Africa/Casablanca", "2026-02-15T02:00", "set back for Ramadan"],
    ["Africa/Casablanca", "2026-03-22T02:00", "set ahead after Ramadan"],
    ["Pacific/Apia", "2011-12-30T10:00", "a whole day that never was"],
    ["Pacific/Kwajalein", "1993-08-21T12:00", "a whole day that never was, eastwards"],
    ["Asia/Pyongyang", "2018-05-04T15:00", "a new standard time, by half an hour"],
  ])("%s at %sZ, %s: every minute of three days is as the clock on the wall has it", (zone, at, _what) => {
    const change = Date.parse(`${at}Z`);
    const clock = clockOf(zone);
    const minutes = Array.from({ length: 3 * 1440 }, (_, i) => change + (i - 1.5 * 1440) * MINUTE_ms);
    const shown = minutes.map(clock);
    const jump =
      Date.parse(`${clock(change).date}T${clock(change).time}`) -
      Date.parse(`${clock(change - MINUTE_ms).date}T${clock(change - MINUTE_ms).time}`);
    expect(jump, "the clocks change here").not.toBe(MINUTE_ms);

    const { time } = clock(change - MINUTE_ms);
    const around = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)) + 1;
    for (const start of [-90, -60, -30, 0, 15, 30, 75]) {
      for (const length of [20, 60, 180, 1380]) {
        const schedule = every(clockTime(around + start), clockTime(around + start + length));
        const open = shown.map(slowly(schedule));
        const differing = minutes.filter((at_ms, i) => isOpen(schedule, zone, new Date(at_ms)) !== open[i]);
        expect(differing.map((at_ms) => new Date(at_ms).toISOString())).toEqual([]);

        for (let i = 0; i < minutes.length; i += 53) {
          const next = open.indexOf(true, i);
          if (next === -1) continue;
          expect(nextOpening(schedule, zone, new Date(minutes[i]!))).toEqual(new Date(minutes[next]!));
        }
      }
    }
  });
});

describe("for any campaign, zone and instant", () => {
  const quarter = fc.integer({ min: 0, max: 95 }).map((n) => clockTime(n * 15));
  const time = fc.option(quarter, { freq: 4 });
  const cap = fc.option(fc.integer({ min: 0, max: 3 }));
  const rule: fc.Arbitrary<Rule> = fc.record(
    { active: fc.option(fc.boolean()), daily_start_time: time, daily_end_time: time, max_daily_calls: cap },
    { requiredKeys: [] },
  );
  const zone = fc.constantFrom(
    "UTC",
    "America/New_York",
    "Europe/London",
    "Africa/Cairo",
    "Africa/Casablanca",
    "America/Havana",
    "America/Santiago",
    "America/St_Johns",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
    "Antarctica/Troll",
  );
  /** A quarter of an hour of 2026 to 2028, the leap day in it. */
  const instant = fc.integer({ min: 0, max: 3 * 365 * 96 }).map((n) => Date.UTC(2026) + n * 15 * MINUTE_ms);
  const nearby = (at_ms: number) =>
    fc.integer({ min: -2, max: 9 }).map((days) => new Date(at_ms + days * DAY_ms).toISOString().slice(0, 10));
  const situation = instant.chain((at_ms) =>
    fc.record({
      at_ms: fc.constant(at_ms),
      zone,
      schedule: fc.record({
        daily_start_time: time,
        daily_end_time: time,
        max_daily_calls: cap,
        active_days: fc.subarray([...WEEKDAYS]),
        outreach_override_rules: fc.option(
          fc.record({
            days: fc.dictionary(fc.constantFrom(...WEEKDAYS), rule, { maxKeys: 4 }),
            dates: fc.dictionary(nearby(at_ms), rule, { maxKeys: 4 }),
          }),
          { freq: 5 },
        ),
      }),
    }),
  );

  test("open and next opening agree with the slow reading of the rules", () => {
    fc.assert(
      fc.property(situation, ({ at_ms, zone, schedule }) => {
        const clock = clockOf(zone);
        const isOpenSlowly = slowly(schedule);
        const at = new Date(at_ms);
        const open = isOpenSlowly(clock(at_ms));
        expect(isOpen(schedule, zone, at)).toBe(open);
        expect(openDays(schedule, zone, at).length > 0).toBe(open);

        // Times and offsets are whole quarters here, so nothing opens or closes between two of them.
        const horizon_ms = at_ms + 8 * DAY_ms;
        let next_ms = at_ms;
        while (next_ms < horizon_ms && !isOpenSlowly(clock(next_ms))) next_ms += 15 * MINUTE_ms;
        const next = nextOpening(schedule, zone, at);
        if (next_ms < horizon_ms) expect(next).toEqual(new Date(next_ms));
        else if (next !== null) {
          expect(next.getTime()).toBeGreaterThanOrEqual(horizon_ms);
          expect(isOpen(schedule, zone, next)).toBe(true);
        }
      }),
      { numRuns: rounds(400) },
    );
  });

  test("a day that is open has one window of at most 24 hours, and a cap that is not 0", () => {
    fc.assert(
      fc.property(situation, ({ at_ms, schedule }) => {
        const { windows, cap } = resolveDay(schedule, new Date(at_ms).toISOString().slice(0, 10));
        expect(windows).toHaveLength(cap === 0 ? 0 : 1);
        for (const { start_s, end_s } of windows) {
          expect(start_s).toBeLessThan(86_400);
          expect(end_s - start_s).toBeGreaterThan(0);
          expect(end_s - start_s).toBeLessThanOrEqual(86_400);
        }
      }),
    );
  });
});
