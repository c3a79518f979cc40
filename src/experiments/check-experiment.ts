import type { Snapshot } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { type InputIssue, InvalidInput } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import type { ExperimentInput, ExperimentVariant } from "./experiment.ts";

type At = (string | number)[];
const issue = (loc: At, msg: string): InputIssue => ({ loc: ["body", ...loc], msg, type: "value_error" });

/** Whether weights are those of the variants and add up; pure. `field`: what the caller calls them. */
export function weightIssues(
  weights: readonly { version_number: number; weight: number }[],
  field: string,
): InputIssue[] {
  const sum = weights.reduce((sum, { weight }) => sum + weight, 0);
  const twice = weights.findIndex(
    ({ version_number }, at) => weights.findIndex((other) => other.version_number === version_number) < at,
  );
  return [
    ...(twice >= 0 ? [issue([field, twice, "version_number"], "This version is named twice")] : []),
    ...(sum !== 100 ? [issue([field], `Weights must add up to 100; these add up to ${sum}`)] : []),
  ];
}

/** What the definition itself shows; pure. */
function definitionIssues({ variants, ramp, success, guards }: ExperimentInput): InputIssue[] {
  const controls = variants.filter(({ is_control }) => is_control).length;
  return [
    ...weightIssues(variants, "variants"),
    ...(controls === 1
      ? []
      : [issue(["variants"], `Exactly one version is the control; here ${controls} are`)]),
    ...controlIssues(variants),
    ...rampIssues(variants, ramp),
    ...(new Set(guards).size < guards.length ? [issue(["guards"], "A guardrail is named twice")] : []),
    ...successIssues(success),
  ];
}

/** A ramp may leave the control nobody in the end: by then it is known how it does. */
function controlIssues(variants: readonly ExperimentVariant[]): InputIssue[] {
  const control = variants.findIndex(({ is_control, weight }) => is_control && weight === 0);
  if (control < 0) return [];
  const why =
    "The control needs some of the people at first: without any, nothing can be compared and no guardrail works";
  return [issue(["variants", control, "weight"], why)];
}

function rampIssues(variants: readonly ExperimentVariant[], ramp: ExperimentInput["ramp"]): InputIssue[] {
  if (ramp === null) return [];
  if (variants.length !== 2)
    return [issue(["ramp"], "A ramp needs two versions: the control and the one tried")];
  const tried = variants.find(({ is_control }) => !is_control);
  const first = ramp[0]?.percent;
  const falls = ramp.findIndex(({ percent }, at) => at > 0 && percent <= (ramp[at - 1]?.percent ?? 0));
  return [
    ...(tried && first !== tried.weight
      ? [issue(["ramp", 0, "percent"], `The first step is the tried version's weight, ${tried.weight}`)]
      : []),
    ...(falls >= 0 ? [issue(["ramp", falls, "percent"], "Each step is higher than the one before it")] : []),
  ];
}

function successIssues(success: ExperimentInput["success"]): InputIssue[] {
  if (success === null) return [];
  const { insight_key, values, tool, end_reasons } = success;
  const named = [insight_key !== null, tool !== null, end_reasons.length > 0].filter(Boolean).length;
  if (named === 0 || (insight_key === null && values.length > 0))
    return [
      issue(["success"], "Give an insight with its values, a tool, or reasons for the end of a session"),
    ];
  if (named > 1) {
    const second = end_reasons.length > 0 ? "end_reasons" : "tool";
    return [
      issue(
        ["success", second],
        "Give one of these: an insight, a tool, or reasons for the end of a session",
      ),
    ];
  }
  return insight_key === null || values.length > 0
    ? []
    : [issue(["success", "values"], "Give at least one value")];
}

/** Throws at every place that is wrong, all of them at once. */
export async function checkExperiment(db: Db, caller: Caller, input: ExperimentInput): Promise<void> {
  const { sub_organization_id } = caller;
  const { agent_id, channel_target_id, campaign_id, variants } = input;
  const agent = await db
    .selectFrom("agents")
    .select("published_version")
    .where("id", "=", agent_id)
    .where("sub_organization_id", "=", sub_organization_id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  const found: InputIssue[] = definitionIssues(input);
  if (!agent) found.push(issue(["agent_id"], `There is no agent ${agent_id}`));
  else if (agent.published_version === null)
    found.push(
      issue(["agent_id"], "No version of this agent is live. Make one live, and publish a second one"),
    );
  else found.push(...(await versionIssues(db, agent_id, variants, input.success?.tool ?? null)));
  if (channel_target_id !== null) {
    const target = await db
      .selectFrom("channel_targets")
      .select("agent_id")
      .where("id", "=", channel_target_id)
      .where("sub_organization_id", "=", sub_organization_id)
      .executeTakeFirst();
    if (!target) found.push(issue(["channel_target_id"], `There is no target ${channel_target_id}`));
    else if (campaign_id === null && target.agent_id !== agent_id)
      found.push(issue(["channel_target_id"], "This target is answered by another agent"));
  }
  if (campaign_id !== null) {
    const campaign = await db
      .selectFrom("campaigns")
      .select("agent_id")
      .where("id", "=", campaign_id)
      .where("sub_organization_id", "=", sub_organization_id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (!campaign) found.push(issue(["campaign_id"], `There is no campaign ${campaign_id}`));
    else if (campaign.agent_id !== agent_id)
      found.push(issue(["campaign_id"], "This campaign is held by another agent"));
  }
  if (found.length > 0) throw new InvalidInput(found);
}

async function versionIssues(
  db: Db,
  agent_id: number,
  variants: readonly ExperimentVariant[],
  tool: string | null,
): Promise<InputIssue[]> {
  const published = await db
    .selectFrom("agent_versions")
    .select("version_number")
    .where("agent_id", "=", agent_id)
    .execute();
  const numbers = new Set(published.map(({ version_number }) => version_number));
  const missing = variants.flatMap(({ version_number }, at) =>
    numbers.has(version_number)
      ? []
      : [issue(["variants", at, "version_number"], `Version ${version_number} was not published`)],
  );
  if (tool === null || missing.length > 0) return missing;
  const names = await toolNames(
    db,
    agent_id,
    variants.map(({ version_number }) => version_number),
  );
  return names.includes(tool)
    ? []
    : [
        issue(
          ["success", "tool"],
          `None of these versions has a tool ${tool}; they have ${names.join(", ") || "none"}`,
        ),
      ];
}

/** Names of the tools of these versions, and those that their workflows call. */
async function toolNames(db: Db, agent_id: number, versions: readonly number[]): Promise<string[]> {
  const rows = await db
    .selectFrom("agent_versions")
    .select((row) => row.ref("snapshot").$castTo<Pick<Snapshot, "tools">>().as("snapshot"))
    .where("agent_id", "=", agent_id)
    .where("version_number", "in", versions)
    .execute();
  return [...new Set(rows.flatMap(({ snapshot }) => snapshot.tools.map(({ name }) => name)))].toSorted();
}
