import type { BoardTile, FigureMetric, FigureTotal, TileFigures } from "../api-types.ts";
import { counted } from "../parts/counted.ts";

/** Names of metrics and splits, and figures in words. */

export const METRIC_WORDS: Record<FigureMetric["name"], string> = {
  sessions: "Sessions",
  turns: "Turns per session",
  duration: "Length",
  cost: "Cost",
  cost_per_session: "Cost per session",
  errors: "Errors",
  hand_overs: "Hand-overs",
  tool_failures: "Tool failures",
  latency_p50: "Latency, median",
  latency_p95: "Latency, 95th percentile",
  insight_rate: "Insight: share of a value",
  insight_mean: "Insight: mean",
  people_tried: "Campaigns: people tried",
  people_answered: "Campaigns: answered",
  people_talked: "Campaigns: talked",
  people_goal: "Campaigns: reached the goal",
};

/** Shares have percent. */
export const METRIC_UNITS: Record<FigureMetric["name"], Unit> = {
  sessions: "count",
  turns: "count",
  duration: "seconds",
  cost: "usd",
  cost_per_session: "usd",
  errors: "percent",
  hand_overs: "percent",
  tool_failures: "percent",
  latency_p50: "milliseconds",
  latency_p95: "milliseconds",
  insight_rate: "percent",
  insight_mean: "count",
  people_tried: "count",
  people_answered: "percent",
  people_talked: "percent",
  people_goal: "percent",
};

const ofPeople = (metric: FigureMetric["name"]): boolean => metric.startsWith("people_");

/** What a metric counts, in the plural. */
export const countedBy = (metric: FigureMetric["name"]): "people" | "sessions" =>
  ofPeople(metric) ? "people" : "sessions";

/** "of 40 sessions": what a share, mean or sum was made of; empty for a metric that is their number. */
export const baseText = (metric: FigureMetric["name"], count: number): string =>
  metric === "sessions" || metric === "people_tried"
    ? ""
    : `of ${ofPeople(metric) ? counted(count, "person", "people") : counted(count, "session")}`;

export const SPLIT_WORDS: Record<BoardTile["split"]["by"], string> = {
  none: "No split",
  day: "Day",
  hour: "Hour",
  agent: "Agent",
  version: "Agent version",
  channel: "Channel",
  campaign: "Campaign",
  end_reason: "End reason",
  insight: "Insight value",
  label: "Label",
};

export const choicesOf = <K extends string>(words: Record<K, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label: label as string }));

type Unit = TileFigures["unit"];

export function figureText(value: number | null, unit: Unit): string {
  if (value === null) return "–";
  const number = (digits: number) => value.toLocaleString("en", { maximumFractionDigits: digits });
  switch (unit) {
    case "percent":
      return `${(value * 100).toLocaleString("en", { maximumFractionDigits: 1 })} %`;
    case "seconds":
      return `${number(1)} s`;
    case "milliseconds":
      return `${number(0)} ms`;
    case "usd":
      return `$${value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
    default:
      return number(2);
  }
}

/** "+12 % against the period before"; empty where there is nothing to compare with. */
export const changeText = ({ change }: FigureTotal): string =>
  change === null
    ? ""
    : `${change > 0 ? "+" : ""}${(change * 100).toLocaleString("en", { maximumFractionDigits: 1 })} % against the period before`;

export const titleOf = ({ title, metric, split }: BoardTile): string =>
  title ||
  `${METRIC_WORDS[metric.name]}${split.by === "none" ? "" : ` by ${SPLIT_WORDS[split.by].toLowerCase()}`}`;

/** The list of the sessions behind a figure, in the zone whose days are shown. */
export function sessionsLink(search: FigureTotal["search"], zone: string): string | null {
  if (!search) return null;
  const day = (at: string) => new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date(at));
  // The end of the period does not belong to it.
  const to = day(new Date(Date.parse(search.end_datetime) - 1).toISOString());
  const params = search.search_fields.map((field, n): [string, string] => [
    field === "words" ? "q" : `f_${field}`,
    search.search_field_values[n] ?? "",
  ]);
  return `/sessions?${new URLSearchParams([...params, ["from", day(search.start_datetime)], ["to", to]])}`;
}
