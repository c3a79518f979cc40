import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import {
  chooseMessageText,
  DAYS_OF_WEEK,
  explainChoice,
  holds,
  type MessageRule,
  winnersOfDay,
  winningRule,
} from "./message-rules.ts";

const rule = (text: string, more: Partial<MessageRule>): MessageRule => ({
  description: "",
  invert: false,
  text,
  ...more,
});
const choose = (rules: MessageRule[], at: string) =>
  chooseMessageText({ text: "default", rules }, Temporal.PlainDateTime.from(at));

const WEEKDAYS = ["mo", "tu", "we", "th", "fr"] as const;

describe("the text of a custom message", () => {
  const rules = [
    rule("R1", { date: "2025-01-01" }),
    rule("R2", { days_of_week: ["sa", "su"] }),
    rule("R3", {
      invert: true,
      days_of_week: WEEKDAYS,
      time_range_start: "08:00",
      time_range_end: "17:00",
    }),
  ];

  test.each([
    ["2025-01-01T10:00", "R1"],
    ["2025-01-04T10:00", "R2"],
    ["2025-01-06T07:59", "R3"],
    ["2025-01-06T08:00", "default"],
    ["2025-01-06T16:59:59", "default"],
    ["2025-01-06T17:00", "R3"],
  ])("at %s local time is %s", (at, expected) => {
    expect(choose(rules, at)).toBe(expected);
  });

  test.each([
    ["2025-01-01T10:00", { rule: 0, kind: "date", held: [0] }],
    ["2025-01-04T10:00", { rule: 1, kind: "days_of_week", held: [1, 2] }],
    ["2025-01-06T07:59", { rule: 2, kind: "inverted", held: [2] }],
    ["2025-01-06T08:00", { rule: null, kind: null, held: [] }],
  ])("at %s is explained by the rule that wins, its kind and the rules that held", (at, why) => {
    expect(explainChoice(rules, Temporal.PlainDateTime.from(at))).toEqual(why);
  });

  test.each([
    ["07:59", "early"],
    ["08:00", "default"],
    ["16:59", "default"],
    ["17:00", "late"],
    ["23:59", "late"],
    ["00:00", "early"],
  ])("a rule without a start holds from midnight, one without an end to midnight: %s", (time, expected) => {
    const early = rule("early", { time_range_end: "08:00" });
    const late = rule("late", { time_range_start: "17:00" });
    expect(choose([early, late], `2025-01-06T${time}`)).toBe(expected);
  });

  test("the shorter of two ranges of a day wins", () => {
    const day = rule("day", { days_of_week: ["mo"], time_range_start: "08:00", time_range_end: "17:00" });
    const lunch = rule("lunch", { days_of_week: ["mo"], time_range_start: "12:00", time_range_end: "13:00" });
    expect(choose([day, lunch], "2025-01-06T12:30")).toBe("lunch");
    expect(choose([lunch, day], "2025-01-06T12:30")).toBe("lunch");
    expect(choose([day, lunch], "2025-01-06T13:00")).toBe("day");
  });

  test("a date wins over a weekday even when its range is longer, and an inverted date ranks last", () => {
    const date = rule("date", { date: "2025-01-06" });
    const hour = rule("hour", { days_of_week: ["mo"], time_range_start: "12:00", time_range_end: "13:00" });
    const notThatDay = rule("other days", { date: "2025-01-07", invert: true });
    const always = rule("always", {});
    expect(choose([hour, date, notThatDay, always], "2025-01-06T12:30")).toBe("date");
    expect(choose([notThatDay, always], "2025-01-06T12:30")).toBe("always");
  });

  test("of two equal rules the first in the list wins", () => {
    expect(choose([rule("first", {}), rule("second", {})], "2025-01-06T12:30")).toBe("first");
  });

  test("a range past midnight belongs to the day it began on", () => {
    const night = rule("night", { days_of_week: ["fr"], time_range_start: "22:00", time_range_end: "06:00" });
    expect(choose([night], "2025-01-03T23:00")).toBe("night");
    expect(choose([night], "2025-01-04T05:59")).toBe("night");
    expect(choose([night], "2025-01-04T06:00")).toBe("default");
    expect(choose([night], "2025-01-03T05:00")).toBe("default");
    const newYear = rule("party", { date: "2024-12-31", time_range_start: "20:00", time_range_end: "02:00" });
    expect(choose([newYear], "2025-01-01T01:59")).toBe("party");
    expect(choose([newYear], "2024-12-31T01:00")).toBe("default");
  });

  test("equal start and end are a whole day, and an empty list of days is every day", () => {
    const round = rule("round", { days_of_week: ["mo"], time_range_start: "09:00", time_range_end: "09:00" });
    expect(choose([round], "2025-01-07T08:59")).toBe("round");
    expect(choose([round], "2025-01-06T08:59")).toBe("default");
    expect(choose([rule("any", { days_of_week: [] })], "2025-01-07T08:59")).toBe("any");
  });
});

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
const moment = fc
  .integer({ min: 0, max: 3 * 24 * 60 })
  .map((minutes) => Temporal.PlainDateTime.from("2028-02-27T00:00").add({ minutes }));
