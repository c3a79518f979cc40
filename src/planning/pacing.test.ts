import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { autoRate, interval_ms, lastStart, nextSlot, openHours, rateOf } from "./pacing.ts";
import { WEEKDAYS } from "./weekday.ts";

const always = {
  daily_start_time: null,
  daily_end_time: null,
  max_daily_calls: null,
  active_days: [...WEEKDAYS],
  outreach_override_rules: null,
};

describe("the rate", () => {
  test.each([
    ["the campaign's, where the batch has none", { hourly_rate: 60, call_rate: null }, null, 60],
    ["the batch's over the campaign's", { hourly_rate: 60, call_rate: 10 }, null, 10],
    ["the one worked out over both", { hourly_rate: 60, call_rate: 10 }, 37.5, 37.5],
  ])("is %s", (_which, rates, auto, rate) => {
    expect(rateOf(rates, auto)).toBe(rate);
  });

  test.each([
    [60, 60_000],
    [3600, 1_000],
    [1, 3_600_000],
    [7, 514_286],
  ])("of %d an hour is an attempt every %d ms", (rate, interval) => {
    expect(interval_ms(rate)).toBe(interval);
  });

  test("never lets an hour hold one too many, at whatever rate and however late each starts", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3600 }),
        fc.array(fc.integer({ min: 0, max: 5_000 })),
        (rate, late) => {
          const starts: number[] = [];
          let last: Date | null = null;
          for (const ms of late) {
            const start: Date = new Date(nextSlot(last, rate).getTime() + ms);
            starts.push(start.getTime());
            last = start;
          }
          for (const [i, start] of starts.entries()) {
            const before = starts[i - rate];
            if (before !== undefined) expect(start - before).toBeGreaterThanOrEqual(3_600_000);
          }
        },
      ),
    );
  });
});

describe("an automatic rate", () => {
  test.each([
    ["spreads what is left over the open hours", { requests: 240, open_hours: 2, baseline: null }, 120, 120],
    ["goes 20 % above its baseline at most", { requests: 400, open_hours: 2, baseline: 120 }, 144, 120],
    ["and 20 % below", { requests: 10, open_hours: 2, baseline: 120 }, 96, 120],
    ["is never above the highest rate", { requests: 1_000_000, open_hours: 1, baseline: null }, 3600, 3600],
    ["nor below one an hour", { requests: 1, open_hours: 100, baseline: null }, 1, 1],
  ])("%s", (_what, left, rate, baseline) => {
    const found = autoRate(left);
    expect(found?.rate).toBeCloseTo(rate, 9);
    expect(found?.baseline).toBeCloseTo(baseline, 9);
  });

  test("is none when nothing is left, or no hour is open", () => {
    expect(autoRate({ requests: 0, open_hours: 5, baseline: null })).toBeNull();
    expect(autoRate({ requests: 5, open_hours: 0, baseline: null })).toBeNull();
  });
});

test("open hours are counted inside the windows only", () => {
  const from = new Date("2026-11-18T00:00:00Z");
  const office = { ...always, daily_start_time: "09:00:00", daily_end_time: "17:00:00" };
  expect(openHours(always, "UTC", from, new Date("2026-11-18T02:00:00Z"))).toBeCloseTo(2, 9);
  expect(openHours(office, "UTC", from, new Date("2026-11-20T00:00:00Z"))).toBeCloseTo(16, 9);
  expect(
    openHours(office, "UTC", new Date("2026-11-18T16:00:00Z"), new Date("2026-11-19T10:00:00Z")),
  ).toBeCloseTo(2, 9);
  expect(openHours(always, "UTC", from, from)).toBe(0);
});

test("open hours up to a far end are those of a year, times the years, wherever its steps would fall", () => {
  const from = new Date("2026-11-18T03:00:00Z");
  const office = { ...always, daily_start_time: "09:00:00", daily_end_time: "17:00:00" };
  // 10,000 days, and the last year that a timestamp may have.
  for (const until of [new Date(from.getTime() + 10_000 * 86_400_000), new Date("9999-12-31T00:00:00Z")]) {
    const days = (until.getTime() - from.getTime()) / 86_400_000;
    expect(openHours(office, "America/New_York", from, until) / (8 * days)).toBeCloseTo(1, 2);
  }
});

test("a last start far ahead of the clock is taken as now: the clock was set back", () => {
  const now = new Date("2026-11-18T12:00:00Z");
  const ahead = (ms: number) => new Date(now.getTime() + ms);
  expect(lastStart(ahead(2 * 3_600_000), now)).toEqual(now);
  expect(lastStart(ahead(500), now)).toEqual(ahead(500));
  expect(lastStart(null, now)).toBeNull();
});
