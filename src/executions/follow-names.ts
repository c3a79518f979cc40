import { sql } from "kysely";
import type { FollowsNames } from "../agents/agent-part.ts";
import { json } from "../db/database.ts";
import type { Conditions } from "../insights/conditions.ts";
import { findWorkflow, lockWorkflow } from "../insights/workflow-store.ts";
import { audited } from "./workflow.ts";

const LISTS = { agents: ["agent_list", "agent_ids"], prompts: ["prompt_list", "prompt_ids"] } as const;

/**
 * A workflow that takes an agent or a prompt by name gets the new name when that is renamed, active or not, and takes the
 * same sessions as before. Lock: the rows of these workflows, by id; sessions that end wait for them.
 */
export const followNames: FollowsNames = async (tx, { caller, at, audit }, { table, id, from, to }) => {
  const [list, ids] = LISTS[table];
  const naming = await tx
    .selectFrom("insight_workflows")
    .select("id")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where("source", "<>", "upload")
    .where(sql<boolean>`conditions::jsonb -> ${list} ? ${from}`)
    .orderBy("id")
    .execute();
  for (const workflow of naming) {
    const before = await lockWorkflow(tx, caller, workflow.id);
    const listed: (string | number)[] = before.conditions[list] ?? [];
    const names = new Set(listed.map((entry) => (entry === from ? to : entry)));
    const conditions = { ...before.conditions, [list]: [...names] } as Conditions;
    await tx
      .updateTable("insight_workflows")
      .set({
        conditions: json(conditions),
        [ids]: [...new Set([...before[ids], id])],
        updated_at: at.toISOString(),
        last_updated_by: caller.email,
      })
      .where("id", "=", workflow.id)
      .execute();
    await audit(tx, caller, {
      action: "update",
      resource: "insight_workflows",
      resource_id: workflow.id,
      before: audited(before),
      after: audited(await findWorkflow(tx, caller, workflow.id)),
    });
  }
};
