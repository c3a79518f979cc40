import fc from "fast-check";
import { expect, test } from "vitest";
import { createDraws } from "../evaluations/draws.ts";
import {
  evidenceAbove,
  evidenceOfDifference,
  evidenceOfLess,
  evidenceOfMore,
  type StageCount,
} from "./evidence.ts";

const RAMP = [
  { share: 0.05, people: 1_500 },
  { share: 0.25, people: 1_500 },
  { share: 0.5, people: 1_500 },
];

/** One experiment, looked at after every person to whom it happened; resolves with the people until it was told. */
function run(
  next: () => number,
  rates: { tried: number; control: (day: number) => number },
  evidence: (stages: StageCount[]) => number,
  threshold: number,
): number | null {
  const stages: StageCount[] = [];
  let met = 0;
  for (const { share, people } of RAMP) {
    const stage = { share, tried: 0, control: 0 };
    stages.push(stage);
    for (let n = 0; n < people; n++) {
      met += 1;
      const isTried = next() < share;
      if (next() >= (isTried ? rates.tried : rates.control(met))) continue;
      stage[isTried ? "tried" : "control"] += 1;
      if (evidence(stages) >= threshold) return met;
    }
  }
  return null;
}

test("400 A/A experiments of each rate, looked at after every event, raise alarms in at most 5 % at the threshold of the page", () => {
  for (const rate of [0.01, 0.1, 0.4]) {
    const { next } = createDraws(1_000 * rate);
    const alarms = Array.from({ length: 400 }, () =>
      run(next, { tried: rate, control: () => rate }, evidenceOfDifference, 40),
    ).filter((met) => met !== null).length;
    expect(alarms).toBeLessThanOrEqual(20);
  }
});

test("1,000 A/A experiments return people in at most 5 %, also where the rate of both changes during the ramp", () => {
  const { next } = createDraws(11);
  let alarms = 0;
  for (let n = 0; n < 1_000; n++) {
    const drift = (met: number) => (met < 1_500 ? 0.02 : met < 3_000 ? 0.15 : 0.05);
    let met = 0;
    const stages: StageCount[] = [];
    const tripped = RAMP.some(({ share, people }) => {
      const stage = { share, tried: 0, control: 0 };
      stages.push(stage);
      for (let p = 0; p < people; p++) {
        met += 1;
        if (next() >= drift(met)) continue;
        stage[next() < share ? "tried" : "control"] += 1;
        if (evidenceOfMore(stages) >= 20) return true;
      }
      return false;
    });
    if (tripped) alarms += 1;
  }
  expect(alarms).toBeLessThanOrEqual(50);
});

test("a fault that doubles a rate of 10 % is told in at least 95 of 100, one that breaks everything after 100 people", () => {
  const { next } = createDraws(5);
  const doubled = Array.from({ length: 100 }, () =>
    run(next, { tried: 0.2, control: () => 0.1 }, evidenceOfMore, 200),
  ).filter((met) => met !== null).length;
  expect(doubled).toBeGreaterThanOrEqual(95);
  const broken = Array.from({ length: 100 }, () =>
    run(next, { tried: 1, control: () => 0.01 }, evidenceOfMore, 200),
  ).map((met) => met ?? Number.POSITIVE_INFINITY);
  expect(broken.toSorted((a, b) => a - b)[50]).toBeLessThan(100);
});

test("a stage in which nobody meets one of the versions, and no events, say nothing", () => {
  expect(evidenceOfMore([])).toBe(1);
  expect(evidenceOfMore([{ share: 1, tried: 100, control: 0 }])).toBe(1);
  expect(evidenceOfMore([{ share: 0.5, tried: 0, control: 0 }])).toBe(1);
  // Somebody who met a version that had nobody was counted in the wrong stage.
  expect(evidenceOfMore([{ share: 1, tried: 100, control: 3 }])).toBe(1);
  expect(evidenceOfMore([{ share: 0, tried: 100, control: 3 }])).toBe(1);
});

test("less often with one version is more often with the other", () => {
  const share = fc.integer({ min: 1, max: 99 }).map((percent) => percent / 100);
  const people = fc.nat({ max: 500 });
  fc.assert(
    fc.property(
      fc.array(fc.record({ share, tried: people, control: people }), { maxLength: 5 }),
      (stages) => {
        const swapped = stages.map((of) => ({ share: 1 - of.share, tried: of.control, control: of.tried }));
        const [less, more] = [evidenceOfLess(stages), evidenceOfMore(swapped)];
        expect(Math.abs(Math.log(less) - Math.log(more))).toBeLessThan(1e-9);
      },
    ),
  );
  expect(evidenceOfLess([{ share: 0.5, tried: 5, control: 50 }])).toBeGreaterThan(1_000);
});

test("however strong the evidence is, it is a number that JSON has", () => {
  const all = { share: 0.01, tried: 100_000, control: 0 };
  expect(Number.isFinite(evidenceOfMore([all]))).toBe(true);
  expect(Number.isFinite(evidenceOfLess([{ share: 0.99, tried: 0, control: 100_000 }]))).toBe(true);
});

test("the evidence has mean 1 where the versions are the same", () => {
  // Over all outcomes of 12 events at a share of 0.25, weighted by their probability.
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
  let mean = 0;
  for (let tried = 0; tried <= 12; tried++) {
    const probability = choose(12, tried) * 0.25 ** tried * 0.75 ** (12 - tried);
    mean += probability * evidenceOfDifference([{ share: 0.25, tried, control: 12 - tried }]);
  }
  expect(mean).toBeCloseTo(1, 10);
});

test("against the past, the evidence has mean 1 at the limit, and less below it", () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
  const meanAt = (rate: number) => {
    let mean = 0;
    for (let k = 0; k <= 12; k++)
      mean += choose(12, k) * rate ** k * (1 - rate) ** (12 - k) * evidenceAbove(0.2, k, 12);
    return mean;
  };
  expect(meanAt(0.2)).toBeCloseTo(1, 10);
  expect(meanAt(0.1)).toBeLessThan(1);
});

test("against the past, a rate at the limit is no evidence, and one far above it is", () => {
  expect(evidenceAbove(0.05, 5, 100)).toBeLessThan(1);
  expect(evidenceAbove(0.05, 30, 100)).toBeGreaterThan(1_000);
  expect(evidenceAbove(0.05, 0, 0)).toBe(1);
});
