import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { placeOf } from "../../geography/person-zones.ts";
import { FEDERAL_HOURS, nextContact } from "../contact-hours.ts";
import type { OutreachRules } from "../person-hold.ts";
import { decideRetry } from "../retry.ts";
import { isOpen } from "../schedule.ts";
import { atBetterHour, betterHours, type HourPreference } from "./better-hours.ts";

const HOUR_ms = 3_600_000;
const QUARTER_ms = 900_000;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const EVERY = Array.from({ length: 24 }, (_, hour) => hour);

describe("which hours are better", () => {
  test("an hour whose interval lies above that of all others, and no other", () => {
    const hours = EVERY.map((hour) => ({ hour, tried: 200, answered: hour === 17 ? 90 : 40 }));
    const [found, ...more] = betterHours(hours);
    expect(more).toEqual([]);
    expect(found?.hour).toBe(17);
    expect(found?.low).toBeGreaterThan(found?.others_high as number);
  });

  test("few calls, one hour alone, or none at all say nothing", () => {
    expect(betterHours([])).toEqual([]);
    expect(betterHours([{ hour: 9, tried: 500, answered: 400 }])).toEqual([]);
    const few = EVERY.map((hour) => ({ hour, tried: 5, answered: hour === 17 ? 4 : 1 }));
    expect(betterHours(few)).toEqual([]);
  });

  test("of campaigns whose hours are all alike, at most one in twenty finds a better one", () => {
    let wrong = 0;
    const campaigns = 400;
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 0, max: 99 })), (draws) => {
        const next = () => draws.next().value as number;
        const hours = EVERY.slice(9, 21).map((hour) => {
          let answered = 0;
          for (let call = 0; call < 60; call++) if (next() < 25) answered++;
          return { hour, tried: 60, answered };
        });
        if (betterHours(hours).length > 0) wrong++;
      }),
      { numRuns: campaigns },
    );
    expect(wrong / campaigns).toBeLessThan(0.05);
  });
});

const RULES: OutreachRules = {
  person_clock: true,
  contact_hours: [...FEDERAL_HOURS],
  caps: [],
  days_after_conversation: null,
};
const CALL = { channel: "call", purpose: "informational" } as const;
const schedule = (from: number, to: number) => ({
  max_daily_calls: null,
  active_days: [...DAYS],
  outreach_override_rules: null,
  daily_start_time: `${String(from).padStart(2, "0")}:00:00`,
  daily_end_time: `${String(to).padStart(2, "0")}:00:00`,
});
const better = (...hours: number[]) =>
  hours.map((hour) => ({ hour, low: 0.4, high: 0.5, others_low: 0.1, others_high: 0.2 }));

const given = fc.record({
  planned: fc
    .integer({ min: 0, max: 14 * 24 * 4 })
    .map((n) => new Date(Date.parse("2026-10-25T00:00:00Z") + n * QUARTER_ms)),
  from: fc.integer({ min: 6, max: 12 }),
  to: fc.integer({ min: 13, max: 23 }),
  days: fc.subarray([...DAYS], { minLength: 1 }),
  hours: fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { maxLength: 6 }),
  within_h: fc.integer({ min: 1, max: 72 }),
  // One zone, two zones, a half hour, Europe.
  target: fc.constantFrom("+12125550100", "+18505550100", "+17095550100", "+4930901820"),
  zone: fc.constantFrom("America/New_York", "America/Los_Angeles", "UTC"),
  reads: fc.boolean(),
  not_after: fc.option(fc.integer({ min: 0, max: 96 })),
  expires: fc.option(fc.integer({ min: 0, max: 96 })),
});
type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

const later = (at: Date, hours: number) => new Date(at.getTime() + hours * HOUR_ms);
const preferenceOf = (each: Given): HourPreference => ({
  better: better(...each.hours),
  within_h: each.within_h,
  hours: { schedule: { ...schedule(each.from, each.to), active_days: each.days }, zone: each.zone },
  rules: each.reads ? RULES : null,
  purpose: CALL.purpose,
  person: {
    target: each.target,
    request_variables:
      each.not_after === null ? {} : { not_after: later(each.planned, each.not_after).toISOString() },
    contact_timezone: null,
  },
  expires_on: each.expires === null ? null : later(each.planned, each.expires),
});

