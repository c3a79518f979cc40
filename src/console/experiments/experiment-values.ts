import type { Experiment, NewExperiment } from "../api-types.ts";
import { worded } from "../server/field-labels.ts";
import { GUARD_WORDS, type Guard } from "./experiment-words.ts";

/** What the form of an experiment holds; its paths are those of the API, so that faults stand at their fields. */
export type ExperimentValues = {
  name: string;
  channel_target_id: number | null;
  campaign_id: number | null;
  /** The first is the control. */
  variants: { version_number: number | null; weight: number | string }[];
  /** The first step is the weight of the tried version, and has no controls. */
  ramp: { percent: number | string; hours: number | string }[];
  guards: Guard[];
  slow_s: number | string;
  success: "none" | "insight" | "tool" | "end";
  insight_key: string;
  values: string;
  tool: string;
  end_reasons: EndReason[];
};
export type EndReason = NonNullable<NonNullable<Experiment["success"]>["end_reasons"]>[number];

/** As the review of another person's change calls them. */
export const EXPERIMENT_LABELS = {
  channel_target_id: "Address",
  campaign_id: "Campaign",
  variants: "Versions",
  "variants.*.version_number": "Version",
  "variants.*.weight": "Weight (%)",
  "ramp.*.percent": "Share (%)",
  "ramp.*.hours": "After (h)",
  guards: worded("Guardrails", GUARD_WORDS),
  slow_s: "Slow from (s)",
  insight_key: "Insight",
  values: "Good values",
  end_reasons: "Good ends",
};
/** A ramp begins with a version's weight, and each kind of success has fields of its own. */
export const SET_TOGETHER = [
  ["variants", "ramp"],
  ["success", "insight_key", "values", "tool", "end_reasons"],
];

const GUARDS = Object.keys(GUARD_WORDS) as Guard[];
const FIRST_SHARE = 5;
const SLOW_S = 4;
const DAY_H = 24;

export const newExperiment = (control: number, tried: number | null): ExperimentValues => ({
  name: "",
  channel_target_id: null,
  campaign_id: null,
  variants: [
    { version_number: control, weight: 100 - FIRST_SHARE },
    { version_number: tried, weight: FIRST_SHARE },
  ],
  ramp: [FIRST_SHARE, 25, 100].map((percent) => ({ percent, hours: DAY_H })),
  guards: GUARDS,
  slow_s: SLOW_S,
  success: "none",
  insight_key: "",
  values: "",
  tool: "",
  end_reasons: [],
});

export function experimentValues(stored: Experiment): ExperimentValues {
  const { name, channel_target_id, campaign_id, variants, ramp, guards, slow_ms, success } = stored;
  return {
    name,
    channel_target_id,
    campaign_id,
    guards,
    slow_s: slow_ms / 1000,
    variants: [...variants].sort((one, other) => Number(other.is_control) - Number(one.is_control)),
    ramp: (ramp ?? []).map(({ percent, after_minutes }) => ({
      percent,
      hours: after_minutes === null ? "" : after_minutes / 60,
    })),
    success: kindOf(success),
    insight_key: success?.insight_key ?? "",
    values: (success?.values ?? []).join("\n"),
    tool: success?.tool ?? "",
    end_reasons: success?.end_reasons ?? [],
  };
}

function kindOf(success: Experiment["success"]): ExperimentValues["success"] {
  if (success === null) return "none";
  if (success.insight_key !== null) return "insight";
  return success.tool === null ? "end" : "tool";
}

/** A number that was cleared is sent as none, so that the API says at its field what is missing. */
const numberOf = (typed: number | string): number => (typed === "" ? Number.NaN : Number(typed));

export function experimentBody(values: ExperimentValues, agent_id: number): NewExperiment {
  const { name, channel_target_id, campaign_id, variants, ramp, guards, slow_s } = values;
  const tried = variants[1]?.weight ?? 0;
  return {
    name,
    agent_id,
    channel_target_id,
    campaign_id,
    guards,
    variants: variants.map(({ version_number, weight }, at) => ({
      // null is refused at its field.
      version_number: version_number as number,
      weight: numberOf(weight),
      is_control: at === 0,
    })),
    ramp:
      ramp.length < 2 || variants.length > 2
        ? null
        : ramp.map(({ percent, hours }, at) =>
            at === 0
              ? { percent: numberOf(tried), after_minutes: null }
              : {
                  percent: numberOf(percent),
                  after_minutes: hours === "" ? null : Math.round(Number(hours) * 60),
                },
          ),
    slow_ms: Math.round(numberOf(slow_s) * 1000),
    success: successOf(values),
  };
}

function successOf({
  success,
  insight_key,
  values,
  tool,
  end_reasons,
}: ExperimentValues): NewExperiment["success"] {
  if (success === "none") return null;
  if (success === "end") return { end_reasons };
  if (success === "tool") return { tool: tool.trim() };
  return {
    insight_key,
    values: values.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()])),
  };
}

/** The sum of the weights, as far as they are numbers. */
export const sumOf = (variants: ExperimentValues["variants"]): number =>
  variants.reduce((sum, { weight }) => sum + (Number(weight) || 0), 0);
