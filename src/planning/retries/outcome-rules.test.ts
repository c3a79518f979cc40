import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { decideRetry, type EarlierAttempt } from "../retry.ts";
import { isOpen, type Schedule } from "../schedule.ts";
import { WEEKDAYS } from "../weekday.ts";
import { atAnotherHour, type OutcomeRule, RULED_OUTCOMES } from "./outcome-rules.ts";

const OPEN: Schedule = {
  active_days: [...WEEKDAYS],
  daily_start_time: "09:00:00",
  daily_end_time: "20:00:00",
  max_daily_calls: null,
  outreach_override_rules: null,
};
const hours = { schedule: OPEN, zone: "America/New_York" };
/** 10:00 in New York. */
const ended_at = new Date("2026-11-18T15:00:00Z");
const rule = (more: Partial<OutcomeRule>): OutcomeRule => ({
  outcome: "BUSY",
  wait: "10m",
  max_retries: 3,
  another_hour: false,
  ...more,
});
const decide = (
  status: EarlierAttempt["outcome"],
  earlier: EarlierAttempt["outcome"][],
  rules: OutcomeRule[],
  retry_count = 1,
) =>
  decideRetry(
    {
      mode: "voice",
      status,
      is_transient: null,
      ended_at,
      attempt_number: earlier.length + 1,
      earlier: earlier.map((outcome) => ({ outcome, started_at: ended_at })),
    },
    { retry_count, retry_interval: "2h", by_outcome: { rules, hours } },
  );

test("each outcome has its own wait and its own most; the others go by the campaign's two fields", () => {
  const rules = [rule({}), rule({ outcome: "MACHINE", max_retries: 0 })];
  expect(decide("BUSY", [], rules)).toEqual({
    kind: "retry",
    number: 1,
    of: 3,
    at: new Date("2026-11-18T15:10:00Z"),
  });
  expect(decide("BUSY", ["BUSY", "BUSY", "BUSY"], rules)).toEqual({ kind: "none", why: "used-up" });
  expect(decide("MACHINE", [], rules)).toEqual({ kind: "none", why: "rule-says-none" });
  // Busy lines are not counted where the two fields bound the rest.
  expect(decide("NO-ANSWER", ["BUSY", "BUSY"], rules)).toEqual({
    kind: "retry",
    number: 1,
    of: 1,
    at: new Date("2026-11-18T17:00:00Z"),
  });
  expect(decide("NO-ANSWER", ["NO-ANSWER", "BUSY"], rules)).toEqual({ kind: "none", why: "used-up" });
});

test("no answer is tried the next day at another hour, within the campaign's hours", () => {
  const rules = [rule({ outcome: "NO-ANSWER", wait: "1d", another_hour: true })];
  expect(decide("NO-ANSWER", [], rules)).toMatchObject({ at: new Date("2026-11-19T18:00:00Z") });
});

test("another hour is the first that is an hour and a half from every earlier try, round the clock: three hours later, then earlier", () => {
  const at = fc.integer({ min: 0, max: 24 * 60 - 1 });
  const minuteOf = (moment: Date) => (moment.getTime() / 60_000) % (24 * 60);
  const ended = Date.parse("2026-11-18T00:00:00Z");
  fc.assert(
    fc.property(at, fc.array(at, { maxLength: 6 }), at, (ended_minute, tried, planned_minute) => {
      const ended_at = new Date(ended + ended_minute * 60_000);
      const planned = new Date(ended + 86_400_000 + planned_minute * 60_000);
      const earlier = tried.map((minute) => ({ started_at: new Date(ended - 86_400_000 + minute * 60_000) }));
      const isNew = (moment: Date) =>
        [...tried, ended_minute].every((minute) => {
          const apart = (minuteOf(moment) - minute + 24 * 60) % (24 * 60);
          return apart >= 90 && apart <= 24 * 60 - 90;
        });
      const wanted = [0, 3, -3, 5, -5, 2, -2].map((hours) => new Date(planned.getTime() + hours * 3_600_000));
      const always = { schedule: { ...OPEN, daily_start_time: null, daily_end_time: null }, zone: "UTC" };
      const first = wanted.find((moment) => moment > ended_at && isNew(moment)) ?? planned;
      expect(atAnotherHour(planned, always, earlier, ended_at)).toEqual(first);
    }),
    { numRuns: rounds(300) },
  );
});

test("a rule makes no final outcome one that is tried again", () => {
  for (const outcome of ["DECLINED", "SIP_NOT_FOUND", "COMPLETED"] as const)
    expect(decide(outcome, [], [rule({ outcome: outcome as "BUSY" })])).toMatchObject({ kind: "none" });
});

test("for all rules and outcomes: nobody is tried more often than their sum allows, before the wait, or moved out of the hours", () => {
  const outcome = fc.constantFrom(...RULED_OUTCOMES);
  const aRule = fc.record({
    outcome,
    wait: fc.constantFrom(null, "1m", "4h", "1d", "2w"),
    max_retries: fc.integer({ min: 0, max: 4 }),
    another_hour: fc.boolean(),
  });
  const given = fc.record({
    rules: fc.uniqueArray(aRule, { selector: ({ outcome }) => outcome, maxLength: 6 }),
    retry_count: fc.integer({ min: 0, max: 4 }),
    outcomes: fc.array(outcome, { minLength: 30, maxLength: 40 }),
    from: fc.integer({ min: Date.parse("2026-10-28Z"), max: Date.parse("2026-11-04Z") }),
  });
  fc.assert(
    fc.property(given, ({ rules, retry_count, outcomes, from }) => {
      const earlier: EarlierAttempt[] = [];
      let at = new Date(from);
      for (const status of outcomes) {
        const ended_at = new Date(at.getTime() + 60_000);
        const decision = decideRetry(
          {
            mode: "voice",
            status,
            is_transient: null,
            ended_at,
            attempt_number: earlier.length + 1,
            earlier,
          },
          { retry_count, retry_interval: "1h", by_outcome: { rules, hours } },
        );
        earlier.push({ outcome: status, started_at: at });
        if (decision.kind === "none") break;
        expect(decision.at > ended_at).toBe(true);
        const own = rules.find(({ outcome }) => outcome === status);
        const plain = decideRetry(
          { mode: "voice", status, is_transient: null, ended_at, attempt_number: 1 },
          { retry_count: 9, retry_interval: own?.wait ?? "1h" },
        );
        const planned = plain.kind === "retry" ? plain.at : ended_at;
        if (!own?.another_hour) expect(decision.at).toEqual(planned);
        else if (decision.at.getTime() !== planned.getTime())
          expect(isOpen(OPEN, hours.zone, decision.at)).toBe(true);
        at = decision.at;
      }
      const most = rules.reduce((sum, { max_retries }) => sum + max_retries, retry_count);
      expect(earlier.length).toBeLessThanOrEqual(most + 1);
    }),
    { numRuns: rounds(300) },
  );
});
