import { expect, test } from "vitest";
import { meanDifference, peopleNeeded, rateDifference, rateSample } from "./two-samples.ts";

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

test("nobody, or a handful, has no interval", () => {
  expect(rateDifference({ count: 0, total: 0 }, { count: 1, total: 2 })).toBeNull();
  expect(meanDifference({ n: 5, mean: 1, variance: 1 }, { n: 500, mean: 1, variance: 1 })).toBeNull();
});

test("the interval of means holds at all times together: wider than that of one look, and narrowing", () => {
  const at = (n: number) => meanDifference({ n, mean: 1, variance: 4 }, { n, mean: 0, variance: 4 });
  const half = (n: number) => ((at(n)?.high ?? 0) - (at(n)?.low ?? 0)) / 2;
  const oneLook = (n: number) => 1.96 * Math.sqrt(8 / n);
  for (const n of [50, 250, 5_000]) {
    expect(half(n)).toBeGreaterThan(oneLook(n));
    expect(half(n)).toBeLessThan(2.3 * oneLook(n));
  }
});

test("the people needed are those of the usual formula", () => {
  // 10 % against 20 %: 1.96 + 0.8416 squared times (0.09 + 0.16) / 0.01 = 196.2 in each group.
  expect(peopleNeeded(rateSample(20, 100), rateSample(10, 100))).toBe(393);
  expect(peopleNeeded(rateSample(10, 100), rateSample(10, 100))).toBeNull();
  // Told unevenly, more people are needed.
  expect(peopleNeeded(rateSample(2, 10), rateSample(19, 190))).toBeGreaterThan(393);
});
