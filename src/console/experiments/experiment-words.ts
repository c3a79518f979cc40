import type { Experiment, ExperimentFigure } from "../api-types.ts";
import { formatDuration } from "../parts/duration.ts";
import type { Tone } from "../parts/parts.tsx";

export const STATUS_WORDS: Record<Experiment["status"], { word: string; tone: Tone }> = {
  draft: { word: "draft", tone: "quiet" },
  running: { word: "running", tone: "busy" },
  stopped: { word: "stopped", tone: "quiet" },
  returned: { word: "returned by a guardrail", tone: "bad" },
  adopted: { word: "adopted", tone: "good" },
};

export type Guard = Experiment["guards"][number];
export const GUARD_WORDS: Record<Guard, string> = {
  errors: "Errors",
  transfers: "Transfers",
  opt_outs: "Opt-outs",
  complaints: "Complaints",
  slow: "Slow sessions",
};

type Metric = ExperimentFigure["metric"];
export const METRIC_WORDS: Record<Metric, string> = {
  success: "Success",
  ...GUARD_WORDS,
  wait_ms: "Latency",
  duration_s: "Duration",
  turns: "Turns",
  cost_usd: "Cost",
};

export const VERDICT_TONES: Record<ExperimentFigure["differences"][number]["verdict"], Tone> = {
  better: "good",
  worse: "bad",
  higher: "warn",
  lower: "warn",
  "can't tell": "quiet",
};

const percent = (share: number): string => signed(share * 100, (amount) => `${amount.toFixed(1)} %`);

const SHOWN: Record<ExperimentFigure["unit"], (value: number) => string> = {
  rate: percent,
  ms: (value) => signed(value, formatDuration),
  s: (value) => signed(value * 1000, formatDuration),
  count: (value) => value.toFixed(1),
  usd: (value) => signed(value, (amount) => `$${amount.toFixed(4)}`),
};

/** Durations and amounts have no sign of their own. */
const signed = (value: number, shown: (amount: number) => string): string =>
  value < 0 ? `−${shown(-value)}` : shown(value);

export const valueWords = (unit: ExperimentFigure["unit"], value: number | null): string =>
  value === null ? "–" : SHOWN[unit](value);

/** "2.0 % (−1.1 % to 5.2 %)". */
export function intervalWords(
  unit: ExperimentFigure["unit"],
  value: number | null,
  low: number | null,
  high: number | null,
): string {
  if (value === null) return "–";
  const shown = valueWords(unit, value);
  return low === null || high === null
    ? shown
    : `${shown} (${valueWords(unit, low)} to ${valueWords(unit, high)})`;
}

type Weights = readonly { version_number: number; weight: number }[];

/** "version 1: 95 %, version 2: 5 %". */
export const splitWords = (weights: Weights): string =>
  weights.map(({ version_number, weight }) => `version ${version_number}: ${weight} %`).join(", ");

/** The weights that new sessions are assigned by; of a draft, those it would start with. */
export const weightsNow = ({ stages, variants }: Pick<Experiment, "stages" | "variants">): Weights =>
  stages.at(-1)?.weights ?? variants;

/** The steps of the tried version's share: "5 % → 25 % → 100 %". */
export const rampWords = (ramp: Experiment["ramp"]): string | null =>
  ramp === null ? null : ramp.map(({ percent }) => `${percent} %`).join(" → ");

/** The next step of the ramp; null where there is none. */
export function nextStep(experiment: Pick<Experiment, "ramp" | "stages" | "variants">) {
  const tried = experiment.variants.find(({ is_control }) => !is_control)?.version_number;
  const share = weightsNow(experiment).find(({ version_number }) => version_number === tried)?.weight ?? 0;
  return experiment.ramp?.find(({ percent }) => percent > share) ?? null;
}

const WITH_SESSIONS: Metric[] = ["success", "errors", "transfers", "opt_outs", "complaints", "slow"];

/** The list of the sessions behind a figure. */
export function sessionsBehind(of: {
  experiment_id: number;
  stage: number;
  version_number: number;
  metric?: Metric;
}): string {
  const { experiment_id, stage, version_number, metric } = of;
  const outcome =
    metric !== undefined && WITH_SESSIONS.includes(metric) ? `&f_experiment_outcome=${metric}` : "";
  return `/sessions?f_experiment_id=${experiment_id}.${stage}:${version_number}${outcome}`;
}

/** The address and the campaign that the experiment keeps to. */
export const limitsOf = ({ target, campaign_name }: Experiment): string[] =>
  [target, campaign_name].flatMap((limit) => limit || []);
