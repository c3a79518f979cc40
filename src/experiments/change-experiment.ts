import type { Caller, Stamp } from "../api/caller.ts";
import { Fault, InvalidInput } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import type { EventType } from "../events/event-types.ts";
import { holdVersioned } from "../versions/version-store.ts";
import { checkExperiment, weightIssues } from "./check-experiment.ts";
import {
  controlOf,
  type Experiment,
  type ExperimentInput,
  isDraft,
  isRunning,
  triedOf,
  weightsNow,
} from "./experiment.ts";
import { beginStage, endExperiment, findExperiment, holdExperiment } from "./experiment-store.ts";
import { hasMetControl } from "./guard-counts.ts";

/** What a person does to an experiment after it was planned. All but a stop take versions to people, so they need the permission to publish. */

type Changed = { before: Experiment; after: Experiment };
/** Nobody changes weights more often, and the row stays small. */
const MOST_STAGES = 100;

const current = async (tx: Tx, caller: Caller, id: number): Promise<Experiment> => {
  const found = await findExperiment(tx, caller, id);
  if (!found) throw new Error(`experiment ${id} vanished in its own transaction`);
  return found;
};

export async function startExperiment(tx: Tx, { caller, at }: Stamp, id: number): Promise<Changed> {
  // The agent first, so that of two experiments that start at once the second finds the first.
  const agent_id = (await findExperiment(tx, caller, id))?.agent_id;
  if (agent_id === undefined) await holdExperiment(tx, caller, id);
  const { published_version } = await holdVersioned(tx, caller, agent_id as number);
  const before = await holdExperiment(tx, caller, id);
  if (!isDraft(before.status))
    throw new Fault("conflict", "This experiment has been started already. Create another one.");
  await checkExperiment(tx, caller, inputOf(before));
  const control = controlOf(before.variants);
  if (published_version !== control)
    throw new Fault(
      "refused",
      `The control is version ${control}, but people reach version ${published_version}. Make that one the control, or take version ${control} live.`,
    );
  await refuseOverlap(tx, before);
  await beginStage(tx, id, {
    started_at: at.toISOString(),
    weights: before.variants.map(({ version_number, weight }) => ({ version_number, weight })),
    changed_by: caller.email,
  });
  await tell(tx, caller.sub_organization_id, before, at, "experiment-started", "was started");
  return { before, after: await current(tx, caller, id) };
}

const inputOf = (experiment: Experiment): ExperimentInput => {
  const { name, agent_id, channel_target_id, campaign_id, variants, ramp, guards, slow_ms, success } =
    experiment;
  return { name, agent_id, channel_target_id, campaign_id, variants, ramp, guards, slow_ms, success };
};

/** Two may run beside each other only where no session could belong to both. */
async function refuseOverlap(
  tx: Tx,
  { id, agent_id, channel_target_id, campaign_id }: Experiment,
): Promise<void> {
  const others = await tx
    .selectFrom("experiments")
    .select(["name", "channel_target_id", "campaign_id"])
    .where("agent_id", "=", agent_id)
    .where("id", "!=", id)
    .where("status", "=", "running")
    .where("deleted_at", "is", null)
    .execute();
  const differs = (one: number | null, other: number | null) =>
    one !== null && other !== null && one !== other;
  const other = others.find(
    (running) =>
      !differs(running.channel_target_id, channel_target_id) && !differs(running.campaign_id, campaign_id),
  );
  if (other)
    throw new Fault(
      "conflict",
      `Experiment "${other.name}" splits the same traffic. Stop it first, or limit both to different targets or campaigns.`,
    );
}

