import { sql } from "kysely";
import type { Caller, Stamp } from "../api/caller.ts";
import { lockRow } from "../api/hold-record.ts";
import * as list from "../api/list.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { type ActiveUse, type InsightKeys, keysOf } from "./check-tool.ts";
import { shareRows } from "./held-rows.ts";
import {
  type InsightToolInput,
  type InsightToolOutput,
  TOOL_COLUMNS,
  withDefinition,
} from "./tool-configuration-schema.ts";

export const toolList: list.ListRules = {
  fields: {
    id: list.integer("c.id"),
    name: list.text("c.name"),
    name_exact: list.exact("c.name"),
    description: list.text("c.description"),
    tool_arguments: list.document("c.tool_arguments"),
    insight_tool_definition_id: list.integer("c.insight_tool_definition_id"),
    updated_at: list.time("c.updated_at"),
  },
  time: "c.updated_at",
  order: [{ column: "c.id", direction: "asc" }],
};

const selectTools = (db: Db, caller: Caller) =>
  db
    .selectFrom("insight_tools as c")
    .where("c.sub_organization_id", "=", caller.sub_organization_id)
    .where("c.deleted_at", "is", null)
    .select([...TOOL_COLUMNS]);

export async function pageOfTools(
  db: Db,
  caller: Caller,
  query: list.ListQuery,
): Promise<list.Page<InsightToolOutput>> {
  const page = await list.listPage(db, selectTools(db, caller), query, toolList);
  return { ...page, items: page.items.map(withDefinition) };
}

export async function findTool(db: Db, caller: Caller, id: number): Promise<InsightToolOutput> {
  const found = await selectTools(db, caller).where("c.id", "=", id).executeTakeFirst();
  if (!found) throw notFound("Insight tool configuration", id);
  return withDefinition(found);
}

export async function findToolByName(db: Db, caller: Caller, name: string): Promise<InsightToolOutput> {
  const found = await selectTools(db, caller).where("c.name", "=", name).executeTakeFirst();
  if (!found) throw new Fault("not-found", `Insight tool configuration "${name}" not found`);
  return withDefinition(found);
}

/** The keys that the insight tools of a sub-organization write, for the findings of a prompt that reads them. */
export async function insightKeys(db: Db, caller: Caller): Promise<InsightKeys> {
  const tools = await db
    .selectFrom("insight_tools")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .select(["insight_tool_definition_id", "tool_arguments"])
    .execute();
  return keysOf(tools);
}

/** Lock: the configuration's row. Who links or activates it waits, and then sees what this transaction left. */
export async function lockTool(tx: Tx, caller: Caller, id: number): Promise<InsightToolOutput> {
  await lockRow(tx, caller, "insight_tools", id);
  return findTool(tx, caller, id);
}

/** Lock: a share of each row, so that none is changed or deleted before the caller's transaction is over. */
export const shareTools = (tx: Tx, caller: Caller, ids: number[]) =>
  shareRows(tx, caller, { table: "insight_tools", noun: "Insight tool configuration" }, ids);

const columns = ({ caller, at }: Stamp, input: InsightToolInput) => ({
  name: input.name,
  description: input.description,
  version: input.version,
  insight_tool_definition_id: input.insight_tool_definition_id,
  tool_arguments: json(input.tool_arguments),
  updated_at: at.toISOString(),
  last_updated_by: caller.email,
});

export async function insertTool(tx: Tx, stamp: Stamp, input: InsightToolInput): Promise<number> {
  const { id } = await tx
    .insertInto("insight_tools")
    .values({
      ...columns(stamp, input),
      sub_organization_id: stamp.caller.sub_organization_id,
      created_at: stamp.at.toISOString(),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Under `lockTool`. */
export async function replaceTool(
  tx: Tx,
  stamp: Stamp,
  before: InsightToolOutput,
  input: InsightToolInput,
): Promise<void> {
  await tx.updateTable("insight_tools").set(columns(stamp, input)).where("id", "=", before.id).execute();
  if (input.version !== before.version) await raiseWaiting(tx, before.id, input.version);
}

/**
 * What still waits will run with the new arguments, so it is at the new version; otherwise the same session could be queued
 * for that version a second time. Nothing is at the new version yet: versions only go up.
 */
const raiseWaiting = (tx: Tx, insight_tool_id: number, insight_tool_version: number) =>
  tx
    .updateTable("insight_execution_tools as x")
    .from("insight_executions as e")
    .set({ insight_tool_version })
    .whereRef("e.id", "=", "x.execution_id")
    .where("x.insight_tool_id", "=", insight_tool_id)
    .where("x.finished_at", "is", null)
    .where("e.status", "=", "PENDING")
    .execute();

/** Under `lockTool`. */
export const removeTool = (tx: Tx, { caller, at }: Stamp, id: number) =>
  tx
    .updateTable("insight_tools")
    .set({ deleted_at: at.toISOString(), updated_at: at.toISOString(), last_updated_by: caller.email })
    .where("id", "=", id)
    .execute();

/** Workflows that list a configuration. Index: insight_workflow_tools_tool. */
const usersOf = (db: Db, insight_tool_id: number) =>
  db
    .selectFrom("insight_workflows as w")
    .where(
      sql<boolean>`exists (
        select from insight_workflow_tools t where t.workflow_id = w.id and t.insight_tool_id = ${insight_tool_id})`,
    )
    .where("w.deleted_at", "is", null)
    .select("w.name")
    .orderBy("w.name");

export const activeUsers = (db: Db, insight_tool_id: number): Promise<ActiveUse[]> =>
  usersOf(db, insight_tool_id).where("w.status", "=", "ACTIVE").execute();

/** Judges that ask a configuration: a room to the right has them. */
export type JudgesOfTool = (tx: Tx, insight_tool_id: number) => Promise<{ name: string }[]>;

export async function refuseWhileUsed(
  tx: Tx,
  tool: InsightToolOutput,
  judgesOf: JudgesOfTool,
): Promise<void> {
  for (const [kind, users] of [
    ["workflows", await usersOf(tx, tool.id).execute()],
    ["judges", await judgesOf(tx, tool.id)],
  ] as const) {
    if (users.length === 0) continue;
    throw new Fault(
      "blocked",
      `Cannot delete insight tool "${tool.name}" while ${kind} use it: ${users.map(({ name }) => `"${name}"`).join(", ")}.`,
    );
  }
}

/** Lock: a share of the row. An http_tool authenticates as its service does. */
export const requireService = (tx: Tx, caller: Caller, id: number) =>
  shareRows(tx, caller, { table: "services", noun: "Service" }, [id]);

export async function toolsOfService(tx: Tx, service_id: number): Promise<{ kind: string; name: string }[]> {
  const { rows } = await sql<{ kind: string; name: string }>`
    select 'insight tool' as kind, i.name from insight_tools i join services s on s.id = ${service_id}
    where i.sub_organization_id = s.sub_organization_id and i.deleted_at is null
      and i.tool_arguments ->> 'service_id' = s.id::text order by i.name`.execute(tx);
  return rows;
}

/** The addresses that insight tools call with a service's credentials. */
export async function urlsOfService(tx: Tx, service_id: number): Promise<(string | null)[]> {
  const { rows } = await sql<{ url: string | null }>`
    select i.tool_arguments ->> 'url' as url from insight_tools i join services s on s.id = ${service_id}
    where i.sub_organization_id = s.sub_organization_id and i.deleted_at is null
      and i.tool_arguments ->> 'service_id' = s.id::text`.execute(tx);
  return rows.map(({ url }) => url);
}
