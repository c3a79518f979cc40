import { z } from "zod";
import { wilsonInterval } from "../evaluations/statistics.ts";
import { evidenceOfDifference, type StageCount } from "./evidence.ts";
import {
  type Difference,
  meanDifference,
  peopleNeeded,
  rateDifference,
  rateSample,
  type Sample,
} from "./two-samples.ts";

/** What one figure says of the versions, and in a sentence; pure. */

export const METRICS = [
  "success",
  "errors",
  "transfers",
  "opt_outs",
  "complaints",
  "slow",
  "wait_ms",
  "duration_s",
  "turns",
  "cost_usd",
] as const;
export type Metric = (typeof METRICS)[number];

const VersionFigure = z.object({
  version_number: z.int(),
  is_control: z.boolean(),
  count: z.int().describe("People to whom it happened; of a mean: sessions it is known of."),
  total: z.int().describe("People of the version; of a mean: count."),
  value: z.number().nullable().describe("The rate, or the mean."),
  low: z.number().nullable().describe("Of a rate: Wilson's interval, 95 %."),
  high: z.number().nullable(),
});

const FigureDifference = z.object({
  version_number: z.int(),
  difference: z.number().nullable().describe("Against the control."),
  low: z.number().nullable().describe("95 %; of means one that holds however often it is looked at."),
  high: z.number().nullable(),
  p_value: z.number().nullable().describe("Of rates, over all stages; holds however often it is looked at."),
  verdict: z.enum(["better", "worse", "higher", "lower", "can't tell"]),
  people_needed: z.int().nullable().describe("How many more people would show a difference of this size."),
  says: z.string(),
});

export const ExperimentFigure = z
  .object({
    metric: z.enum(METRICS),
    unit: z.enum(["rate", "ms", "s", "count", "usd"]),
    versions: z.array(VersionFigure),
    differences: z.array(FigureDifference),
  })
  .meta({ id: "ExperimentFigure" });
export type ExperimentFigure = z.infer<typeof ExperimentFigure>;

export type RateOfVersion = { version_number: number; is_control: boolean; count: number; total: number };
export type MeanOfVersion = { version_number: number; is_control: boolean } & Sample;

/** Half of the usual 5 %: a page shows several rates, and each of them may be wrong once. */
const ALPHA = 0.025;

/** `counts`: people to whom it happened by stage, of a tried version beside the control. */
export function rateFigure(
  metric: Metric,
  versions: readonly RateOfVersion[],
  counts: (version_number: number) => StageCount[][],
): ExperimentFigure {
  const control = versions.find(({ is_control }) => is_control);
  return {
    metric,
    unit: "rate",
    versions: versions.map(({ count, total, ...version }) => {
      const interval = wilsonInterval(count, total);
      const value = total === 0 ? null : count / total;
      return { ...version, count, total, value, low: interval?.low ?? null, high: interval?.high ?? null };
    }),
    differences: versions
      .filter(({ is_control }) => !is_control)
      .map((tried) => {
        const found = control ? rateDifference(tried, control) : null;
        const bets = counts(tried.version_number).map(evidenceOfDifference);
        const evidence = bets.reduce((sum, bet) => sum + bet, 0) / Math.max(1, bets.length);
        const isTold = found !== null && found.difference !== 0 && evidence >= 1 / ALPHA;
        const isGood = found !== null && found.difference > 0 === (metric === "success");
        const needed = control
          ? peopleNeeded(rateSample(tried.count, tried.total), rateSample(control.count, control.total))
          : null;
        const more = needed && moreOf(needed, tried.total + (control?.total ?? 0));
        const verdict = !isTold ? "can't tell" : isGood ? "better" : "worse";
        return difference(
          tried.version_number,
          found,
          verdict,
          isTold ? null : more,
          Math.min(1, 1 / evidence),
          { whom: "people", have: tried.total + (control?.total ?? 0) },
        );
      }),
  };
}

export function meanFigure(
  metric: Metric,
  unit: ExperimentFigure["unit"],
  versions: readonly MeanOfVersion[],
): ExperimentFigure {
  const control = versions.find(({ is_control }) => is_control);
  return {
    metric,
    unit,
    versions: versions.map(({ version_number, is_control, n, mean }) => ({
      ...{ version_number, is_control, count: n, total: n },
      ...{ value: n === 0 ? null : mean, low: null, high: null },
    })),
    differences: versions
      .filter(({ is_control }) => !is_control)
      .map((tried) => {
        const found = control ? meanDifference(tried, control) : null;
        const isTold = found !== null && (found.low > 0 || found.high < 0);
        const needed = found && control ? peopleNeeded(tried, control) : null;
        const more = needed && moreOf(needed, tried.n + (control?.n ?? 0));
        const verdict = !isTold ? "can't tell" : found.difference > 0 ? "higher" : "lower";
        const seen = { whom: "sessions", have: tried.n + (control?.n ?? 0) } as const;
        return difference(tried.version_number, found, verdict, isTold ? null : more, null, seen);
      }),
  };
}

const moreOf = (needed: number, have: number): number => Math.max(1, needed - have);

function difference(
  version_number: number,
  found: Difference | null,
  verdict: z.infer<typeof FigureDifference>["verdict"],
  people_needed: number | null,
  p_value: number | null,
  { whom, have }: { whom: "people" | "sessions"; have: number },
): z.infer<typeof FigureDifference> {
  const count = (n: number) => n.toLocaleString("en-US");
  const more = people_needed === null ? "" : `; about ${count(have + people_needed)} would be needed`;
  const says =
    verdict === "can't tell"
      ? `No difference can be told from ${count(have)} ${whom}${more}.`
      : `Version ${version_number} is ${verdict}.`;
  return {
    ...{
      version_number,
      difference: found?.difference ?? null,
      low: found?.low ?? null,
      high: found?.high ?? null,
    },
    ...{ p_value, verdict, people_needed, says },
  };
}
