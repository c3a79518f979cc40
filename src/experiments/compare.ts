import { z } from "zod";
import { wilsonInterval } from "../evaluations/statistics.ts";
import { evidenceOfDifference, evidenceOfLess, evidenceOfMore, type StageCount } from "./evidence.ts";
import {
  type Difference,
  meanDifference,
  neededForMean,
  neededForRate,
  rateDifference,
  type Sample,
} from "./two-samples.ts";

/** What one figure says of the versions, and in a sentence; pure. */

const METRICS = [
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
/** The sample is of people, `sessions` is what their means were made of. */
export type MeanOfVersion = { version_number: number; is_control: boolean; sessions: number } & Sample;

/**
 * People by stage to whom it happened, of a tried version beside the control. `spared`: to whom it did not, where that tells
 * as much; null where it happens to few.
 */
export type PeopleOfStages = { happened: StageCount[]; spared: StageCount[] | null };

/** Half of the usual 5 %: a page shows several rates, and each of them may be wrong once. */
const ALPHA = 0.025;

export function rateFigure(
  metric: Metric,
  versions: readonly RateOfVersion[],
  peopleOf: (version_number: number) => PeopleOfStages,
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
        const people = peopleOf(tried.version_number);
        const { evidence, isMore } = evidenceOf(people);
        const isTold = found !== null && evidence >= 1 / ALPHA;
        const have = tried.total + (control?.total ?? 0);
        return difference(tried.version_number, found, {
          // Of all stages: few people of a new one may differ the other way round.
          verdict: !isTold ? "can't tell" : isMore === (metric === "success") ? "better" : "worse",
          needed: isTold || !control ? null : neededForRate(tried, control, tells(people.spared !== null)),
          p_value: Math.min(1, 1 / evidence),
          have,
          isOfAllStages: people.happened.filter(hasPeople).length > 1,
        });
      }),
  };
}

/** Who was spared is a bet on the contrary; the mean of two bets is one, too. */
function evidenceOf({ happened, spared }: PeopleOfStages): { evidence: number; isMore: boolean } {
  const bets = spared === null ? [happened] : [happened, spared];
  const more = evidenceOfMore(happened) + (spared ? evidenceOfLess(spared) : 0);
  const less = evidenceOfLess(happened) + (spared ? evidenceOfMore(spared) : 0);
  return {
    evidence: bets.reduce((sum, bet) => sum + evidenceOfDifference(bet), 0) / bets.length,
    isMore: more > less,
  };
}

const hasPeople = ({ tried, control }: StageCount): boolean => tried + control > 0;

/** Whether a difference would be told of one stage with such counts. */
const tells =
  (countsSpared: boolean): Parameters<typeof neededForRate>[2] =>
  (tried, control) => {
    const share = tried.total / (tried.total + control.total);
    const { evidence } = evidenceOf({
      happened: [{ share, tried: tried.count, control: control.count }],
      spared: countsSpared
        ? [{ share, tried: tried.total - tried.count, control: control.total - control.count }]
        : null,
    });
    return evidence >= 1 / ALPHA;
  };

export function meanFigure(
  metric: Metric,
  unit: ExperimentFigure["unit"],
  versions: readonly MeanOfVersion[],
): ExperimentFigure {
  const control = versions.find(({ is_control }) => is_control);
  return {
    metric,
    unit,
    versions: versions.map(({ version_number, is_control, sessions, n, mean }) => ({
      version_number,
      is_control,
      count: sessions,
      total: sessions,
      value: n === 0 ? null : mean,
      low: null,
      high: null,
    })),
    differences: versions
      .filter(({ is_control }) => !is_control)
      .map((tried) => {
        const found = control ? meanDifference(tried, control) : null;
        const isTold = found !== null && (found.low > 0 || found.high < 0);
        return difference(tried.version_number, found, {
          verdict: !isTold ? "can't tell" : found.difference > 0 ? "higher" : "lower",
          needed: found && control && !isTold ? neededForMean(tried, control) : null,
          p_value: null,
          have: tried.n + (control?.n ?? 0),
          isOfAllStages: false,
        });
      }),
  };
}

type Told = {
  verdict: z.infer<typeof FigureDifference>["verdict"];
  have: number;
  /** How many people in all; null: it is told, or they show none. */
  needed: number | null;
  p_value: number | null;
  isOfAllStages: boolean;
};

function difference(
  version_number: number,
  found: Difference | null,
  { verdict, have, needed, p_value, isOfAllStages }: Told,
): z.infer<typeof FigureDifference> {
  const count = (n: number) => n.toLocaleString("en-US");
  const more = needed === null ? "" : `; about ${count(needed)} would be needed`;
  const people = have === 1 ? "1 person" : `${count(have)} people`;
  const says =
    verdict === "can't tell"
      ? `No difference can be told from ${people}${more}.`
      : `Version ${version_number} is ${verdict}${isOfAllStages ? " over all stages" : ""}.`;
  return {
    version_number,
    difference: found?.difference ?? null,
    low: found?.low ?? null,
    high: found?.high ?? null,
    p_value,
    verdict,
    people_needed: needed === null ? null : needed - have,
    says,
  };
}
