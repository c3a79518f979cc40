import fc from "fast-check";
import { expect, test } from "vitest";
import { answerHours } from "./answer-hours.ts";

const at = (time: string) => new Date(time);

test("an hour is that of the person's own clock, on either side of a change of the clocks", () => {
  expect(
    answerHours([
      // 2026-03-08: the clocks of New York go from 2 to 3.
      { at: at("2026-03-08T06:00:00Z"), zone: "America/New_York", tried: 2, answered: 1 },
      { at: at("2026-03-08T07:00:00Z"), zone: "America/New_York", tried: 1, answered: 0 },
      { at: at("2026-03-08T07:00:00Z"), zone: "Asia/Tokyo", tried: 4, answered: 4 },
      { at: at("2026-03-15T05:30:00Z"), zone: "America/New_York", tried: 1, answered: 1 },
    ]),
  ).toEqual([
    { day: "sun", hour: 1, tried: 3, answered: 2 },
    { day: "sun", hour: 3, tried: 1, answered: 0 },
    { day: "sun", hour: 16, tried: 4, answered: 4 },
  ]);
});

test("for any attempts none is lost, and the hours come in the order of the week", () => {
  const hour = fc.record({
    at: fc.date({ min: at("1990-01-01T00:00:00Z"), max: at("2050-01-01T00:00:00Z"), noInvalidDate: true }),
    zone: fc.constantFrom("America/New_York", "Asia/Kolkata", "Pacific/Auckland", "UTC"),
    tried: fc.nat(50),
    answered: fc.nat(50),
  });
  const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  fc.assert(
    fc.property(fc.array(hour), (given) => {
      const found = answerHours(given);
      const sum = (of: { tried: number }[]) => of.reduce((total, { tried }) => total + tried, 0);
      expect(sum(found)).toBe(sum(given));
      const places = found.map(({ day, hour }) => days.indexOf(day) * 24 + hour);
      expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
    }),
  );
});
