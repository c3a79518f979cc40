import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spansOf, startsOf } from "./figure-period.ts";

const days = (period: { last_days?: number; start_datetime?: string; timezone: string }, now: string) => {
  const { timezone } = period;
  const { now: span, before } = spansOf(period, 7, new Date(now), ["body"]);
  const iso = (dates: Date[] | null) => dates?.map((date) => date.toISOString().replace(":00.000Z", ""));
  return { starts: iso(startsOf(span, timezone, "day")), before: iso([before.from, before.to]) };
};

describe("days begin at midnight in their zone", () => {
  test("also after one whose midnight the clocks skip, as in Santiago", () => {
    const found = days({ last_days: 4, timezone: "America/Santiago" }, "2026-09-08T15:00:00Z");
    expect(found.starts).toEqual([
      "2026-09-05T04:00",
      "2026-09-06T04:00",
      "2026-09-07T03:00",
      "2026-09-08T03:00",
    ]);
  });

  test("also counted back from the day whose midnight they skip", () => {
    const found = days({ last_days: 3, timezone: "America/Santiago" }, "2026-09-06T15:00:00Z");
    expect(found.starts).toEqual(["2026-09-04T04:00", "2026-09-05T04:00", "2026-09-06T04:00"]);
    expect(found.before).toEqual(["2026-09-01T04:00", "2026-09-03T16:00"]);
  });

  test("also where a day has 23 or 25 hours", () => {
    expect(days({ last_days: 2, timezone: "Europe/Berlin" }, "2026-03-30T10:00:00Z").starts).toEqual([
      "2026-03-28T23:00",
      "2026-03-29T22:00",
    ]);
    expect(days({ last_days: 2, timezone: "Europe/Berlin" }, "2026-10-26T10:00:00Z").starts).toEqual([
      "2026-10-24T22:00",
      "2026-10-25T23:00",
    ]);
  });

  test("and the first of a period where the period does", () => {
    const period = { start_datetime: "2026-09-05T12:00:00Z", timezone: "America/Santiago" };
    expect(days(period, "2026-09-07T12:00:00Z").starts).toEqual([
      "2026-09-05T12:00",
      "2026-09-06T04:00",
      "2026-09-07T03:00",
    ]);
  });
});

test("times without an offset are of the period's zone, and others of their own", () => {
  const period = {
    start_datetime: "2026-11-01",
    end_datetime: "2026-11-08T00:00:00+00:00",
    timezone: "America/Chicago",
  };
  const { now } = spansOf(period, 7, new Date("2026-11-20T12:00:00Z"), ["body"]);
  // Five hours behind on that day, before the clocks change.
  expect(now).toEqual({ from: new Date("2026-11-01T05:00:00Z"), to: new Date("2026-11-08T00:00:00Z") });
});

const ZONES = [
  "Europe/Berlin",
  "America/Santiago",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kolkata",
];

test("whole days are compared with as many whole days before them, also across a change of clocks", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 730 }),
      fc.integer({ min: 1, max: 60 }),
      (timezone, offset, count) => {
        const first = Temporal.PlainDate.from("2026-01-01").add({ days: offset });
        const midnight = (day: Temporal.PlainDate) => day.toZonedDateTime(timezone).toInstant().toString();
        const period = {
          start_datetime: midnight(first),
          end_datetime: midnight(first.add({ days: count })),
        };
        const { now, before } = spansOf({ ...period, timezone }, 7, new Date(), ["body"]);
        expect(before.to).toEqual(now.from);
        expect(startsOf(before, timezone, "day")?.map((at) => at.toISOString())).toEqual(
          Array.from({ length: count }, (_, n) =>
            new Date(midnight(first.subtract({ days: count - n }))).toISOString(),
          ),
        );
      },
    ),
  );
});

test("any other span is compared with the one before it that is as long on the clock", () => {
  const period = { start_datetime: "2026-10-25T12:00:00Z", end_datetime: "2026-10-26T18:00:00Z" };
  const { before } = spansOf({ ...period, timezone: "Europe/Berlin" }, 7, new Date(), ["body"]);
  // A day and six hours before 13:00 on the day of 25 hours: 07:00, still in summer time.
  expect(before.from.toISOString()).toBe("2026-10-24T05:00:00.000Z");
});