export async function changeWeights(
  tx: Tx,
  { caller, at }: Stamp,
  id: number,
  weights: { version_number: number; weight: number }[],
): Promise<Changed> {
  const before = await holdExperiment(tx, caller, id);
  refuseUnlessRunning(before);
  const planned = new Set(before.variants.map(({ version_number }) => version_number));
  const issues = weightIssues(weights, "weights");
  const foreign = weights.findIndex(({ version_number }) => !planned.has(version_number));
  if (foreign >= 0)
    issues.push({
      loc: ["body", "weights", foreign, "version_number"],
      msg: "This version does not take part in the experiment",
      type: "value_error",
    });
  else if (issues.length === 0 && weights.length < planned.size)
    issues.push({
      loc: ["body", "weights"],
      msg: "Give each version of the experiment a weight",
      type: "value_error",
    });
  const control = controlOf(before.variants);
  const muted = weights.findIndex(({ version_number, weight }) => version_number === control && weight === 0);
  if (issues.length === 0 && muted >= 0 && !(await hasMetControl(tx, before)))
    issues.push({
      loc: ["body", "weights", muted, "weight"],
      msg: "Nobody has met the control yet: without it nothing can be compared and no guardrail works",
      type: "value_error",
    });
  if (issues.length > 0) throw new InvalidInput(issues);
  // Asked twice, as after a timeout: another stage would part its people, and put off the ramp's next step.
  if (isSameSplit(weights, weightsNow(before))) return { before, after: before };
  if (before.stages.length >= MOST_STAGES)
    throw new Fault("refused", `Weights can be changed ${MOST_STAGES} times. Create another experiment.`);
  await beginStage(tx, id, { started_at: at.toISOString(), weights, changed_by: caller.email });
  const after = await current(tx, caller, id);
  await tell(
    tx,
    caller.sub_organization_id,
    after,
    at,
    "experiment-weights",
    `splits ${weightsText(weights)}`,
  );
  return { before, after };
}

type Weights = readonly { version_number: number; weight: number }[];

const isSameSplit = (asked: Weights, now: Weights): boolean =>
  now.every((one) =>
    asked.some(
      ({ version_number, weight }) => version_number === one.version_number && weight === one.weight,
    ),
  );

export const weightsText = (weights: readonly { version_number: number; weight: number }[]): string =>
  weights.map(({ version_number, weight }) => `version ${version_number}: ${weight} %`).join(", ");

export async function stopExperiment(
  tx: Tx,
  { caller, at }: Stamp,
  id: number,
  reason: string,
): Promise<Changed> {
  const before = await holdExperiment(tx, caller, id);
  refuseUnlessRunning(before);
  await endExperiment(tx, id, { status: "stopped", because: reason, at, by: caller.email });
  await tell(tx, caller.sub_organization_id, before, at, "experiment-stopped", "was stopped");
  return { before, after: await current(tx, caller, id) };
}

/** Takes a version of the experiment to everybody and ends it, together. */
export async function adoptVersion(
  tx: Tx,
  { caller, at }: Stamp,
  id: number,
  version_number: number | null,
): Promise<Changed> {
  const agent_id = (await findExperiment(tx, caller, id))?.agent_id;
  if (agent_id === undefined) await holdExperiment(tx, caller, id);
  await holdVersioned(tx, caller, agent_id as number);
  const before = await holdExperiment(tx, caller, id);
  refuseUnlessRunning(before);
  const adopted = version_number ?? triedOf(before.variants);
  if (!before.variants.some((variant) => variant.version_number === adopted))
    throw new InvalidInput([
      {
        loc: ["body", "version_number"],
        msg: "This version does not take part in the experiment",
        type: "value_error",
      },
    ]);
  await tx
    .updateTable("agents")
    .set({ published_version: adopted })
    .where("id", "=", before.agent_id)
    .execute();
  await endExperiment(tx, id, {
    status: "adopted",
    because: `Version ${adopted} was taken live.`,
    at,
    by: caller.email,
  });
  await tell(
    tx,
    caller.sub_organization_id,
    before,
    at,
    "experiment-adopted",
    `took version ${adopted} live`,
  );
  return { before, after: await current(tx, caller, id) };
}

function refuseUnlessRunning({ status }: Experiment): void {
  if (!isRunning(status)) throw new Fault("conflict", "This experiment is not running.");
}

/** An event of what became of an experiment. */
export async function tell(
  tx: Tx,
  sub_organization_id: number,
  { id, name, agent_id }: Pick<Experiment, "id" | "name" | "agent_id">,
  at: Date,
  type: Extract<EventType, `experiment-${string}`>,
  what: string,
  source: "api" | "job" = "api",
): Promise<void> {
  await publish(tx, sub_organization_id, [
    {
      at,
      source,
      source_id: id,
      category: "experiments",
      type,
      description: `Experiment "${name}" ${what}`,
      attributes: { experiment_id: id, agent_id },
    },
  ]);
}