const times = fc.option(fc.tuple(time, time), { nil: null });
const days = fc.oneof(
  fc.constant({}),
  moment.map((at) => ({ date: at.toPlainDate().toString() })),
  fc.subarray([...DAYS_OF_WEEK]).map((days_of_week) => ({ days_of_week })),
);
const anyRule = fc
  .record({ times, days, invert: fc.boolean(), text: fc.string() })
  .map(({ times, days, invert, text }) =>
    rule(text, { ...days, invert, time_range_start: times?.[0] ?? null, time_range_end: times?.[1] ?? null }),
  );

describe("for any rules at any moment", () => {
  test("a rule or its inversion holds, never both and never neither", () => {
    fc.assert(
      fc.property(anyRule, moment, (one, at) => {
        expect(holds(one, at)).toBe(!holds({ ...one, invert: !one.invert }, at));
      }),
    );
  });

  test("the text is that of a rule that holds, and the default exactly when none does", () => {
    fc.assert(
      fc.property(fc.array(anyRule), moment, (rules, at) => {
        const named = rules.map((one, index) => ({ ...one, text: String(index) }));
        const chosen = chooseMessageText({ text: "default", rules: named }, at);
        const holding = named.filter((one) => holds(one, at)).map((one) => one.text);
        if (holding.length === 0) expect(chosen).toBe("default");
        else expect(holding).toContain(chosen);
      }),
    );
  });

  test("rules that don't hold change nothing", () => {
    fc.assert(
      fc.property(fc.array(anyRule), moment, (rules, at) => {
        const holding = rules.filter((one) => holds(one, at));
        const of = (some: MessageRule[]) => chooseMessageText({ text: "default", rules: some }, at);
        expect(of(rules)).toBe(of(holding));
      }),
    );
  });

  test("a range of the day holds for as many minutes as it is long, on whatever day", () => {
    fc.assert(
      fc.property(time, time, (start, end) => {
        const one = rule("", { time_range_start: start, time_range_end: end });
        const midnight = Temporal.PlainDateTime.from("2028-02-29T00:00");
        const minutes = Array.from({ length: 1440 }, (_, minute) => minute);
        const held = minutes.filter((minute) => holds(one, midnight.add({ minutes: minute }))).length;
        const from = Temporal.PlainTime.from(start).until(Temporal.PlainTime.from(end)).total("minutes");
        expect(held).toBe(from > 0 ? from : from + 1440);
      }),
      { numRuns: rounds(20) },
    );
  });

  test("the stretches of a day cover it without a gap, and in each the same rule wins at every minute", () => {
    const day = fc
      .integer({ min: 0, max: 400 })
      .map((days) => Temporal.PlainDate.from("2028-01-01").add({ days }));
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 6 }),
        day,
        fc.integer({ min: 0, max: 1439 }),
        (rules, on, minute) => {
          const stretches = winnersOfDay(rules, on);
          expect(stretches[0]?.start).toBe("00:00");
          expect(stretches.at(-1)?.end).toBe("24:00");
          for (const [index, { start }] of stretches.entries()) {
            if (index > 0) expect(start).toBe(stretches[index - 1]?.end);
          }
          const at = on.toPlainDateTime().add({ minutes: minute });
          const clock = at.toPlainTime().toString({ smallestUnit: "minute" });
          const within = stretches.find(({ start, end }) => start <= clock && clock < end);
          expect(within?.rule).toBe(winningRule(rules, at));
        },
      ),
    );
  });
});
