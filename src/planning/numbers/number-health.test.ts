import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { type HealthRule, type NumberAnswers, numbersToRest } from "./number-health.ts";

const aRule: fc.Arbitrary<HealthRule> = fc.record({
  window_hours: fc.constant(24),
  least_share: fc.double({ min: 0.05, max: 1, noNaN: true }),
  least_attempts: fc.integer({ min: 5, max: 60 }),
  rest_hours: fc.constant(24),
});
const someAnswers: fc.Arbitrary<NumberAnswers[]> = fc
  .array(
    fc
      .integer({ min: 0, max: 300 })
      .chain((attempts) =>
        fc.record({ attempts: fc.constant(attempts), answered: fc.integer({ min: 0, max: attempts }) }),
      ),
    { maxLength: 12 },
  )
  .map((counts) => counts.map((each, id) => ({ ...each, id })));

test("the number that is answered most never rests, and none with few attempts does", () => {
  fc.assert(
    fc.property(aRule, someAnswers, (rule, numbers) => {
      const sick = numbersToRest(rule, numbers);
      expect(sick.length).toBeLessThan(Math.max(numbers.length, 1));
      const share = ({ attempts, answered }: NumberAnswers) => answered / attempts;
      const best = Math.max(...numbers.filter(({ attempts }) => attempts > 0).map(share));
      for (const number of sick) {
        expect(number.attempts).toBeGreaterThanOrEqual(rule.least_attempts);
        expect(share(number)).toBeLessThan(best);
      }
    }),
    { numRuns: rounds(500) },
  );
});

test("of twelve numbers with one true share of answers, one rests by chance in fewer than one of a hundred looks", () => {
  const rule = { window_hours: 24, least_share: 0.5, least_attempts: 30, rest_hours: 24 };
  let state = 20261126;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const looks = Array.from({ length: 1_000 }, () =>
    Array.from({ length: 12 }, (_, id) => {
      const answered = Array.from({ length: 50 }, draw).filter((each) => each < 0.3).length;
      return { id, attempts: 50, answered };
    }),
  );
  expect(looks.filter((numbers) => numbersToRest(rule, numbers).length > 0).length).toBeLessThan(10);
});

test("a number whose answers collapse rests, and one that is a little worse does not", () => {
  const rule = { window_hours: 24, least_share: 0.5, least_attempts: 30, rest_hours: 24 };
  const healthy = Array.from({ length: 5 }, (_, id) => ({ id, attempts: 50, answered: 16 }));
  expect(numbersToRest(rule, [...healthy, { id: 9, attempts: 50, answered: 1 }]).map(({ id }) => id)).toEqual(
    [9],
  );
  expect(numbersToRest(rule, [...healthy, { id: 9, attempts: 50, answered: 12 }])).toEqual([]);
  expect(numbersToRest(rule, [...healthy, { id: 9, attempts: 29, answered: 0 }])).toEqual([]);
  expect(numbersToRest(rule, [{ id: 9, attempts: 50, answered: 0 }])).toEqual([]);
});
