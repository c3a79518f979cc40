import { wilsonInterval } from "../evaluations/statistics.ts";
import { type Difference, meanDifference, rateDifference } from "../experiments/two-samples.ts";
import type { MetricName } from "./metric.ts";
import { ruleOf } from "./metric.ts";
import type { FigureRow } from "./read-figures.ts";

/** What two figures say of each other; pure. */

export type Bounds = { low: number; high: number };

/** Where the rate lies with 95 % (Wilson); null: no rate, or nothing counted. */
export const intervalOf = (metric: MetricName, row: FigureRow): Bounds | null =>
  ruleOf(metric).kind === "rate" ? wilsonInterval(row.part ?? 0, row.n) : null;

/** The second minus the first with its 95 % interval: of rates (Newcombe) and means; null where there is none. */
export function differenceOf(metric: MetricName, first: FigureRow, second: FigureRow): Difference | null {
  const { kind } = ruleOf(metric);
  if (kind === "rate")
    return rateDifference(
      { count: second.part ?? 0, total: second.n },
      { count: first.part ?? 0, total: first.n },
    );
  if (kind !== "mean" || first.value === null || second.value === null) return null;
  return meanDifference(
    { n: second.n, mean: second.value, variance: second.variance ?? 0 },
    { n: first.n, mean: first.value, variance: first.variance ?? 0 },
  );
}

/** By how much a figure changed, as a share of what it was; null where that was nothing. */
export const changeOf = (value: number | null, before: number | null): number | null =>
  value === null || before === null || before === 0 ? null : (value - before) / before;
