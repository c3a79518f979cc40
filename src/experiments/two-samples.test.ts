import fc from "fast-check";
import { expect, test } from "vitest";
import { meanDifference, neededForMean, neededForRate, rateDifference, type Sample } from "./two-samples.ts";

test.each([
  // Newcombe 1998b, table II, method 10.
  [56, 70, 48, 80, 0.0524, 0.3339],
  [9, 10, 3, 10, 0.1705, 0.809],
  [6, 7, 2, 7, 0.0582, 0.8062],
  [5, 56, 0, 29, -0.0381, 0.1926],
  [0, 10, 0, 20, -0.1611, 0.2775],
  [0, 10, 0, 10, -0.2775, 0.2775],
  [10, 10, 0, 20, 0.6791, 1],
  [10, 10, 0, 10, 0.6075, 1],
])("%i/%i against %i/%i differ by what Newcombe published", (a, m, b, n, low, high) => {
  const found = rateDifference({ count: a, total: m }, { count: b, total: n });
  expect(found?.low).toBeCloseTo(low, 4);
  expect(found?.high).toBeCloseTo(high, 4);
});

const sample = fc.record<Sample>({
  n: fc.integer({ min: 20, max: 2_000 }),
  mean: fc.double({ min: -1_000, max: 1_000, noNaN: true }),
  variance: fc.double({ min: 0.01, max: 10_000, noNaN: true }),
});

test("nobody, or a handful, has no interval", () => {
  expect(rateDifference({ count: 0, total: 0 }, { count: 1, total: 2 })).toBeNull();
  expect(meanDifference({ n: 5, mean: 1, variance: 1 }, { n: 500, mean: 1, variance: 1 })).toBeNull();
});

test("a difference is the tried version's less the control's, and lies in its interval; the other way round its sign alone changes", () => {
  const rate = fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 300 })).map(([a, b]) => ({
    count: Math.min(a, b),
    total: Math.max(a, b),
  }));
  const check = (found: ReturnType<typeof rateDifference>, turned: typeof found, difference: number) => {
    expect(found?.difference).toBeCloseTo(difference, 9);
    expect(found?.low).toBeLessThanOrEqual((found?.difference ?? 0) + 1e-9);
    expect(found?.high).toBeGreaterThanOrEqual((found?.difference ?? 0) - 1e-9);
    expect(turned?.difference).toBeCloseTo(-difference, 9);
    expect(turned?.low).toBeCloseTo(-(found?.high ?? 0), 9);
  };
  fc.assert(
    fc.property(rate, rate, sample, sample, (one, other, a, b) => {
      const difference = one.count / one.total - other.count / other.total;
      check(rateDifference(one, other), rateDifference(other, one), difference);
      check(meanDifference(a, b), meanDifference(b, a), a.mean - b.mean);
    }),
  );
});

test("an interval of means is as many standard errors wide whatever the groups are, by the larger error of Welch's and the pooled", () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const welch = a.variance / a.n + b.variance / b.n;
      const pooled =
        (((a.n - 1) * a.variance + (b.n - 1) * b.variance) / (a.n + b.n - 2)) * (1 / a.n + 1 / b.n);
      const errors = (one: Sample, other: Sample, error: number) => {
        const found = meanDifference(one, other);
        return ((found?.high ?? 0) - (found?.difference ?? 0)) / Math.sqrt(error);
      };
      const half = { n: (a.n + b.n) / 2, mean: 0, variance: 1 };
      expect(errors(a, b, Math.max(welch, pooled))).toBeCloseTo(errors(half, half, 2 / half.n), 6);
    }),
  );
});

test("nobody with a version, and no difference at all, need no number of people", () => {
  const always = () => true;
  const some = { count: 1, total: 4 };
  expect(neededForRate(some, { count: 0, total: 0 }, always)).toBeNull();
  expect(neededForRate({ count: 0, total: 0 }, some, always)).toBeNull();
  expect(neededForRate(some, { count: 2, total: 8 }, always)).toBeNull();
  expect(neededForMean({ n: 0, mean: 1, variance: 0 }, { n: 9, mean: 2, variance: 1 })).toBeNull();
});

test("the interval of means holds at all times together: wider than that of one look, and narrowing", () => {
  const at = (n: number) => meanDifference({ n, mean: 1, variance: 4 }, { n, mean: 0, variance: 4 });
  const half = (n: number) => ((at(n)?.high ?? 0) - (at(n)?.low ?? 0)) / 2;
  const oneLook = (n: number) => 1.96 * Math.sqrt(8 / n);
  for (const n of [50, 250, 5_000]) {
    expect(half(n)).toBeGreaterThan(oneLook(n));
    expect(half(n)).toBeLessThan(2.3 * oneLook(n));
  }
  // Waudby-Smith et al., equations 11 and 24, by hand for 500 people: so many standard errors.
  expect(half(250) / Math.sqrt(8 / 250)).toBeCloseTo(3.0352, 3);
});

test("a small group that has met no long call yet tells nothing: the common variance counts where it is larger", () => {
  const [tried, control] = [
    { n: 20, mean: 60, variance: 20 ** 2 },
    { n: 400, mean: 90, variance: 120 ** 2 },
  ];
  const found = meanDifference(tried, control);
  expect(found?.low).toBeLessThan(0);
  expect(found?.high).toBeGreaterThan(0);
  // As many in both: each variance has the same weight either way.
  const even = meanDifference({ ...tried, n: 400 }, control);
  const own = (20 ** 2 + 120 ** 2) / 400;
  const sequence = (even?.high ?? 0) - (even?.difference ?? 0);
  expect(sequence / Math.sqrt(own)).toBeCloseTo(
    ((meanDifference(control, control)?.high ?? 0) / Math.sqrt(2 * 120 ** 2)) * 20,
    6,
  );
});

test("from as many as are named the interval leaves out 0 in 80 of 100, and less often from half of them", () => {
  const [tried, control] = [
    { n: 100, mean: 1.3, variance: 4 },
    { n: 300, mean: 1, variance: 4 },
  ];
  const needed = neededForMean(tried, control) ?? 0;
  const told = (n: number) => {
    const half = meanDifference({ ...tried, n: n / 4 }, { ...control, n: (3 * n) / 4 });
    const error = Math.sqrt(4 / (n / 4) + 4 / ((3 * n) / 4));
    return 1 - normal(((half?.high ?? 0) - 2 * 0.3) / error);
  };
  expect(told(needed)).toBeCloseTo(0.8, 2);
  expect(told(needed / 2)).toBeLessThan(0.5);
  expect(neededForMean(tried, { ...control, mean: 1.3 })).toBeNull();
});

/** The normal distribution up to `z` (Zelen and Severo 1964, 26.2.17). */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    Math.exp((-z * z) / 2) *
    0.3989422804 *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}