/** A second reading: whether a call may start then, and whether it is a better hour on every clock, as Intl prints it. */
function reading(each: Given) {
  const { hours, expires_on } = preferenceOf(each);
  const place = placeOf({ timezone: null, target: each.target }, each.zone);
  const isAllowed = (at: Date) =>
    isOpen(hours.schedule, hours.zone, at) &&
    (!each.reads || nextContact(RULES, CALL, place as never, at).at?.getTime() === at.getTime());
  const isBetter = (at: Date) =>
    (place?.zones ?? []).every((timeZone) => {
      const hour = new Intl.DateTimeFormat("en-US", { timeZone, hour: "2-digit", hourCycle: "h23" }).format(
        at,
      );
      return each.hours.includes(Number(hour));
    });
  const ends = [
    expires_on,
    each.reads && each.not_after !== null ? later(each.planned, each.not_after) : null,
  ];
  return { isAllowed, isBetter, isInTime: (at: Date) => ends.every((end) => end === null || at < end) };
}

describe("a retry that prefers better hours", () => {
  test("starts where campaign and person are open, in a better hour, in time, and no better one came before", () => {
    fc.assert(
      fc.property(given, (each) => {
        const preference = preferenceOf(each);
        const { isAllowed, isBetter, isInTime } = reading(each);
        const found = atBetterHour(each.planned, preference);
        expect(atBetterHour(each.planned, preference)).toEqual(found);
        let start = each.planned;
        for (let n = 0; n < 8 * 96 && !isAllowed(start); n++) start = new Date(start.getTime() + QUARTER_ms);
        const last = later(start, each.within_h).getTime();
        let first: Date | null = null;
        for (let at = start; at.getTime() <= last && first === null; at = new Date(at.getTime() + QUARTER_ms))
          if (isAllowed(at) && isBetter(at)) first = at;
        if (found === null) {
          // None is better in time, or the retry starts in one anyway.
          const isLate = first !== null && !isInTime(first);
          expect(first === null || isLate || first.getTime() === start.getTime()).toBe(true);
          return;
        }
        expect(found.instead_of).toEqual(start);
        expect(found.at).toEqual(first);
        expect(found.at > start).toBe(true);
        expect(isInTime(found.at)).toBe(true);
        expect(each.hours).toContain(found.better.hour);
        // Planned for then, it keeps its time.
        expect(atBetterHour(found.at, preference)).toBeNull();
      }),
      { numRuns: rounds(300) },
    );
  });

  const NOON = new Date("2026-11-18T17:00:00Z");
  const person = { target: "+12125550100", request_variables: {}, contact_timezone: null };
  const base: HourPreference = {
    better: better(17),
    within_h: 24,
    rules: null,
    purpose: CALL.purpose,
    person,
    expires_on: null,
    hours: { schedule: schedule(9, 21), zone: "America/New_York" },
  };

  test.each([
    ["the same day", {}, "2026-11-18T22:00:00.000Z"],
    [
      "on the person's own clock",
      { person: { ...person, target: "+12135550100" } },
      "2026-11-19T01:00:00.000Z",
    ],
    [
      "in the contact's zone",
      { person: { ...person, contact_timezone: "America/Chicago" } },
      "2026-11-18T23:00:00.000Z",
    ],
    ["the next day where the window is closed today", { better: better(10) }, "2026-11-19T15:00:00.000Z"],
    ["not beyond its bound", { within_h: 4 }, undefined],
    ["not at or after the batch's end", { expires_on: new Date("2026-11-18T22:00:00Z") }, undefined],
    ["not where no hour is better", { better: [] }, undefined],
    ["not where the better hour is outside the window", { better: better(21) }, undefined],
  ])("%s", (_what, more, at) => {
    expect(atBetterHour(NOON, { ...base, ...more })?.at.toISOString()).toBe(at);
  });

  test("only calls move, and a rule that names another hour keeps it", () => {
    const missed = { is_transient: null, attempt_number: 1, ended_at: later(NOON, -1), earlier: [] };
    const fields = { retry_count: 2, retry_interval: "1h", preference: base };
    expect(decideRetry({ mode: "voice", status: "BUSY", ...missed }, fields)).toMatchObject({
      at: new Date("2026-11-18T22:00:00.000Z"),
      move: { hour: 17, instead_of: NOON.toISOString() },
    });
    expect(decideRetry({ mode: "sms", status: "UNEXPECTED_ERROR", ...missed }, fields)).toEqual({
      kind: "retry",
      at: NOON,
      number: 1,
      of: 2,
    });
    const rule = { outcome: "BUSY" as const, wait: "1h", max_retries: 1, another_hour: true };
    const ruled = decideRetry(
      { mode: "voice", status: "BUSY", ...missed },
      { ...fields, by_outcome: { rules: [rule], hours: base.hours } },
    );
    expect(ruled).not.toHaveProperty("move");
  });
});
