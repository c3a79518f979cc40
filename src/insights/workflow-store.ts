import { sql } from "kysely";
import type { Caller, Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import type { Conditions } from "./conditions.ts";
import { selectCoverage } from "./coverage.ts";
import { refuseUnknown, shareRows } from "./held-rows.ts";
import { toolJson, withDefinition } from "./tool-configuration-schema.ts";
import { shareTools } from "./tool-configuration-store.ts";
import { namedIn } from "./workflow-rule.ts";
import type { InsightWorkflowInput, InsightWorkflowOutput, StoredWorkflow } from "./workflow-schema.ts";

/** A workflow without its estimate, which is computed for every answer. */
export type Workflow = Omit<InsightWorkflowOutput, "estimate" | "estimate_problem" | "validation_issues"> &
  StoredWorkflow;

const toolIds = sql<number[]>`(
  select coalesce(json_agg(t.insight_tool_id order by t.position), '[]')
  from insight_workflow_tools t where t.workflow_id = w.id)`;

export const workflowList: list.ListRules = {
  fields: {
    id: list.integer("w.id"),
    name: list.text("w.name"),
    name_exact: list.exact("w.name"),
    description: list.text("w.description"),
    status: list.exact("w.status"),
    conditions: list.document("w.conditions"),
    insight_tool_ids: list.custom(
      (value) =>
        /^\d{1,15}$/.test(value.trim())
          ? sql<boolean>`exists (
              select from insight_workflow_tools t
              where t.workflow_id = w.id and t.insight_tool_id = ${Number(value)})`
          : { problem: "Input should be a valid integer" },
      sql`${toolIds}::text`,
    ),
    updated_at: list.time("w.updated_at"),
  },
  time: "w.updated_at",
  order: [{ column: "w.id", direction: "asc" }],
};

/** Indexes: insight_workflow_tools' key, insight_executions_unfinished, insight_files_folder. */
const selectWorkflows = (db: Db, caller: Pick<Caller, "sub_organization_id">) =>
  db
    .selectFrom("insight_workflows as w")
    .where("w.sub_organization_id", "=", caller.sub_organization_id)
    .where("w.deleted_at", "is", null)
    .select([
      "w.name",
      "w.source",
      "w.description",
      toolIds.as("insight_tool_ids"),
      "w.conditions",
      "w.agent_ids",
      "w.prompt_ids",
      "w.start_datetime",
      "w.end_datetime",
      "w.id",
      sql`(
        select coalesce(json_agg(${toolJson} order by t.position), '[]')
        from insight_workflow_tools t join insight_tools c on c.id = t.insight_tool_id
        where t.workflow_id = w.id)`.as("insight_tools"),
      "w.status",
      sql<number>`${executions(sql`in ('PENDING', 'PROCESSING')`)} + ${stillToFeed}`.as("queue_count"),
      executions(sql`= 'FAILED'`).as("failed_count"),
      "w.created_at",
      "w.updated_at",
      "w.last_updated_by",
      sql<string | null>`case when w.source = 'upload' then (
        select max(f.created_at) from insight_files f
        where f.folder_id in (${folderIds("w")}) and f.deleted_at is null)
      end`.as("last_folder_upload_at"),
      "w.sub_organization_id",
      "w.activated_at",
      selectCoverage.as("covered"),
    ])
    .$castTo<Workflow>();

/** Failed executions, as of this statement. */
export async function countFailed(tx: Tx, workflow_id: number): Promise<number> {
  const { failed } = await tx
    .selectFrom("insight_workflows as w")
    .select(executions(sql`= 'FAILED'`).as("failed"))
    .where("w.id", "=", workflow_id)
    .executeTakeFirstOrThrow();
  return failed;
}

const executions = (status: ReturnType<typeof sql>) =>
  sql<number>`(select count(*) from insight_executions e where e.workflow_id = w.id and e.status ${status})`;

/** What the open backfill has planned and not queued yet. */
const stillToFeed = sql<number>`coalesce((
  select greatest(b.planned_count - b.queued_count, 0) from insight_backfills b
  where b.workflow_id = w.id and b.status in ('RUNNING', 'PAUSED') and b.fed_at is null), 0)`;

/** The folders in the conditions of a workflow row; none where the list is null. */
export const folderIds = (alias: string) => sql<number>`
  select entry::bigint from json_array_elements_text(
    case when json_typeof(${sql.ref(`${alias}.conditions`)} -> 'folder_list') = 'array'
      then ${sql.ref(`${alias}.conditions`)} -> 'folder_list' else '[]' end) as entry`;

const complete = (row: Workflow): Workflow => ({
  ...row,
  insight_tools: row.insight_tools.map(withDefinition),
});

export async function pageOfWorkflows(
  db: Db,
  caller: Caller,
  query: list.ListQuery,
): Promise<list.Page<Workflow>> {
  const page = await list.listPage(db, selectWorkflows(db, caller), query, workflowList);
  return { ...page, items: page.items.map(complete) };
}

export async function findWorkflow(db: Db, caller: Caller, id: number): Promise<Workflow> {
  const found = await selectWorkflows(db, caller).where("w.id", "=", id).executeTakeFirst();
  if (!found) throw notFound("Insight workflow", id);
  return complete(found);
}

/**
 * Lock: the workflow's row, until the transaction ends. Changes of it run one after the other, and nothing is queued
 * meanwhile.
 */
export async function lockWorkflow(tx: Tx, caller: Caller, id: number): Promise<Workflow> {
  // Not a full `for update`: executions that finish meanwhile hold the row by their foreign keys.
  await rowWhere(tx, caller, sql<boolean>`id = ${id}`).forNoKeyUpdate().executeTakeFirst();
  return findWorkflow(tx, caller, id);
}

/**
 * Lock: a share of the workflow's row, for who queues for it. Sessions that end have one too, and so don't wait for us;
 * that nothing is queued twice is up to the claims (queue.ts).
 */
export async function holdWorkflow(tx: Tx, caller: Caller, id: number): Promise<Workflow> {
  await rowWhere(tx, caller, sql<boolean>`id = ${id}`).forShare().executeTakeFirst();
  return findWorkflow(tx, caller, id);
}

export async function holdWorkflowNamed(tx: Tx, caller: Caller, name: string): Promise<Workflow> {
  const which = sql<boolean>`name = ${name} and deleted_at is null`;
  const found = await rowWhere(tx, caller, which).forShare().executeTakeFirst();
  if (!found) throw new Fault("not-found", `Insight workflow "${name}" not found`);
  return findWorkflow(tx, caller, found.id);
}

const rowWhere = (tx: Tx, caller: Caller, which: ReturnType<typeof sql<boolean>>) =>
  tx
    .selectFrom("insight_workflows")
    .select("id")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where(which);

/**
 * The active workflows over uploads that a new recording in this folder may be for. Lock: a share of every such workflow's
 * row, active or not, taken before the recording is stored: an activation sees the recording, or the recording sees that it
 * is active. Workflow before folder, as everywhere here, which prevents deadlocks.
 */
export async function shareUploads(tx: Tx, caller: Caller, folder_id: number): Promise<Workflow[]> {
  const found = await tx
    .selectFrom("insight_workflows as w")
    .select("w.id")
    .where("w.sub_organization_id", "=", caller.sub_organization_id)
    .where("w.source", "=", "upload")
    .where("w.deleted_at", "is", null)
    .where(sql<boolean>`${folder_id} in (${folderIds("w")})`)
    .orderBy("w.id")
    .forShare()
    .execute();
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const rows = await selectWorkflows(tx, caller)
    .where("w.id", "in", ids)
    .where("w.status", "=", "ACTIVE")
    .execute();
  return rows.map(complete);
}

/** The new row is INACTIVE. */
export async function insertWorkflow(tx: Tx, stamp: Stamp, input: InsightWorkflowInput): Promise<number> {
  await checkReferences(tx, stamp.caller, input);
  const { id } = await tx
    .insertInto("insight_workflows")
    .values({
      ...columns(stamp, input),
      ...(await namedIn(tx, stamp.caller, input)),
      sub_organization_id: stamp.caller.sub_organization_id,
      status: "INACTIVE",
      created_at: stamp.at.toISOString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await linkTools(tx, id, input.insight_tool_ids);
  return id;
}

/** Under `lockWorkflow`. */
export async function replaceWorkflow(
  tx: Tx,
  stamp: Stamp,
  id: number,
  input: InsightWorkflowInput,
): Promise<void> {
  await checkReferences(tx, stamp.caller, input);
  await tx
    .updateTable("insight_workflows")
    .set({ ...columns(stamp, input), ...(await namedIn(tx, stamp.caller, input)) })
    .where("id", "=", id)
    .execute();
  await tx.deleteFrom("insight_workflow_tools").where("workflow_id", "=", id).execute();
  await linkTools(tx, id, input.insight_tool_ids);
}

/** Under `lockWorkflow`. The row stays for its outputs; its tools may be deleted from now on. */
export async function removeWorkflow(tx: Tx, { caller, at }: Stamp, id: number): Promise<void> {
  await tx.deleteFrom("insight_workflow_tools").where("workflow_id", "=", id).execute();
  await tx
    .updateTable("insight_workflows")
    .set({ deleted_at: at.toISOString(), updated_at: at.toISOString(), last_updated_by: caller.email })
    .where("id", "=", id)
    .execute();
}

/** Under `lockWorkflow`. */
export const setStatus = (tx: Tx, { caller, at }: Stamp, id: number, status: Workflow["status"]) =>
  tx
    .updateTable("insight_workflows")
    .set({
      status,
      updated_at: at.toISOString(),
      last_updated_by: caller.email,
      ...(status === "ACTIVE" && { activated_at: at.toISOString() }),
    })
    .where("id", "=", id)
    .execute();

const columns = ({ caller, at }: Stamp, input: InsightWorkflowInput) => ({
  name: input.name,
  source: input.source,
  description: input.description,
  conditions: json<Conditions>(input.conditions),
  start_datetime: input.start_datetime ?? null,
  end_datetime: input.end_datetime ?? null,
  updated_at: at.toISOString(),
  last_updated_by: caller.email,
});

const linkTools = (tx: Tx, workflow_id: number, ids: number[]) =>
  ids.length === 0
    ? undefined
    : tx
        .insertInto("insight_workflow_tools")
        .values(ids.map((insight_tool_id, position) => ({ workflow_id, position, insight_tool_id })))
        .execute();

/** Every id a body names is the caller's own. An agent or prompt may be deleted: its sessions are still there. */
async function checkReferences(tx: Tx, caller: Caller, input: InsightWorkflowInput): Promise<void> {
  await shareTools(tx, caller, input.insight_tool_ids);
  const { folder_list, agent_list } = input.conditions;
  await shareFolders(tx, caller, folder_list ?? []);
  const agents = [...new Set((agent_list ?? []).filter((entry) => typeof entry === "number"))];
  if (agents.length === 0) return;
  const known = await tx
    .selectFrom("agents")
    .select("id")
    .where("id", "in", agents)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .execute();
  refuseUnknown("Agent", agents, known);
}

/** Lock: a share of each folder's row, so that none is deleted before the caller's transaction is over. */
export const shareFolders = (tx: Tx, caller: Caller, ids: number[]) =>
  shareRows(tx, caller, { table: "insight_folders", noun: "Folder" }, ids);
