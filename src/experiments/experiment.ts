import { z } from "zod";
import { integer, name, recordId, timestamp, ValidationIssue } from "../api/schema.ts";
import type { Experiments } from "../db/types.ts";

/** Contract of experiments: live traffic of an agent, split between versions that were published. */

export type ExperimentStatus = Experiments["status"];
export const isRunning = (status: ExperimentStatus): boolean => status === "running";
export const isDraft = (status: ExperimentStatus): boolean => status === "draft";

export const ExperimentVariant = z
  .strictObject({
    version_number: recordId().describe("A published version of the agent."),
    weight: integer({ min: 0, max: 100 }).describe("Percentage of the people."),
    is_control: z.boolean().describe("The live version, without the experiment."),
  })
  .meta({ id: "ExperimentVariant" });
export type ExperimentVariant = z.infer<typeof ExperimentVariant>;

export const RampStep = z
  .strictObject({
    percent: integer({ min: 1, max: 100 }).describe("Percentage of the people who meet the tried version."),
    after_minutes: integer({ min: 1, max: 525_600 })
      .nullable()
      .default(null)
      .describe("Time after the step before it; null: by hand. Ignored on the first step."),
  })
  .meta({ id: "RampStep" });
export type RampStep = z.infer<typeof RampStep>;

export const GUARDS = ["errors", "transfers", "opt_outs", "complaints", "slow"] as const;
export const Guard = z.enum(GUARDS);
export type Guard = z.infer<typeof Guard>;

export const SuccessRule = z
  .strictObject({
    insight_key: z.string().min(1).max(255).nullable().default(null).describe("An output of insights."),
    values: z
      .array(z.string().max(500))
      .max(50)
      .default([])
      .describe("Values of the insight that are a success."),
    tool: z
      .string()
      .min(1)
      .max(64)
      .nullable()
      .default(null)
      .describe("Instead: a tool of which a call that did not fail is a success, such as book_appointment."),
    end_reasons: z
      .array(z.enum(["user", "agent", "idle", "transfer", "max-duration"]))
      .max(5)
      .default([])
      .describe("Instead: how a session ends that is a success."),
  })
  .meta({ id: "SuccessRule" });
export type SuccessRule = z.infer<typeof SuccessRule>;

/** Longer than a person waits for an answer without wondering. */
const SLOW_MS = 4_000;

export const ExperimentInput = z
  .strictObject({
    name: name(),
    agent_id: recordId(),
    channel_target_id: recordId()
      .nullable()
      .default(null)
      .describe("Only sessions of this target; null: of all."),
    campaign_id: recordId()
      .nullable()
      .default(null)
      .describe("Only sessions of this campaign; null: of all."),
    variants: z
      .array(ExperimentVariant)
      .min(2)
      .max(5)
      .describe("Weights add up to 100; one is the control, not 0."),
    ramp: z
      .array(RampStep)
      .min(1)
      .max(10)
      .nullable()
      .default(null)
      .describe("Steps of the tried version's share, rising; the first is its weight. Needs two variants."),
    guards: z
      .array(Guard)
      .max(GUARDS.length)
      .default([...GUARDS])
      .describe("If one gets worse than with the control, everybody is returned to it."),
    slow_ms: integer({ min: 100, max: 600_000 })
      .default(SLOW_MS)
      .describe("Slow is a session whose turns take longer on average."),
    success: SuccessRule.nullable().default(null),
  })
  .meta({ id: "NewExperiment" });
export type ExperimentInput = z.infer<typeof ExperimentInput>;

export const ExperimentUpdate = ExperimentInput.extend({ id: recordId() }).meta({ id: "ExperimentUpdate" });

const Weight = z.object({ version_number: z.int(), weight: z.int() });

export const ExperimentStage = z
  .object({
    started_at: timestamp(),
    weights: z.array(Weight),
    changed_by: z.string(),
  })
  .meta({ id: "ExperimentStage" });
export type ExperimentStage = z.infer<typeof ExperimentStage>;

export const Experiment = z
  .object({
    id: z.int(),
    name: z.string(),
    agent_id: z.int(),
    agent: z.string(),
    channel_target_id: z.int().nullable(),
    target: z.string().nullable(),
    campaign_id: z.int().nullable(),
    campaign_name: z.string().nullable(),
    variants: z
      .array(ExperimentVariant)
      .describe("As they were planned; `stages` has the weights people met."),
    ramp: z.array(RampStep).nullable(),
    guards: z.array(Guard),
    slow_ms: z.int(),
    success: SuccessRule.nullable(),
    status: z.enum(["draft", "running", "stopped", "returned", "adopted"]),
    stages: z.array(ExperimentStage),
    next_step_at: timestamp().nullable().describe("When the ramp goes on by itself."),
    started_at: timestamp().nullable(),
    ended_at: timestamp().nullable(),
    ended_because: z.string().nullable(),
    created_at: timestamp(),
    last_updated: timestamp(),
    last_updated_by: z.string(),
    validation_issues: z.array(ValidationIssue).nullish(),
  })
  .meta({ id: "Experiment" });
export type Experiment = z.infer<typeof Experiment>;

/** The weights that hold now; of a draft, those it would start with. */
export const weightsNow = ({ stages, variants }: Pick<Experiment, "stages" | "variants">) =>
  stages.at(-1)?.weights ?? variants.map(({ version_number, weight }) => ({ version_number, weight }));

export const controlOf = (variants: readonly ExperimentVariant[]): number =>
  (variants.find(({ is_control }) => is_control) as ExperimentVariant).version_number;

/** The version that is tried; of several, the first. */
export const triedOf = (variants: readonly ExperimentVariant[]): number =>
  (variants.find(({ is_control }) => !is_control) as ExperimentVariant).version_number;

/** The step of the ramp that comes next; null: there is none, or no ramp. */
export function nextStep(experiment: Pick<Experiment, "ramp" | "stages" | "variants">): RampStep | null {
  const tried = triedOf(experiment.variants);
  const share = weightsNow(experiment).find(({ version_number }) => version_number === tried)?.weight ?? 0;
  return experiment.ramp?.find(({ percent }) => percent > share) ?? null;
}

/** Weights with so many percent of the people at the tried version, the rest at the control. */
export const weightsAt = (variants: readonly ExperimentVariant[], percent: number) =>
  variants.map(({ version_number, is_control }) => ({
    version_number,
    weight: is_control ? 100 - percent : percent,
  }));
