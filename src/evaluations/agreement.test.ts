import { expect, test } from "vitest";
import { cohensKappa, kappaInterval, type Rated } from "./agreement.ts";

/** So many conversations for each pair of answers. */
const table = (rows: Record<string, Record<string, number>>): Rated[] =>
  Object.entries(rows).flatMap(([person, row]) =>
    Object.entries(row).flatMap(([judge, count]) => Array.from({ length: count }, () => ({ person, judge }))),
  );

test("κ is the published one of Cohen's own example (1960, table 1) and of one with two answers", () => {
  const cohen = table({
    A: { A: 50, B: 26, C: 24 },
    B: { A: 24, B: 4, C: 32 },
    C: { A: 6, B: 30, C: 4 },
  });
  expect(cohensKappa(cohen)).toBeCloseTo(-0.092, 3);
  expect(cohensKappa(table({ yes: { yes: 20, no: 5 }, no: { yes: 10, no: 15 } }))).toBeCloseTo(0.4, 10);
  expect(cohensKappa(table({ yes: { yes: 30 }, no: { no: 20 } }))).toBe(1);
});

test("one answer throughout has no κ, and neither has nothing", () => {
  expect(cohensKappa(table({ yes: { yes: 50 } }))).toBeNull();
  expect(cohensKappa([])).toBeNull();
  expect(kappaInterval([], 1)).toBeNull();
});

test("the bootstrap interval is near the one of the large-sample formula (Fleiss, Cohen and Everitt 1969)", () => {
  // κ = 0.4, standard error 0.1277: 0.15 to 0.65.
  const found = kappaInterval(table({ yes: { yes: 20, no: 5 }, no: { yes: 10, no: 15 } }), 3)!;
  expect(found.kappa).toBeCloseTo(0.4, 10);
  expect(found.low).toBeCloseTo(0.15, 1);
  expect(found.high).toBeCloseTo(0.65, 1);
});
