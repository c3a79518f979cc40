import type { MetricName } from "./metric.ts";

/** What people read of a metric, in mails and messages. */
export const METRIC_LABELS: Record<MetricName, string> = {
  sessions: "Sessions",
  turns: "Turns per session",
  duration: "Length",
  cost: "Cost",
  cost_per_session: "Cost per session",
  errors: "Sessions with an error",
  hand_overs: "Sessions handed over",
  tool_failures: "Sessions with a failed tool",
  latency_p50: "Median latency",
  latency_p95: "95th percentile of latency",
  insight_rate: "Sessions with the insight's value",
  insight_mean: "Mean of the insight",
  people_tried: "People tried",
  people_answered: "People who answered",
  people_talked: "People who talked",
  people_goal: "People who reached the goal",
};
