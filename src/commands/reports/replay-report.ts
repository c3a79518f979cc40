import { nameOf, type ReplaySummary } from "../../replays/replay-summary.ts";
import { columns } from "./columns.ts";
import { dollars } from "./evaluate-report.ts";

/** A replay, as the API tells it. */
export type ToldReplay = {
  id: number;
  agent: string;
  baseline: string;
  candidate: string;
  status: "running" | "finished" | "cancelled";
  findings: { path: string; message: string }[];
  summary: ReplaySummary;
};

const WORDS = { turns: "Turns", calls: "Tool calls", cost_usd: "Cost", latency_ms: "Latency" } as const;
const TITLES = { better: "Better", worse: "Worse", different: "Different" } as const;

export type CountedReason = { reason: string; count: number };
const MOST_REASONS = 5;

/** Findings, why sessions were not replayed, a line for each thing that is compared, and the verdict. */
export function replayReport(
  { id, agent, baseline, candidate, findings, summary }: ToldReplay,
  reasons: CountedReason[],
): string {
  const { results, harness, rates, means, verdict, says, cost_usd } = summary;
  const replayed = `${results.replayed} of ${results.total} sessions replayed`;
  const left = [
    ...(results.error > 0 ? [`${results.error} could not be`] : []),
    ...(results.skipped > 0 ? [`${results.skipped} were not`] : []),
  ];
  const rows = [
    ["", "recorded", "baseline", "candidate", "difference (95 %)", ""],
    ...rates.map((rate) => [
      nameOf(rate),
      ...[rate.observed, rate.baseline, rate.candidate].map(String),
      interval(rate, (share) => `${(share * 100).toFixed(1)} %`),
      rate.verdict === "can't tell" ? "" : rate.verdict,
    ]),
    ...means.map((mean) => {
      const shown = FORMATS[mean.measure];
      return [
        WORDS[mean.measure],
        ...[mean.observed, mean.baseline, mean.candidate].map((value) =>
          value === null ? "–" : shown(value),
        ),
        interval(mean, shown),
        mean.verdict === "can't tell" ? "" : mean.verdict,
      ];
    }),
  ];
  return [
    ...findings.map(({ path, message }) => `note: ${path}: ${message}`),
    `${agent}: ${stateOf(candidate)} against ${stateOf(baseline)}. ${[replayed, ...left].join(", ")}.`,
    ...reasons.slice(0, MOST_REASONS).map(({ reason, count }) => `  ${count} × ${reason}`),
    "",
    ...columns(rows),
    "",
    `The baseline repeated the recorded outcome in ${harness.same_outcome} of ${harness.total} sessions, and followed the recording in ${harness.followed}.`,
    verdict === "can't tell" ? says : `${TITLES[verdict]}. ${says}`,
    ...(cost_usd > 0 ? [`Cost: ${dollars(cost_usd)}`] : []),
    `Replay ${id}: read the conversations beside each other in the console under Tests.`,
    "",
  ].join("\n");
}

const stateOf = (name: string): string =>
  name === "recorded" ? "each session's own version" : name === "draft" ? "the draft" : `version ${name}`;

const FORMATS = {
  turns: (value: number) => value.toFixed(1),
  calls: (value: number) => value.toFixed(1),
  cost_usd: dollars,
  latency_ms: (value: number) => `${value.toFixed(0)} ms`,
} as const;

type Interval = { difference: number | null; low: number | null; high: number | null };

function interval({ difference, low, high }: Interval, shown: (value: number) => string): string {
  if (difference === null) return "–";
  if (low === null || high === null) return shown(difference);
  return `${shown(difference)} (${shown(low)} to ${shown(high)})`;
}
