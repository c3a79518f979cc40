import type { ExperimentFigure, Metric } from "../../experiments/compare.ts";
import type { ExperimentComparison } from "../../experiments/comparison.ts";
import { type Experiment, type Guard, nextStep, weightsNow } from "../../experiments/experiment.ts";
import { columns } from "../reports/columns.ts";
import { dollars } from "../reports/evaluate-report.ts";

/** "version 1: 95 %, version 2: 5 %". */
export const splitLine = (experiment: Pick<Experiment, "stages" | "variants">): string =>
  weightsNow(experiment)
    .map(({ version_number, weight }) => `version ${version_number}: ${weight} %`)
    .join(", ");

const minute = (at: string | null): string =>
  at === null ? "–" : `${at.slice(0, 16).replace("T", " ")} UTC`;

/** A line for each experiment. */
export function listReport(items: readonly Experiment[]): string {
  if (items.length === 0) return "No experiments.\n";
  const rows = [
    ["", "Name", "Agent", "Status", "Split", "Started"],
    ...items.map((each) => [
      ...[String(each.id), each.name, each.agent, each.status, splitLine(each), minute(each.started_at)],
    ]),
  ];
  return lines(rows, "words");
}

const GUARD_NAMES: Record<Guard, string> = {
  errors: "Errors",
  transfers: "Transfers",
  opt_outs: "Opt-outs",
  complaints: "Complaints",
  slow: "Slow sessions",
};
const METRIC_NAMES: Record<Metric, string> = {
  success: "Success",
  ...GUARD_NAMES,
  wait_ms: "Latency",
  duration_s: "Duration",
  turns: "Turns",
  cost_usd: "Cost",
};

const SHOWN: Record<ExperimentFigure["unit"], (value: number) => string> = {
  rate: (value) => `${(value * 100).toFixed(1)} %`,
  ms: (value) => `${value.toFixed(0)} ms`,
  s: (value) => `${value.toFixed(1)} s`,
  count: (value) => value.toFixed(1),
  usd: dollars,
};

/** The state of an experiment; once it was started, its figures, what can be told of them, and its guardrails. */
export function showReport(experiment: Experiment, comparison: ExperimentComparison | null): string {
  const { id, name, agent, status, ended_at, ended_because, next_step_at } = experiment;
  const next = status === "running" ? nextStep(experiment) : null;
  const head = [
    `Experiment ${id}, "${name}", of ${agent}: ${status}.`,
    `Split: ${splitLine(experiment)}.`,
    ...(next === null
      ? []
      : [
          `Next step: ${next.percent} %, ${next_step_at === null ? "by hand" : `at ${minute(next_step_at)}`}.`,
        ]),
    ...(ended_at === null ? [] : [`Ended ${minute(ended_at)}: ${ended_because}`]),
  ].join("\n");
  if (comparison === null) return `${head}\n`;
  const { collected_at, kept_since } = comparison;
  const asOf =
    collected_at === null
      ? "no figures yet, they are counted every 20 seconds"
      : `figures as of ${minute(collected_at)}`;
  return [
    `${head}\n`,
    `Stage ${comparison.stage + 1} of ${experiment.stages.length}, ${asOf}:`,
    ...(kept_since === null
      ? []
      : [`Sessions before ${minute(kept_since)} are deleted by retention and not counted.`]),
    `${figureTable(comparison)}\n${guardTable(comparison)}`,
  ].join("\n");
}

function figureTable({ versions, figures }: ExperimentComparison): string {
  return lines([
    [
      "",
      ...versions.map(
        ({ version_number, is_control }) => `version ${version_number}${is_control ? " *" : ""}`,
      ),
      "difference (95 %)",
      "",
    ],
    ["People", ...versions.map(({ people }) => String(people)), "", ""],
    ...figures.flatMap(({ metric, unit, versions: own, differences }) => {
      const values = own.map(({ count, value }) =>
        value === null ? "–" : unit === "rate" ? `${count} (${SHOWN.rate(value)})` : SHOWN[unit](value),
      );
      return differences.map(({ difference, low, high, says }, at) => [
        ...(at === 0 ? [METRIC_NAMES[metric], ...values] : ["", ...own.map(() => "")]),
        difference === null || low === null || high === null
          ? "–"
          : `${SHOWN[unit](difference)} (${SHOWN[unit](low)} to ${SHOWN[unit](high)})`,
        says,
      ]);
    }),
  ]);
}

const guardTable = ({ guards }: ExperimentComparison): string =>
  guards.length === 0
    ? "No guardrails.\n"
    : lines([
        ["Guardrail", "version", "evidence of harm", ""],
        ...guards.map(({ guard, version_number, evidence, threshold, is_tripped }) => [
          ...[GUARD_NAMES[guard], String(version_number), `${evidence.toFixed(1)} of ${threshold}`],
          is_tripped ? "tripped" : "ok",
        ]),
      ]);

const lines = (...given: Parameters<typeof columns>): string =>
  columns(...given)
    .map((line) => `${line}\n`)
    .join("");
