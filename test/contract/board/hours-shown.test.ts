import fc from "fast-check";
import { expect, test } from "vitest";
import { openDay } from "../../../src/console/campaign-form/opening.ts";
import { resolveDay, type Schedule } from "../../../src/planning/schedule.ts";
import { WEEKDAYS } from "../../../src/planning/weekday.ts";
import { rounds } from "../../harness/seed.ts";

const two = (value: number): string => String(value).padStart(2, "0");
const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 }))
  .map((parts) => parts.map(two).join(":"));
const cap = fc.option(fc.integer({ min: 0, max: 3 }));
const rule = fc.record(
  {
    active: fc.option(fc.boolean()),
    daily_start_time: fc.option(time),
    daily_end_time: fc.option(time),
    max_daily_calls: cap,
  },
  { requiredKeys: [] },
);
const dates = Array.from({ length: 10 }, (_, day) => `2026-12-${two(day + 1)}`);
const schedule: fc.Arbitrary<Schedule> = fc.record({
  daily_start_time: fc.option(time),
  daily_end_time: fc.option(time),
  max_daily_calls: cap,
  active_days: fc.subarray([...WEEKDAYS]),
  outreach_override_rules: fc.option(
    fc.record(
      {
        days: fc.dictionary(fc.constantFrom(...WEEKDAYS), rule),
        dates: fc.dictionary(fc.constantFrom(...dates), rule),
      },
      { requiredKeys: [] },
    ),
  ),
});

test("the hours and caps that the console draws are those by which the dialer goes", () => {
  fc.assert(
    fc.property(schedule, fc.constantFrom(...dates), (campaign, date) => {
      const { window, cap: most } = openDay(campaign, date);
      expect({ windows: window ? [window] : [], cap: most }).toEqual(resolveDay(campaign, date));
    }),
    { numRuns: rounds(500) },
  );
});
