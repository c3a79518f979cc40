import { expect, test } from "vitest";
import { createDraws } from "../evaluations/draws.ts";
import { type MeanOfVersion, meanFigure, type RateOfVersion, rateFigure } from "./compare.ts";
import type { StageCount } from "./evidence.ts";

const versions = (control: [number, number], tried: [number, number]): RateOfVersion[] => [
  { version_number: 1, is_control: true, count: control[0], total: control[1] },
  { version_number: 2, is_control: false, count: tried[0], total: tried[1] },
];

const found = (
  metric: "success" | "errors",
  { stage, happened, spared }: { stage: RateOfVersion[]; happened: StageCount[]; spared?: StageCount[] },
) => rateFigure(metric, stage, () => ({ happened, spared: spared ?? null })).differences[0];

test("a verdict goes the way of its evidence: the first people of a new stage don't turn it round", () => {
  // Errors of 30 % against 5 % in the first stage; of the second stage's twelve people one met one, with the control.
  const happened = [
    { share: 0.5, tried: 60, control: 10 },
    { share: 0.75, tried: 0, control: 1 },
  ];
  expect(found("errors", { stage: versions([1, 3], [0, 9]), happened })).toMatchObject({
    verdict: "worse",
    says: "Version 2 is worse over all stages.",
  });
  const spared = [
    { share: 0.5, tried: 140, control: 190 },
    { share: 0.75, tried: 9, control: 2 },
  ];
  expect(found("success", { stage: versions([1, 3], [0, 9]), happened, spared })).toMatchObject({
    verdict: "better",
    says: "Version 2 is better over all stages.",
  });
});

test("a verdict of a single stage does not speak of stages", () => {
  const happened = [
    { share: 0.5, tried: 60, control: 10 },
    { share: 0.75, tried: 0, control: 0 },
  ];
  expect(found("errors", { stage: versions([10, 200], [60, 200]), happened })?.says).toBe(
    "Version 2 is worse.",
  );
});

test.each([
  ["errors", 0.05, 0.08, 0.5],
  ["errors", 0.1, 0.2, 0.25],
  ["errors", 0.02, 0.01, 0.5],
  ["success", 0.8, 0.85, 0.5],
  ["success", 0.5, 0.6, 0.25],
] as const)(
  "%s of %f against %f at a share of %f are told from as many people as are named",
  (metric, p2, p1, share) => {
    const begun = 400;
    const counts = (n: number, one: (p: number, of: number) => number) => {
      const [t, c] = [Math.round(n * share), n - Math.round(n * share)];
      const [tried, control] = [one(p1, t), one(p2, c)];
      return {
        stage: versions([control, c], [tried, t]),
        happened: [{ share, tried, control }],
        ...(metric === "success" && { spared: [{ share, tried: t - tried, control: c - control }] }),
      };
    };
    const first = counts(begun, (p, of) => Math.round(p * of));
    const needed = begun + (found(metric, first)?.people_needed ?? 0);
    const { next } = createDraws(3);
    const drawn = (p: number, of: number) => {
      let met = 0;
      for (let n = 0; n < of; n++) if (next() < p) met++;
      return met;
    };
    const told = Array.from({ length: 200 }, () => found(metric, counts(needed, drawn))?.verdict).filter(
      (verdict) => verdict !== "can't tell",
    ).length;
    expect(told).toBeGreaterThanOrEqual(140);
    expect(told).toBeLessThanOrEqual(185);
  },
);

test("how many are needed is named also where it happened to all with one version and to nobody with the other", () => {
  const happened = [{ share: 0.5, tried: 3, control: 0 }];
  expect(found("errors", { stage: versions([0, 3], [3, 3]), happened })?.says).toBe(
    "No difference can be told from 6 people; about 17 would be needed.",
  );
});

const means = (control: Partial<MeanOfVersion>, tried: Partial<MeanOfVersion>): MeanOfVersion[] => [
  { version_number: 1, is_control: true, sessions: 450, n: 300, mean: 60, variance: 400, ...control },
  { version_number: 2, is_control: false, sessions: 150, n: 100, mean: 60, variance: 400, ...tried },
];
const meansOf = (control: Partial<MeanOfVersion>, tried: Partial<MeanOfVersion>) =>
  meanFigure("duration_s", "s", means(control, tried));

test("means are higher or lower where their interval leaves out 0, and are told of people, not of their sessions", () => {
  expect(meansOf({}, { mean: 90 }).differences).toMatchObject([
    { verdict: "higher", difference: 30, people_needed: null, p_value: null, says: "Version 2 is higher." },
  ]);
  const { versions, differences } = meansOf({ mean: 90 }, {});
  expect(differences).toMatchObject([{ verdict: "lower", difference: -30, says: "Version 2 is lower." }]);
  expect(versions).toMatchObject([
    { is_control: true, value: 90, count: 450, total: 450 },
    { is_control: false, value: 60, count: 150, total: 150 },
  ]);
  const [close] = meansOf({}, { mean: 62 }).differences;
  const needed = close?.people_needed ?? 0;
  expect(close).toMatchObject({
    verdict: "can't tell",
    says: `No difference can be told from 400 people; about ${(400 + needed).toLocaleString("en-US")} would be needed.`,
  });
  expect(needed).toBeGreaterThan(400);
});

test("means of nobody have no value, and are compared with nothing", () => {
  const { versions, differences } = meansOf({ n: 0, mean: 0, sessions: 0 }, { n: 1, sessions: 1 });
  expect(versions.map(({ value }) => value)).toEqual([null, 60]);
  expect(differences).toMatchObject([
    { difference: null, low: null, high: null, says: "No difference can be told from 1 person." },
  ]);
  const alone = meanFigure("duration_s", "s", means({}, {}).slice(1));
  expect(alone.differences).toMatchObject([{ verdict: "can't tell", difference: null, people_needed: null }]);
});
