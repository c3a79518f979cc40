import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import {
  holm,
  meanInterval,
  newcombeInterval,
  pairsForMean,
  percentiles,
  permutationTest,
} from "./paired-difference.ts";

test.each([
  // Newcombe 1998, Statistics in Medicine 17:2635, method 10.
  [36, 12, 2, 0, 0.0569, 0.3404],
  [36, 14, 0, 0, 0.1528, 0.4167],
  // Bentur 2009, as Fagerland, Lydersen and Laake 2014 (Statistics in Medicine 33:2850) have it: square-and-add.
  [1, 1, 7, 12, -0.5069, -0.0256],
  // Of a positive correlation, which is corrected: the formula of R's biostatUZH::confIntPairedProportion, worked out apart.
  [20, 12, 2, 16, 0.0562, 0.3292],
  [53, 10, 4, 33, -0.0146, 0.1333],
])(
  "Newcombe's interval of the paired difference %i, %i, %i, %i is the published one",
  (both, second, first, neither, low, high) => {
    const interval = newcombeInterval({ both, first, second, neither });
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  },
);

test("for all counts, Newcombe's interval holds the difference, lies within -1 and 1, and turns round with the lanes", () => {
  const count = fc.nat({ max: 300 });
  fc.assert(
    fc.property(count, count, count, count, (both, first, second, neither) => {
      fc.pre(both + first + second + neither > 0);
      const there = newcombeInterval({ both, first, second, neither })!;
      const back = newcombeInterval({ both, first: second, second: first, neither })!;
      expect(there.low).toBeLessThanOrEqual(there.difference + 1e-12);
      expect(there.high).toBeGreaterThanOrEqual(there.difference - 1e-12);
      expect(Math.min(there.low, -there.high)).toBeGreaterThanOrEqual(-1);
      expect(back.low).toBeCloseTo(-there.high, 10);
    }),
  );
});

test("Holm's correction steps down and never falls back (the example of R's p.adjust, after Holm 1979)", () => {
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02].map((p) => expect.closeTo(p, 10)));
  expect(holm([])).toEqual([]);
});

test("for all p, Holm's are no smaller, at most 1, and in the same order", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 }), (p_values) => {
      const corrected = holm(p_values);
      for (const [a, p] of p_values.entries()) {
        expect(corrected[a]).toBeGreaterThanOrEqual(p);
        expect(corrected[a]).toBeLessThanOrEqual(1);
        for (const [b, other] of p_values.entries())
          if (p < other) expect(corrected[a]).toBeLessThanOrEqual(corrected[b] as number);
      }
    }),
  );
});

test("the permutation test of Darwin's 15 pairs of maize gives Fisher's p (Design of Experiments, 1935, section 21)", () => {
  const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
  // Fisher counted 1,726 of 32,768 ways.
  expect(permutationTest(darwin, 1)).toBe(1726 / 32768);
  // Of the first ten, exactly.
  expect(permutationTest([1, 2, 3, 4, 5, 6], 1)).toBe(2 / 64);
  expect(permutationTest([0, 0], 1)).toBe(1);
});

test("of more pairs than are turned round in every way, the p that is drawn is near the exact one, and never 0", () => {
  const differences = fc.array(fc.integer({ min: -4, max: 9 }), { minLength: 16, maxLength: 40 });
  fc.assert(
    fc.property(differences, fc.nat(), (all, seed) => {
      const moved = all.filter((difference) => difference !== 0);
      fc.pre(moved.length > 15);
      // How many of the ways lead to each sum.
      let ways = new Map([[0, 1]]);
      for (const difference of moved) {
        const next = new Map<number, number>();
        for (const [sum, count] of ways)
          for (const turned of [sum + difference, sum - difference])
            next.set(turned, (next.get(turned) ?? 0) + count / 2);
        ways = next;
      }
      const reached = Math.abs(moved.reduce((sum, difference) => sum + difference, 0));
      const exact = [...ways].reduce((sum, [at, count]) => sum + (Math.abs(at) >= reached ? count : 0), 0);
      const drawn = permutationTest(all, seed);
      expect(Math.abs(drawn - exact)).toBeLessThan(5 * Math.sqrt((exact * (1 - exact)) / 1_999) + 2 / 2_000);
      expect(drawn).toBeGreaterThan(0);
    }),
    { numRuns: rounds(50) },
  );
  const same = Array.from({ length: 60 }, () => 1);
  expect(permutationTest(same, 1)).toBe(1 / 2_000);
});

test("the middle 95 % of a thousand values runs from the 26th to the 976th", () => {
  const values = Array.from({ length: 1_000 }, (_, n) => (n * 7) % 1_000);
  expect(percentiles(values)).toEqual({ low: 25, high: 975 });
});

test("a mean's bootstrap interval holds the mean, and the pairs needed fall with its size", () => {
  const values = Array.from({ length: 40 }, (_, n) => (n % 5) - 1);
  const interval = meanInterval(values, 7)!;
  expect(interval.difference).toBe(1);
  // The standard error is 1.43 / √40.
  expect(interval.low).toBeCloseTo(1 - 1.96 * 0.224, 0);
  expect(interval.high).toBeCloseTo(1 + 1.96 * 0.224, 0);
  expect(meanInterval([], 1)).toBeNull();
  expect(pairsForMean(values, 3)).toBe(31);
  expect(pairsForMean(values)).toBe(17);
  expect(pairsForMean([1, -1])).toBeNull();
});

test("the pairs needed are the fewest that show the difference with a power of 80 %", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 60 }), { minLength: 2, maxLength: 30 }), (values) => {
      const pairs = pairsForMean(values);
      const difference = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(pairs === null).toBe(difference === 0);
      if (pairs === null) return;
      const squares = values.map((value) => (value - difference) ** 2);
      const variance = squares.reduce((sum, square) => sum + square, 0) / (values.length - 1);
      // How many standard errors of so many pairs the difference is.
      const errors = (of: number) => Math.abs(difference) / Math.sqrt(variance / of);
      const enough = 1.959964 + 0.841621;
      expect(errors(pairs)).toBeGreaterThan(enough - 1e-5);
      if (pairs > 2) expect(errors(pairs - 1)).toBeLessThan(enough + 1e-5);
    }),
    { numRuns: rounds(300) },
  );
});

test("a handful of pairs has no interval, least of all one that is certain", () => {
  expect(meanInterval([120], 1)).toBeNull();
  expect(meanInterval([1, 1, 1], 1)).toBeNull();
});
