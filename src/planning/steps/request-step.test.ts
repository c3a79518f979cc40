import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { chooseNext } from "../choose-next.ts";
import type { Schedule } from "../schedule.ts";
import { WEEKDAYS } from "../weekday.ts";
import { type RequestView, requestStep } from "./request-step.ts";

const NOW = new Date("2026-11-18T12:00:00Z");
const after = (ms: number) => new Date(NOW.getTime() + ms);
const schedule: Schedule = {
  daily_start_time: "09:00:00",
  daily_end_time: "17:00:00",
  max_daily_calls: null,
  active_days: [...WEEKDAYS],
  outreach_override_rules: null,
};
const HOURS = { schedule, zone: "UTC" };

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));
const later = fc.constantFrom(after(1), after(60_000), after(86_400_000));
const REASONS = [
  "person-hours",
  "holiday",
  "not-before",
  "unknown-zone",
  "unreadable-time",
  "no-approved-template",
  "contact-cap",
  "after-conversation",
] as const;
const hold = fc.record({
  reason: fc.constantFrom(...REASONS),
  text: fc.constant("Waiting."),
  until: later,
});

const aRequest: fc.Arbitrary<RequestView> = fc.record({
  attempt_count: fc.integer({ min: 0, max: 2 }),
  call_back_after: mostly<number | null>(null, 1, 2),
  retry_count: fc.constant(2),
  due_at: mostly(after(-60_000), NOW, after(1), after(3_600_000)),
  channel_status: fc.constantFrom("PENDING", "BUSY"),
  refusals: mostly(0, 1),
  step: mostly(0, 1),
  counted_on: fc.subarray(["2026-11-17", "2026-11-18"], { maxLength: 1 }),
  is_reached_elsewhere: mostly(false, true),
  is_address_busy: mostly(false, true),
  too_often: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    later.map((until) => ({ attempts: 2, window_ms: 86_400_000, until })),
  ),
  country: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    later.map((until) => ({ name: "Cuba", reason: "21215", until })),
  ),
  person: fc.record({
    hold: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, hold),
    too_late: mostly<string | null>(null, "Skipped: too late."),
  }),
  issue: mostly<RequestView["issue"]>(
    null,
    { kind: "lookup" },
    { kind: "suppressed", status: "CANCELED", text: "Skipped: opted out." },
    { kind: "answered", status: "CANCELED", text: "Stopped: answered." },
    { kind: "filtered", status: "FILTERED_LINE_TYPE", text: "Skipped: a landline." },
  ),
});
const aDay = (date: string) => fc.record({ date: fc.constant(date), cap: fc.constantFrom(null, 1, 2, 3) });
const someDays = fc.oneof(fc.tuple(aDay("2026-11-18")), fc.tuple(aDay("2026-11-17"), aDay("2026-11-18")));
const some = { numRuns: rounds(500) };

/** An attempt could start now, daily caps aside. */
const isFree = ({ due_at, person, ...request }: RequestView): boolean =>
  due_at <= NOW &&
  !request.is_reached_elsewhere &&
  !request.is_address_busy &&
  request.issue === null &&
  [request.too_often, request.country, person.hold, person.too_late].every((bound) => bound === null);

test("an attempt starts when, and only when, it is due and nothing holds its person, and a first one within a day's cap", () => {
  fc.assert(
    fc.property(aRequest, someDays, fc.integer({ min: 0, max: 3 }), (request, days, reached) => {
      const step = requestStep(request, days, () => reached, HOURS, NOW);
      const counted = days.filter(({ date }) => request.counted_on.includes(date));
      const open = days.filter(({ cap }) => cap === null || reached < cap);
      const isWithin = request.attempt_count > 0 || counted.length > 0 || open.length > 0;
      expect(step.kind === "start").toBe(isFree(request) && isWithin);
      if (step.kind !== "start") return;
      if (step.counts_on === null) expect(request.attempt_count > 0 || counted.length > 0).toBe(true);
      else {
        expect(request.attempt_count).toBe(0);
        expect(open.map(({ date }) => date)).toContain(step.counts_on);
      }
    }),
    some,
  );
});

test("who opted out or answered is never kept waiting, but for an attempt that is under way", () => {
  const stops = fc.constantFrom("suppressed" as const, "answered" as const);
  const due = fc.constantFrom(after(-60_000), NOW, after(1), after(3_600_000));
  fc.assert(
    fc.property(aRequest, stops, due, someDays, (any, reason, due_at, days) => {
      const issue = { kind: reason, status: "CANCELED" as const, text: "Stopped." };
      const request = { ...any, due_at, issue, is_reached_elsewhere: false, is_address_busy: false };
      const skip = { kind: "skip", status: "CANCELED", reason, text: "Stopped." };
      expect(requestStep(request, days, () => 0, HOURS, NOW)).toEqual(skip);
    }),
    some,
  );
});

test("a number is looked up exactly when nothing else holds the attempt back: no lookup is paid for a person who has to wait", () => {
  fc.assert(
    fc.property(aRequest, someDays, (any, days) => {
      const request: RequestView = { ...any, issue: { kind: "lookup" } };
      const step = requestStep(request, days, () => 0, HOURS, NOW);
      expect(step.kind === "wait" && step.reason === "lookup").toBe(isFree({ ...request, issue: null }));
    }),
    some,
  );
});

test("of candidates the first who may start does; before it each is skipped, or put off to a time that is later than its own", () => {
  fc.assert(
    fc.property(fc.array(aRequest, { maxLength: 6 }), someDays, (candidates, days) => {
      const steps = candidates.map((each) => requestStep(each, days, () => 0, HOURS, NOW));
      const choice = chooseNext(candidates, days, () => 0, HOURS, NOW);
      const first = steps.findIndex(({ kind }) => kind === "start");
      expect(choice.start?.index ?? -1).toBe(first);
      const before = first === -1 ? steps : steps.slice(0, first);
      expect(choice.skips.map(({ index }) => index)).toEqual(
        before.flatMap(({ kind }, index) => (kind === "skip" ? [index] : [])),
      );
      // Whoever is held until a time makes room for those behind.
      const held: string[] = ["too-often", "country-paused", ...REASONS];
      expect(choice.put_off).toEqual(
        before.flatMap((step, index) =>
          step.kind === "wait" &&
          held.includes(step.reason) &&
          step.until !== null &&
          step.until > (candidates[index] as RequestView).due_at
            ? [{ index, until: step.until }]
            : [],
        ),
      );
      for (const { until } of choice.put_off) expect(until > NOW).toBe(true);
      // Nothing wakes a batch when a lookup or another attempt ends.
      const soon = ["lookup", "same-reference", "same-address"];
      if (first === -1)
        expect(choice.looks_soon).toBe(
          steps.some((step) => step.kind === "wait" && soon.includes(step.reason)),
        );
      if (first !== -1) return;
      // A batch sleeps no longer than until somebody may be tried, and does not sleep over those behind one that left.
      const left = choice.skips.length + choice.put_off.length > 0;
      if (left) expect(choice.look_at).toEqual(NOW);
      const times = steps.flatMap((step) => (step.kind === "wait" && step.until ? [step.until] : []));
      for (const time of times) expect(choice.look_at !== null && choice.look_at <= time).toBe(true);
    }),
    some,
  );
});
