import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { clockMove_min, offset_ms, toInstant, toWall } from "./wall-time.ts";

test.each([
  ["2026-11-20T14:30", "Europe/Berlin", "2026-11-20T13:30:00.000Z"],
  ["2026-07-01T00:00", "America/New_York", "2026-07-01T04:00:00.000Z"],
  ["2026-07-01T00:00", "Asia/Kathmandu", "2026-06-30T18:15:00.000Z"],
  ["2026-07-01T00:00", "UTC", "2026-07-01T00:00:00.000Z"],
])("%s in %s is %s, and back", (wall, zone, instant) => {
  expect(toInstant(wall, zone)).toBe(instant);
  expect(toWall(instant, zone)).toBe(wall);
});

const ZONES = ["Europe/Berlin", "America/New_York", "America/Santiago", "America/Havana", "Africa/Cairo"];
const MORE = [
  "Asia/Beirut",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Apia",
  "Asia/Kathmandu",
  "UTC",
];

test("a local time is the instant that the server takes it for, on every day of a year that has hours twice or not at all", () => {
  const day = fc.integer({ min: 0, max: 364 });
  const minute = fc.integer({ min: 0, max: 1439 });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES, ...MORE), day, minute, (zone, days, minutes) => {
      const wall = Temporal.PlainDateTime.from("2026-01-01T00:00").add({ days, minutes });
      const midnight = wall.toPlainDate();
      const [begins, ends] = [midnight, midnight.add({ days: 1 })].map((date) => date.toZonedDateTime(zone));
      for (const at of [wall, midnight.toPlainDateTime(), midnight.toPlainDateTime({ hour: 2, minute: 30 })])
        expect(toInstant(at.toString().slice(0, 16), zone)).toBe(
          new Date(at.toZonedDateTime(zone).epochMilliseconds).toISOString(),
        );
      const before = [begins, ends].map((at) => at?.subtract({ milliseconds: 1 }).offsetNanoseconds ?? 0);
      expect(clockMove_min(String(midnight), zone)).toBe(((before[1] ?? 0) - (before[0] ?? 0)) / 60e9);
    }),
    { numRuns: rounds(1_000) },
  );
  const moved = (zone: string, ...dates: string[]) => dates.map((date) => clockMove_min(date, zone));
  expect(moved("America/Santiago", "2026-09-05", "2026-09-06", "2026-04-04", "2026-04-05")).toEqual([
    0, 60, -60, 0,
  ]);
  expect(moved("Europe/Berlin", "2026-03-28", "2026-03-29", "2026-10-25")).toEqual([0, 60, -60]);
});

test("what is no time is none", () => {
  expect(toInstant("", "UTC")).toBeNull();
  expect(toWall("soon", "UTC")).toBe("");
  expect(toWall(null, "UTC")).toBe("");
  expect(offset_ms("America/St_Johns", Date.parse("2026-01-01"))).toBe(-3.5 * 3_600_000);
});
