import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { calibrationOf, type LabelledSession } from "./calibration.ts";
import { type Agreement, cohensKappa, kappaInterval } from "./kappa.ts";

const table = (both_yes: number, person_yes: number, judge_yes: number, both_no: number): Agreement => ({
  both_yes,
  person_yes,
  judge_yes,
  both_no,
});

test.each([
  // Sim and Wright 2005 (Physical Therapy 85:257), table 1: 0.67.
  ["Sim and Wright 2005, table 1", table(22, 2, 4, 11), 0.67],
  // Feinstein and Cicchetti 1990 (Journal of Clinical Epidemiology 43:543): the same agreement of 85 %, at two prevalences.
  ["Feinstein and Cicchetti 1990, balanced", table(40, 9, 6, 45), 0.7],
  ["Feinstein and Cicchetti 1990, unbalanced", table(80, 10, 5, 5), 0.32],
])("kappa is as published: %s", (_, agreement, published) => {
  expect(cohensKappa(agreement)).toBeCloseTo(published, 2);
});

/** Fleiss, Cohen and Everitt 1969 (Psychological Bulletin 72:323): the standard error of kappa in large samples. */
function standardError({ both_yes, person_yes, judge_yes, both_no }: Agreement): number {
  const n = both_yes + person_yes + judge_yes + both_no;
  const p = [
    [both_yes / n, person_yes / n],
    [judge_yes / n, both_no / n],
  ] as [[number, number], [number, number]];
  const rows = [p[0][0] + p[0][1], p[1][0] + p[1][1]] as const;
  const columns = [p[0][0] + p[1][0], p[0][1] + p[1][1]] as const;
  const observed = p[0][0] + p[1][1];
  const chance = rows[0] * columns[0] + rows[1] * columns[1];
  const kappa = (observed - chance) / (1 - chance);
  const on = ([0, 1] as const).reduce<number>(
    (sum, i) => sum + p[i][i] * (1 - (rows[i] + columns[i]) * (1 - kappa)) ** 2,
    0,
  );
  const off =
    (1 - kappa) ** 2 * (p[0][1] * (columns[0] + rows[1]) ** 2 + p[1][0] * (columns[1] + rows[0]) ** 2);
  return Math.sqrt((on + off - (kappa - chance * (1 - kappa)) ** 2) / n) / (1 - chance);
}

test("the interval is near the large-sample one where the sample is large, and the same each time", () => {
  for (const agreement of [table(160, 40, 36, 164), table(300, 20, 40, 140), table(90, 60, 50, 200)]) {
    const found = kappaInterval(agreement, 7);
    const reach = 1.959964 * standardError(agreement);
    expect(found?.low).toBeCloseTo((found?.kappa as number) - reach, 1.3);
    expect(found?.high).toBeCloseTo((found?.kappa as number) + reach, 1.3);
    expect(kappaInterval(agreement, 7)).toEqual(found);
  }
});

test("fifty labels without a difference don't say that there is none", () => {
  // Wilson of 50 of 50 is 0.9287; half of them agree by chance.
  const found = kappaInterval(table(25, 0, 0, 25), 1);
  expect(found).toMatchObject({ kappa: 1, high: 1 });
  expect(found?.low).toBeCloseTo((0.9287 - 0.5) / 0.5, 3);
  expect(kappaInterval(table(25, 1, 0, 24), 1)?.low).toBeLessThan(0.8);
  expect(kappaInterval(table(1, 0, 1, 0), 1)?.low).toBeGreaterThanOrEqual(-1);
});

test("for all tables, kappa lies in its interval, is the same from the other side, and 1 only where all agree", () => {
  const count = fc.nat(40);
  fc.assert(
    fc.property(count, count, count, count, (a, b, c, d) => {
      const found = kappaInterval(table(a, b, c, d), 1);
      const turned = cohensKappa(table(d, c, b, a));
      if (found === null) {
        expect(a + d === 0 || (b + c === 0 && (a === 0 || d === 0)) || turned === null).toBe(true);
        return;
      }
      expect(found.kappa).toBeCloseTo(turned as number, 9);
      expect(found.kappa).toBeCloseTo(cohensKappa(table(a, c, b, d)) as number, 9);
      expect(found.low).toBeLessThanOrEqual(found.high);
      expect(found.high).toBeLessThanOrEqual(1);
      expect(Math.abs(found.kappa - 1) < 1e-12).toBe(b + c === 0);
    }),
    { numRuns: rounds(60) },
  );
});

const labelled = (agreement: Agreement, form = "now", model: string | null = "m"): LabelledSession[] =>
  (
    [
      ["yes", "yes", agreement.both_yes],
      ["yes", "no", agreement.person_yes],
      ["no", "yes", agreement.judge_yes],
      ["no", "no", agreement.both_no],
    ] as const
  ).flatMap(([label, answer, count]) =>
    Array.from({ length: count }, () => ({
      label,
      answer,
      asked_as: form,
      model,
      answered_at: "2026-01-01",
    })),
  );
const asked = { form: "now", seed: 1, least_kappa: 0.6 };

test("a judge counts from fifty answered labels and the set kappa on, and not before", () => {
  expect(calibrationOf(labelled(table(25, 0, 0, 24)), asked)).toMatchObject({ answered: 49, gates: false });
  expect(calibrationOf(labelled(table(25, 0, 0, 25)), asked)).toMatchObject({ answered: 50, gates: true });
  const poor = calibrationOf(labelled(table(20, 12, 10, 30)), asked);
  expect(poor).toMatchObject({ answered: 72, gates: false });
  expect(poor.says).toMatch(/^It informs only: it agrees with people at κ = 0\.\d\d; 0\.60 is asked for\.$/);
  expect(calibrationOf(labelled(table(60, 0, 0, 0)), asked)).toMatchObject({ kappa: null, gates: false });
});

test("answers of an earlier form or another model, and sessions nobody could decide, count nowhere", () => {
  const old = labelled(table(30, 0, 0, 30), "before");
  const other = labelled(table(0, 30, 30, 0), "now", "another");
  const unclear = { label: "unclear", answer: null, asked_as: null, model: null, answered_at: null } as const;
  const mine = labelled(table(30, 0, 0, 30)).map((row) => ({ ...row, answered_at: "2026-01-02" }));
  expect(calibrationOf([...old, ...other, ...mine, unclear], asked)).toMatchObject({
    labelled: 180,
    unclear: 1,
    answered: 60,
    waiting: 120,
    failed: 0,
    model: "m",
    kappa: 1,
    gates: true,
  });
});
