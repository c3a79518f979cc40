import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAYS_OF_WEEK } from "../agents/message-rules.ts";
import {
  type DirectoryRule,
  type LocalMoment,
  normalizedRule,
  type RuledExtension,
  reachedNumber,
  ruleIssues,
} from "./directory-rules.ts";

const at = (wall: string, language: string | null = null): LocalMoment => ({
  wallClock: () => Temporal.PlainDateTime.from(wall),
  language,
});
const one = (...rules: DirectoryRule[]): RuledExtension[] => [{ numbers: [{ number: "1", rules }] }];
const holds = (rules: DirectoryRule[], moment: LocalMoment): boolean =>
  reachedNumber(one(...rules), moment) !== null;

// 2026-11-18 is a Wednesday.
describe("a rule", () => {
  test.each<[DirectoryRule, string, string | null, boolean]>([
    [{}, "2026-11-18T12:00", null, true],
    [{ language: "es" }, "2026-11-18T12:00", "es-US", true],
    [{ language: "ES-us" }, "2026-11-18T12:00", "es-US", true],
    [{ language: "es-MX" }, "2026-11-18T12:00", "es-US", false],
    [{ language: "es" }, "2026-11-18T12:00", null, false],
    [{ days: "mo-fr" }, "2026-11-18T00:00", null, true],
    [{ days: "sa,su" }, "2026-11-18T12:00", null, false],
    [{ days: "sa-we" }, "2026-11-18T12:00", null, true],
    [{ date: "2026-11-18" }, "2026-11-18T23:59", null, true],
    [{ date: "2026-11-18" }, "2026-11-19T00:00", null, false],
    [{ start_time: "09:00", end_time: "17:00" }, "2026-11-18T09:00", null, true],
    [{ start_time: "09:00", end_time: "17:00" }, "2026-11-18T17:00", null, false],
    [{ days: "we", start_time: "22:00", end_time: "06:00" }, "2026-11-19T05:59", null, true],
    [{ days: "we", start_time: "22:00", end_time: "06:00" }, "2026-11-18T05:59", null, false],
    [{ days: "we", invert: "true" }, "2026-11-18T12:00", null, false],
    [{ days: "we", invert: "true", language: "es" }, "2026-11-19T12:00", "en-US", false],
    [{ hours: "@hours mo-fr 9:00-17:00" }, "2026-11-18T16:59", null, true],
    [{ anything: "@hours 9:00-17:00", days: "th" }, "2026-11-18T16:59", null, false],
  ])("%j at %s, in %s, holds: %s", (rule, wall, language, expected) => {
    expect(ruleIssues(rule)).toEqual([]);
    expect(holds([rule], at(wall, language))).toBe(expected);
  });

  test("is read on the wall clock of its own time zone", () => {
    const instant = Temporal.Instant.from("2026-11-18T14:30Z");
    const moment: LocalMoment = {
      wallClock: (timezone) => instant.toZonedDateTimeISO(timezone ?? "UTC").toPlainDateTime(),
      language: null,
    };
    const office = { start_time: "09:00", end_time: "10:00" };
    expect(holds([office], moment)).toBe(false);
    expect(holds([{ ...office, timezone: "America/New_York" }], moment)).toBe(true);
  });

  test.each<[DirectoryRule, string]>([
    [{ langauge: "es" }, "langauge"],
    [{ language: "español" }, "language"],
    [{ days: "mon" }, "days"],
    [{ days: "" }, "days"],
    [{ days: "mo-we-fr" }, "days"],
    [{ date: "2026-02-30" }, "date"],
    [{ start_time: "24:00", end_time: "06:00" }, "start_time"],
    [{ start_time: "09:00" }, "end_time"],
    [{ end_time: "09:00" }, "start_time"],
    [{ days: "mo", date: "2026-11-18" }, "days"],
    [{ invert: "yes", days: "mo" }, "invert"],
    [{ invert: "true", language: "es" }, "invert"],
    [{ timezone: "Mars/Olympus" }, "timezone"],
    [{ hours: "@hours" }, "hours"],
    [{ hours: "@hours 9:00-25:00" }, "hours"],
    [{ hours: "@hours mo-xx 9:00-17:00" }, "hours"],
    [{ days: "mo", hours: "@hours tu" }, "hours"],
  ])("%j is refused at %s", (rule, key) => {
    const places = ruleIssues(rule).map((issue) =>
      issue.code === "unrecognized_keys" ? issue.keys : issue.path,
    );
    expect(places).toEqual([[key]]);
  });
});

