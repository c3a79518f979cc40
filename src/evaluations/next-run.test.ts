import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { nextRunAfter, RUN_DAYS } from "./next-run.ts";

const next = (
  time: string,
  timezone: string,
  now: string,
  days: readonly (typeof RUN_DAYS)[number][] = RUN_DAYS,
) => nextRunAfter({ time, timezone, days }, new Date(now))?.toISOString() ?? null;

test.each([
  ["02:00", "Europe/Berlin", "2026-11-24T12:00:00Z", "2026-11-25T01:00:00.000Z"],
  ["02:00", "Europe/Berlin", "2026-11-25T01:00:00Z", "2026-11-26T01:00:00.000Z"],
  // Clocks go from 2:00 to 3:00 on 29 March 2026: 2:30 is taken as 3:30.
  ["02:30", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00.000Z"],
  // On 25 October 2:30 comes twice: the first counts, and the second is no further run.
  ["02:30", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"],
  ["02:30", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"],
])("%s in %s, after %s, is %s", (time, zone, now, at) => {
  expect(next(time, zone, now)).toBe(at);
});

test("without a day there is no run", () => {
  expect(next("02:00", "UTC", "2026-11-24T12:00:00Z", [])).toBeNull();
});

test("for all times, zones and days, the next run is later, on a chosen day, and none lies between", () => {
  const zone = fc.constantFrom(
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
  );
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
  const days = fc.subarray([...RUN_DAYS], { minLength: 1 });
  const now = fc.date({ min: new Date("2024-01-01"), max: new Date("2030-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(zone, time, days, now, (timezone, at, chosen, from) => {
      const times = { time: at, timezone, days: chosen };
      const found = nextRunAfter(times, from) as Date;
      expect(found.getTime()).toBeGreaterThan(from.getTime());
      const local = Temporal.Instant.fromEpochMilliseconds(found.getTime()).toZonedDateTimeISO(timezone);
      expect(chosen).toContain(RUN_DAYS[local.dayOfWeek - 1]);
      const between = new Date((from.getTime() + found.getTime()) / 2);
      expect(nextRunAfter(times, between)).toEqual(found);
      expect(nextRunAfter(times, new Date(found.getTime() - 1))).toEqual(found);
    }),
    { numRuns: rounds(200) },
  );
});
