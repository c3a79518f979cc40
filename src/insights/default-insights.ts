import type { Caller } from "../api/caller.ts";
import { json, type Tx } from "../db/database.ts";
import { type Conditions, NO_CONDITIONS } from "./conditions.ts";
import { LLM_TOOL_ID } from "./tool-definition.ts";

const SUMMARY_TOOL = "summary-tool";
const SUMMARY_WORKFLOW = "summary-workflow";

/** The cheapest known model without an end of support. Without a key for it, the offline model is used. */
const MODEL = { provider: "openai", model: "gpt-6-luna" };

const SUMMARY = {
  ...MODEL,
  prompt: `Read the conversation between an agent and a person.
summary: what the person wanted and what came of it, in two or three sentences.
rating: Good if the person got what they wanted, OK if only in part, Bad if not at all.`,
  outputs: [
    { name: "summary", type: "string" },
    { name: "rating", type: "string", return_values: ["Good", "OK", "Bad"] },
  ],
};

/**
 * What every sub-organization starts with: each session is summed up and rated when it is over. What
 * has one of these names already, even deleted, is left as it is: its owner decided.
 *
 * Lock: the sub-organization's row, so that machines that start together do this one after the other.
 */
export async function ensureDefaultInsights(tx: Tx, caller: Caller, now: Date): Promise<void> {
  const { sub_organization_id } = caller;
  const at = now.toISOString();
  const stamp = { created_at: at, updated_at: at, last_updated_by: caller.email };
  await tx
    .selectFrom("sub_organizations")
    .select("id")
    .where("id", "=", sub_organization_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (await isTaken(tx, caller, "insight_tools", SUMMARY_TOOL)) return;
  if (await isTaken(tx, caller, "insight_workflows", SUMMARY_WORKFLOW)) return;

  const tool = await tx
    .insertInto("insight_tools")
    .values({
      ...stamp,
      sub_organization_id,
      name: SUMMARY_TOOL,
      description: "Sums up and rates a conversation",
      version: 1,
      insight_tool_definition_id: LLM_TOOL_ID,
      tool_arguments: json(SUMMARY),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const workflow = await tx
    .insertInto("insight_workflows")
    .values({
      ...stamp,
      sub_organization_id,
      name: SUMMARY_WORKFLOW,
      source: "agent",
      description: "Sums up and rates every session",
      conditions: json<Conditions>(NO_CONDITIONS),
      status: "ACTIVE",
      activated_at: at,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("insight_workflow_tools")
    .values({ workflow_id: workflow.id, position: 0, insight_tool_id: tool.id })
    .execute();
}

async function isTaken(
  tx: Tx,
  caller: Caller,
  table: "insight_tools" | "insight_workflows",
  name: string,
): Promise<boolean> {
  const found = await tx
    .selectFrom(table)
    .select("id")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("name", "=", name)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