const twoDigits = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, "0"));
const time = fc.oneof(
  fc.tuple(twoDigits(23), twoDigits(59)).map((parts) => parts.join(":")),
  fc.tuple(fc.integer({ min: 0, max: 9 }), twoDigits(59)).map((parts) => parts.join(":")),
);
const day = fc.constantFrom(...DAYS_OF_WEEK);
const days = fc
  .array(
    fc.oneof(
      day,
      fc.tuple(day, day).map((ends) => ends.join("-")),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join(","));
const times = fc.tuple(time, time);

/** Days and times, plain or behind a marker. */
const hours = fc.oneof(
  days.map((said): DirectoryRule => ({ days: said })),
  times.map(([start_time, end_time]): DirectoryRule => ({ start_time, end_time })),
  fc
    .tuple(days, times)
    .map(([said, [start_time, end_time]]): DirectoryRule => ({ days: said, start_time, end_time })),
  days.map((said): DirectoryRule => ({ hours: `@hours ${said}` })),
  fc.tuple(days, times).map(([said, ends]): DirectoryRule => ({ when: `@hours ${said} ${ends.join("-")}` })),
);
const language = fc.constantFrom("en", "en-US", "es", "es-US");
const rule: fc.Arbitrary<DirectoryRule> = fc
  .tuple(hours, fc.option(language, { nil: undefined }), fc.boolean())
  .map(([said, spoken, invert]) => ({
    ...said,
    ...(spoken && { language: spoken }),
    ...(invert && { invert: "true" }),
  }));
const moment = fc
  .record({
    minute: fc.integer({ min: 0, max: 14 * 24 * 60 }),
    language: fc.option(fc.constantFrom("en-US", "es-US", "fr-FR")),
  })
  .map(({ minute, language }): LocalMoment => {
    const wall = Temporal.PlainDateTime.from("2026-11-16T00:00").add({ minutes: minute });
    return { wallClock: () => wall, language };
  });
const extensions = fc.array(
  fc.record({
    numbers: fc.option(
      fc.array(
        fc.record({
          number: fc.stringMatching(/^\d{3}$/),
          rules: fc.option(fc.array(rule, { maxLength: 3 })),
        }),
        {
          maxLength: 3,
        },
      ),
    ),
  }),
  { maxLength: 3 },
);

describe("for all rules, members and moments", () => {
  test("a rule holds normalized exactly when it holds raw, and normalized says the same again", () => {
    fc.assert(
      fc.property(rule, moment, (raw, when) => {
        const normalized = normalizedRule(raw);
        expect(ruleIssues(normalized)).toEqual([]);
        expect(JSON.stringify(normalized)).not.toContain("@hours");
        expect(normalizedRule(normalized)).toEqual(normalized);
        expect(holds([normalized], when)).toBe(holds([raw], when));
      }),
    );
  });

  test("inverting days and times lets through exactly the other moments", () => {
    fc.assert(
      fc.property(hours, moment, (said, when) => {
        expect(holds([{ ...said, invert: "true" }], when)).toBe(!holds([said], when));
      }),
    );
  });

  test("one more rule never takes a number away, one more condition never adds a moment", () => {
    fc.assert(
      fc.property(rule, rule, moment, (first, second, when) => {
        expect(holds([first, second], when)).toBe(holds([first], when) || holds([second], when));
        if (holds([{ ...first, language: "es" }], when)) {
          expect(
            holds([Object.fromEntries(Object.entries(first).filter(([key]) => key !== "language"))], when),
          ).toBe(true);
        }
      }),
    );
  });

  test("times mean what a count of the minutes of the day says", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 0, max: 1439 }), ([start_time, end_time], minute) => {
        const [start, end] = [start_time, end_time].map((text) => {
          const [hour, past] = text.split(":").map(Number);
          return (hour as number) * 60 + (past as number);
        }) as [number, number];
        const inside = start < end ? minute >= start && minute < end : minute >= start || minute < end;
        const wall = Temporal.PlainDateTime.from("2026-11-18T00:00").add({ minutes: minute });
        expect(holds([{ start_time, end_time }], { wallClock: () => wall, language: null })).toBe(inside);
      }),
    );
  });

  test("the number reached is the first, extension by extension, that alone would be reached", () => {
    fc.assert(
      fc.property(extensions, moment, (member, when) => {
        const numbers = member.flatMap((extension) => extension.numbers ?? []);
        const first = numbers.find((number) => reachedNumber([{ numbers: [number] }], when) !== null);
        expect(reachedNumber(member, when)).toBe(first?.number ?? null);
      }),
    );
  });

  test("a number without rules is reached whenever nothing before it is", () => {
    fc.assert(
      fc.property(extensions, moment, (member, when) => {
        const open: RuledExtension = { numbers: [{ number: "open", rules: [] }] };
        expect(reachedNumber([...member, open], when)).toBe(reachedNumber(member, when) ?? "open");
      }),
    );
  });
});
