import { z } from "zod";
import { name } from "../api/schema.ts";

/** What can be counted of sessions, and of the people of campaigns. */
type MetricKind =
  /** How many there are. */
  | "count"
  /** The share of sessions, or of people, to whom something applies. */
  | "rate"
  | "mean"
  | "sum"
  | "percentile";

type MetricRule = {
  kind: MetricKind;
  unit: FigureUnit;
  of: "sessions" | "people";
  /** What it needs beside its name. */
  needs?: "insight" | "insight_value";
  /** The search that finds the sessions of a rate, or those of which something was measured. */
  search?: [string, string];
};

export type FigureUnit = "count" | "percent" | "seconds" | "milliseconds" | "usd";

export const METRICS = {
  sessions: { kind: "count", unit: "count", of: "sessions" },
  turns: { kind: "mean", unit: "count", of: "sessions" },
  duration: { kind: "mean", unit: "seconds", of: "sessions" },
  cost: { kind: "sum", unit: "usd", of: "sessions" },
  cost_per_session: { kind: "mean", unit: "usd", of: "sessions" },
  errors: { kind: "rate", unit: "percent", of: "sessions", search: ["has_error", "true"] },
  hand_overs: { kind: "rate", unit: "percent", of: "sessions", search: ["end_reason", "transfer"] },
  tool_failures: { kind: "rate", unit: "percent", of: "sessions", search: ["failed_tool", "*"] },
  latency_p50: { kind: "percentile", unit: "milliseconds", of: "sessions", search: ["has_latency", "true"] },
  latency_p95: { kind: "percentile", unit: "milliseconds", of: "sessions", search: ["has_latency", "true"] },
  insight_rate: { kind: "rate", unit: "percent", of: "sessions", needs: "insight_value" },
  insight_mean: { kind: "mean", unit: "count", of: "sessions", needs: "insight" },
  people_tried: { kind: "count", unit: "count", of: "people" },
  people_answered: { kind: "rate", unit: "percent", of: "people" },
  people_talked: { kind: "rate", unit: "percent", of: "people" },
  people_goal: { kind: "rate", unit: "percent", of: "people" },
} as const satisfies Record<string, MetricRule>;

export type MetricName = keyof typeof METRICS;
const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

export const ruleOf = (metric: MetricName): MetricRule => METRICS[metric];

/** Values of insights that are longer can't be searched. */
const MOST_VALUE_CHARACTERS = 60;

export const FigureMetric = z
  .strictObject({
    name: z
      .enum(METRIC_NAMES)
      .describe(
        "`errors`, `hand_overs` (transfers), `tool_failures` and `insight_rate` are shares of sessions; `people_…` are of the people whom campaigns tried, by the time of their first attempt.",
      ),
    insight: name().nullish().describe("The name of an insight, for `insight_rate` and `insight_mean`."),
    value: z
      .string()
      .min(1)
      .max(MOST_VALUE_CHARACTERS)
      .nullish()
      .describe("The value that `insight_rate` counts among the sessions that have the insight."),
  })
  .superRefine(({ name, insight, value }, context) => {
    const { needs } = ruleOf(name);
    if (needs && !insight)
      context.addIssue({
        code: "custom",
        path: ["insight"],
        message: `${name} needs the name of an insight`,
      });
    if (needs === "insight_value" && !value)
      context.addIssue({ code: "custom", path: ["value"], message: `${name} needs a value of the insight` });
  })
  .meta({ id: "FigureMetric" });
export type FigureMetric = z.infer<typeof FigureMetric>;

export const SPLITS = [
  "none",
  "day",
  "hour",
  "agent",
  "version",
  "channel",
  "campaign",
  "end_reason",
  "insight",
  "label",
] as const;
export type SplitBy = (typeof SPLITS)[number];

/** The splits that people of campaigns have. */
const SPLITS_OF_PEOPLE: readonly SplitBy[] = ["none", "day", "hour", "campaign"];

export const FigureSplit = z
  .strictObject({
    by: z.enum(SPLITS).default("none"),
    insight: name().nullish().describe("The name of the insight, for `insight`."),
  })
  .superRefine(({ by, insight }, context) => {
    if (by === "insight" && !insight)
      context.addIssue({ code: "custom", path: ["insight"], message: "Choose an insight to split by" });
  })
  .meta({ id: "FigureSplit" });
export type FigureSplit = z.infer<typeof FigureSplit>;

export const isTime = (by: SplitBy): by is "day" | "hour" => by === "day" || by === "hour";

/** Why a metric has no such split; null: it has. */
export const splitProblem = (metric: MetricName, by: SplitBy): string | null =>
  ruleOf(metric).of === "people" && !SPLITS_OF_PEOPLE.includes(by)
    ? `${metric} is counted per person of a campaign: split by ${SPLITS_OF_PEOPLE.join(", ")}`
    : null;
