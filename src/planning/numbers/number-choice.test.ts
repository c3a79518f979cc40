import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import { nearnessOf } from "./local-presence.ts";
import { chooseNumber, type NumberRules, numbersLeft, type PoolNumber, seedOf } from "./number-choice.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const DAY_ENDS = new Date("2026-11-27T06:00:00Z");
const free = (id: number, number: string, uses = 0): PoolNumber => ({
  id,
  number,
  uses,
  resting_until: null,
  paused_until: null,
  free_lines: 1,
});

const aNumber = fc
  .constantFrom("+1512", "+1214", "+1713", "+1212", "+1416", "+4420", "+44161", "+4930", "+49151")
  .chain((start) => fc.integer({ min: 2_000_000, max: 9_999_999 }).map((rest) => `${start}${rest}`));
const aTime = fc.constantFrom(null, new Date(NOW.getTime() - 1), NOW, new Date(NOW.getTime() + 3_600_000));
const aPool = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 40 }),
    number: aNumber,
    uses: fc.integer({ min: 0, max: 12 }),
    resting_until: aTime,
    paused_until: aTime,
    free_lines: fc.integer({ min: -1, max: 3 }),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
);
const someRules: fc.Arbitrary<NumberRules> = fc.record({
  name: fc.constant("Texas"),
  daily_cap: fc.option(fc.integer({ min: 1, max: 12 })),
  local_presence: fc.boolean(),
});

test("no number is chosen above its cap, at rest, paused or busy, and one is chosen whenever any is left", () => {
  fc.assert(
    fc.property(someRules, aPool, aNumber, fc.nat(), (rules, pool, target, seed) => {
      const choice = chooseNumber(rules, pool, target, seed, NOW);
      const left = numbersLeft(rules, pool, DAY_ENDS, NOW);
      const isOver = (until: Date | null) => until === null || until <= NOW;
      const usable = pool.filter(
        ({ uses, resting_until, paused_until, free_lines }) =>
          isOver(resting_until) &&
          isOver(paused_until) &&
          uses < (rules.daily_cap ?? Number.POSITIVE_INFINITY) &&
          free_lines > 0,
      );
      expect(left.free).toBe(usable.length);
      expect(choice === null).toBe(usable.length === 0);
      expect(left.free + left.resting + left.capped + left.paused + left.busy).toBe(pool.length);
      if (choice === null) return;
      const chosen = pool.find(({ id }) => id === choice.id) as PoolNumber;
      expect(chosen.uses).toBeLessThan(rules.daily_cap ?? Number.POSITIVE_INFINITY);
      expect(choice.use).toBe(chosen.uses + 1);
      expect(chosen.resting_until === null || chosen.resting_until <= NOW).toBe(true);
      expect(chosen.paused_until === null || chosen.paused_until <= NOW).toBe(true);
      expect(chosen.free_lines).toBeGreaterThan(0);
    }),
    { numRuns: rounds(500) },
  );
});

test("the choice is the same for the same numbers in any order", () => {
  fc.assert(
    fc.property(
      someRules,
      aPool.chain((pool) =>
        fc.tuple(fc.constant(pool), fc.shuffledSubarray(pool, { minLength: pool.length })),
      ),
      aNumber,
      fc.nat(),
      (rules, [pool, shuffled], target, seed) => {
        expect(chooseNumber(rules, shuffled, target, seed, NOW)).toEqual(
          chooseNumber(rules, pool, target, seed, NOW),
        );
      },
    ),
    { numRuns: rounds(300) },
  );
});

test("equally near numbers are used evenly, whoever is called, and none before a nearer one that is free", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.nat({ max: 9_999_999 }), { maxLength: 60 }),
      (count, people) => {
        const pool = Array.from({ length: count }, (_, index) => free(index + 1, `+1512555${1000 + index}`));
        pool.push(free(99, "+12125550000"));
        for (const person of people) {
          const target = `+1512${String(person).padStart(7, "0")}`;
          const rules = { name: "Austin", daily_cap: null, local_presence: true };
          const choice = chooseNumber(rules, pool, target, seedOf(target), NOW);
          expect(choice).toMatchObject({ match: "area" });
          (pool.find(({ id }) => id === choice?.id) as PoolNumber).uses += 1;
        }
        const uses = pool.filter(({ id }) => id !== 99).map((number) => number.uses);
        expect(Math.max(...uses) - Math.min(...uses)).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: rounds(200) },
  );
});

test("local presence prefers area code, state, zone, country and calling code, in this order", () => {
  const near = (number: string, target: string) => nearnessOf(number, target).match;
  expect(near("+15125550100", "+15129990100")).toBe("area");
  expect(near("+17135550100", "+15129990100")).toBe("state");
  expect(near("+13125550100", "+15129990100")).toBe("zone");
  expect(near("+12125550100", "+15129990100")).toBe("country");
  expect(near("+14165550100", "+15129990100")).toBe("code");
  expect(near("+442079460000", "+15129990100")).toBe("none");
  expect(near("+442079460000", "+442079461111")).toBe("prefix");
  expect(near("+442079460000", "+33142685300")).toBe("none");
  expect(near("+442079460000", "+447700900123")).toBe("country");
  // A longer common beginning is nearer, up to what an area code is long.
  expect(nearnessOf("+441619460000", "+441619999999").rank).toBe(
    nearnessOf("+441619000000", "+441619999999").rank,
  );
  expect(nearnessOf("+441610000000", "+441619999999").rank).toBeLessThan(
    nearnessOf("+441130000000", "+441619999999").rank,
  );
});

test("a group without a free number is looked at when the first of them is free again", () => {
  const hour = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);
  const rules = { name: "Texas", daily_cap: 5, local_presence: true };
  const resting = { ...free(1, "+15125550100"), resting_until: hour(4) };
  const capped = free(2, "+15125550101", 5);
  expect(numbersLeft(rules, [resting, capped], DAY_ENDS, NOW)).toMatchObject({ free: 0, until: hour(4) });
  expect(numbersLeft(rules, [capped], DAY_ENDS, NOW)).toMatchObject({ capped: 1, until: DAY_ENDS });
  const busy = { ...free(3, "+15125550102"), free_lines: 0 };
  expect(numbersLeft(rules, [capped, busy], DAY_ENDS, NOW)).toMatchObject({ busy: 1, until: null });
  expect(numbersLeft(rules, [], DAY_ENDS, NOW)).toMatchObject({ free: 0, until: null });
});
