import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { FEDERAL_HOURS } from "../contact-hours.ts";
import { personState } from "../person-hold.ts";
import { isOpen, type Schedule } from "../schedule.ts";
import { WEEKDAYS } from "../weekday.ts";
import { type CallBackSurroundings, callBackText, callBackTime, readWhen } from "./call-back-time.ts";

const SEATTLE = "+12065580002";
const ZONE = "America/Los_Angeles";
/** 11:00 on a Wednesday in Seattle. */
const NOW = new Date("2026-11-18T19:00:00Z");
const OPEN: Schedule = {
  active_days: [...WEEKDAYS],
  daily_start_time: null,
  daily_end_time: null,
  max_daily_calls: null,
  outreach_override_rules: null,
};
const around = (more: Partial<CallBackSurroundings> = {}): CallBackSurroundings => ({
  target: SEATTLE,
  request_variables: {},
  schedule: OPEN,
  agent_zone: ZONE,
  expires_on: null,
  rules: { person_clock: true, contact_hours: [...FEDERAL_HOURS], caps: [], days_after_conversation: 2 },
  purpose: "informational",
  past: [],
  ...more,
});

describe("a time that somebody names", () => {
  test.each([
    ["20m", "2026-11-18T19:20:00Z"],
    ["in 2 hours", "2026-11-18T21:00:00Z"],
    ["1d", "2026-11-19T19:00:00Z"],
    ["15:00", "2026-11-18T23:00:00Z"],
    ["9:30", "2026-11-19T17:30:00Z"],
    ["2026-11-20T09:00", "2026-11-20T17:00:00Z"],
    ["2026-11-20 09:00", "2026-11-20T17:00:00Z"],
    ["2026-11-20T09:00:00-05:00", "2026-11-20T14:00:00Z"],
  ])("%s is read on the person's clock", (when, at) => {
    expect(readWhen(when, ZONE, NOW)).toEqual(new Date(at));
  });

  test.each(["", "soon", "2026-11-20", "2026-02-30T10:00", "25:00", "99999m", "12"])(
    "%j is refused, and the model is told the forms",
    (when) => {
      const time = callBackTime(when, around(), NOW);
      expect(time).toMatchObject({ kind: "impossible", why: "unreadable" });
      expect(callBackText(time, NOW)).toContain("2026-11-24T15:00");
    },
  );

  test("a day later is the same time of the day over a change of the clocks", () => {
    const before = new Date("2026-10-31T22:00:00Z");
    expect(readWhen("1d", ZONE, before)).toEqual(new Date("2026-11-01T23:00:00Z"));
  });

  test("a time that the clocks skip today is what they show tomorrow, once it has passed", () => {
    const after = new Date("2026-03-08T11:00:00Z");
    expect(readWhen("02:30", ZONE, after)).toEqual(new Date("2026-03-09T09:30:00Z"));
  });
});

test("of several zones that a number may be in, both talk on the agent's clock; where it is none of them, on the first", () => {
  // Idaho has two.
  const target = "+12085550100";
  for (const [agent_zone, zone] of [
    ["America/Los_Angeles", "America/Los_Angeles"],
    ["America/Denver", "America/Denver"],
    ["Europe/Berlin", "America/Denver"],
  ] as const)
    expect(callBackTime("15:00", around({ target, agent_zone }), NOW)).toMatchObject({ zone });
});

test("without rules for a person's own clock, columns of the request say nothing of it", () => {
  const rules = { ...(around().rules as NonNullable<CallBackSurroundings["rules"]>), person_clock: false };
  const request_variables = { timezone: "Asia/Tokyo", not_after: "2026-11-18T12:00" };
  expect(callBackTime("15:00", around({ rules, request_variables }), NOW)).toMatchObject({
    kind: "possible",
    zone: ZONE,
  });
});

test("a time outside the legal hours is refused with the next possible one", () => {
  const time = callBackTime("22:00", around(), NOW);
  expect(time).toMatchObject({ why: "closed", next: new Date("2026-11-19T16:00:00Z") });
  expect(callBackText(time, NOW)).toBe(
    "No call is possible then. The next possible time is 2026-11-19 08:00 in Los Angeles; offer that.",
  );
});

test("caps hold, the rest after a conversation does not: the person asked for it in one", () => {
  const past = [{ channel: "call" as const, at: NOW, talked_until: NOW }];
  expect(callBackTime("2h", around({ past }), NOW).kind).toBe("possible");
  const rules = { ...(around().rules as object), caps: [{ channel: "call", attempts: 1, days: 1 }] };
  const capped = callBackTime("2h", around({ past, rules: rules as CallBackSurroundings["rules"] }), NOW);
  expect(capped).toMatchObject({ why: "closed", next: new Date("2026-11-19T19:00:00Z") });
});

test("nobody is promised a call after the batch ends, after their not_after, in the past or in a quarter of a year", () => {
  const expires_on = new Date("2026-11-18T20:00:00Z");
  expect(callBackTime("2h", around({ expires_on }), NOW)).toMatchObject({ why: "too-late", next: null });
  const request_variables = { not_after: "2026-11-18T12:00" };
  expect(callBackTime("2h", around({ request_variables }), NOW)).toMatchObject({ why: "too-late" });
  expect(callBackTime("2026-11-18T10:00", around(), NOW)).toMatchObject({ why: "past" });
  expect(callBackTime("90d", around(), NOW)).toMatchObject({ why: "too-far" });
});

test("for all times and windows: what is promised the dialer may start then, and what is offered instead is possible", () => {
  const schedule = fc.record({
    active_days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
    max_daily_calls: fc.constant(null),
    daily_start_time: fc.constantFrom(null, "09:00:00", "13:30:00", "22:00:00"),
    daily_end_time: fc.constantFrom(null, "17:00:00", "02:00:00"),
    outreach_override_rules: fc.constant(null),
  });
  const hours_ago = fc.array(fc.integer({ min: 1, max: 70 }), { maxLength: 4 });
  const given = fc.record({
    schedule,
    hours_ago,
    now: fc.integer({ min: Date.parse("2026-10-28Z"), max: Date.parse("2026-11-04Z") }),
    wait: fc.integer({ min: 1, max: 4_000 }),
    target: fc.constantFrom(SEATTLE, "+16175580001", "+442071838750", "+12085550100"),
    attempts: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(given, ({ schedule, hours_ago, now: now_ms, wait, target, attempts }) => {
      const now = new Date(now_ms);
      const past = hours_ago.map((hours) => {
        const at = new Date(now_ms - hours * 3_600_000);
        return { channel: "call" as const, at, talked_until: at };
      });
      const rules = {
        person_clock: true,
        contact_hours: [...FEDERAL_HOURS],
        caps: [{ channel: "call" as const, attempts, days: 2 }],
        days_after_conversation: 30,
      };
      const of = around({ schedule, target, past, rules });
      const mayStart = (at: Date) => {
        const kind = { channel: "call", purpose: "informational" } as const;
        const held = { ...kind, target, request_variables: {}, campaign_zone: ZONE, past };
        return (
          isOpen(schedule, ZONE, at) && personState(rules, { ...held, is_asked_for: true }, at).hold === null
        );
      };
      const time = callBackTime(`${wait}m`, of, now);
      if (time.kind === "possible") expect(mayStart(time.at)).toBe(true);
      else if (time.next !== null) {
        expect(time.next > new Date(now_ms + wait * 60_000)).toBe(true);
        expect(mayStart(time.next)).toBe(true);
        expect(callBackTime(time.next.toISOString(), of, now)).toMatchObject({ kind: "possible" });
      }
    }),
    { numRuns: rounds(300) },
  );
});
