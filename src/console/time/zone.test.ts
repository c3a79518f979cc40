import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { formatDistance } from "./zone.ts";

const NOW = new Date("2026-11-30T12:00:00Z");
const MINUTE_ms = 60_000;

test("how long ago something was is said in the unit that people say it in: never 60 minutes, never 24 hours", () => {
  fc.assert(
    fc.property(fc.integer({ min: -3 * 1440 * MINUTE_ms, max: 3 * 1440 * MINUTE_ms }), (away_ms) => {
      const words = formatDistance(new Date(NOW.getTime() + away_ms), NOW);
      expect(words).not.toMatch(/\b(60 minutes|24 hours)\b/);
      const [, number = "0", unit = ""] = /(\d+) (minute|hour|day)/.exec(words) ?? [];
      const unit_ms = { minute: MINUTE_ms, hour: 60 * MINUTE_ms, day: 1440 * MINUTE_ms }[unit];
      if (unit_ms)
        expect(Math.abs(Number(number) * unit_ms - Math.abs(away_ms))).toBeLessThanOrEqual(unit_ms / 2);
    }),
    { numRuns: rounds(500) },
  );
  const before = (minutes: number) => formatDistance(new Date(NOW.getTime() - minutes * MINUTE_ms), NOW);
  expect([0.9, 1, 59.4, 59.6, 60 * 23.4, 60 * 23.6].map(before)).toEqual([
    "just now",
    "1 minute ago",
    "59 minutes ago",
    "1 hour ago",
    "23 hours ago",
    "yesterday",
  ]);
});
