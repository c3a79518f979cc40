import type { Caller } from "../api/caller.ts";
import type { Tx } from "../db/database.ts";
import type { InsightWorkflowInput, StoredWorkflow } from "./workflow-schema.ts";

/** What decides which subjects a workflow takes, and nothing that costs more to read. */
export type WorkflowRule = Pick<
  StoredWorkflow,
  | "id"
  | "sub_organization_id"
  | "source"
  | "conditions"
  | "agent_ids"
  | "prompt_ids"
  | "start_datetime"
  | "end_datetime"
  | "status"
> & { backfill_rate_per_minute: number | null };

const selectRules = (tx: Tx) =>
  tx
    .selectFrom("insight_workflows")
    .select([
      "id",
      "sub_organization_id",
      "source",
      "conditions",
      "agent_ids",
      "prompt_ids",
      "start_datetime",
      "end_datetime",
      "status",
      "backfill_rate_per_minute",
    ])
    .where("deleted_at", "is", null)
    .$castTo<WorkflowRule>();

/** Lock: a share of the workflow's row. */
export const shareWorkflow = (tx: Tx, id: number): Promise<WorkflowRule | undefined> =>
  selectRules(tx).where("id", "=", id).forShare().executeTakeFirst();

/**
 * The workflows over sessions of a sub-organization. Lock: a share of the row of every one, active or not: an activation
 * that runs at this moment sees that a session is over, or the session sees that it is active. Sessions that end together
 * share; an activation holds them up for the time of its own transaction. Index: insight_workflows_source.
 */
export const shareSessionWorkflows = (tx: Tx, sub_organization_id: number): Promise<WorkflowRule[]> =>
  selectRules(tx)
    .where("sub_organization_id", "=", sub_organization_id)
    .where("source", "in", ["agent", "transfer"])
    .orderBy("id")
    .forShare()
    .execute();

/** Whom the names in the lists belong to; recordings are of people. Indexes: agents_name, prompts_name. */
export async function namedIn(
  tx: Tx,
  { sub_organization_id }: Caller,
  { source, conditions }: InsightWorkflowInput,
) {
  const idsOf = async (table: "agents" | "prompts", list: number[] | string[] | null): Promise<number[]> => {
    const names = (list ?? []).filter((entry) => typeof entry === "string");
    if (source === "upload" || names.length === 0) return [];
    const rows = await tx
      .selectFrom(table)
      .select("id")
      .where("sub_organization_id", "=", sub_organization_id)
      .where("deleted_at", "is", null)
      .where("name", "in", names)
      .orderBy("id")
      .execute();
    return rows.map(({ id }) => id);
  };
  return {
    agent_ids: await idsOf("agents", conditions.agent_list),
    prompt_ids: await idsOf("prompts", conditions.prompt_list),
  };
}
