import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { refuseWhileHeld } from "../api/resource.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import type { DB } from "../db/types.ts";
import type { RecordJson } from "./record-json.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { recordToolVersion } from "./tool-history.ts";

/** A tool as it is shown, before its issues are told. */
export type ToolRecord = {
  name: string;
  definition: ToolDefinition;
  service_id: number;
  id: number;
  last_updated_comments: string | null;
  service_name: string;
  prompts_info: { id: number; name: string }[];
  agents_info: { id: number; name: string }[];
  last_updated: string;
  last_updated_by: string;
  version_number: number;
};

export type ToolInput = { name: string; definition: ToolDefinition; service_id: number };

/** Prompts that offer a tool, or end their sessions with it. Index: prompt_tools_tool. */
const usingPrompts = (tool_id: RawBuilder<unknown>) => sql`
  prompts this_prompt where this_prompt.deleted_at is null and (
    this_prompt.id in (select link.prompt_id from prompt_tools link where link.tool_id = ${tool_id})
    or this_prompt.session_end_tool_id = ${tool_id})`;

/** Index: agents_prompt, and those of `usingPrompts`. */
export const toolJson: RecordJson<ToolRecord> = (id) => sql`(
  select json_build_object(
    'name', this_tool.name,
    'definition', this_tool.definition,
    'service_id', this_tool.service_id,
    'id', this_tool.id,
    'last_updated_comments', this_tool.last_updated_comments,
    'service_name', this_service.name,
    'prompts_info', (
      select coalesce(json_agg(json_build_object('id', this_prompt.id, 'name', this_prompt.name)
        order by this_prompt.id), '[]')
      from ${usingPrompts(sql.ref("this_tool.id"))}),
    'agents_info', (
      select coalesce(json_agg(json_build_object('id', this_agent.id, 'name', this_agent.name)
        order by this_agent.id), '[]')
      from agents this_agent
      where this_agent.deleted_at is null
        and this_agent.prompt_id in (select this_prompt.id from ${usingPrompts(sql.ref("this_tool.id"))})),
    'last_updated', this_tool.last_updated,
    'last_updated_by', this_tool.last_updated_by,
    'version_number', this_tool.version_number)
  from tools this_tool join services this_service on this_service.id = this_tool.service_id
  where this_tool.id = ${sql.ref(id)})`;

type InSubOrganization = Pick<Caller, "sub_organization_id">;

const live = (db: Db, { sub_organization_id }: InSubOrganization) =>
  db
    .selectFrom("tools as t")
    .innerJoin("services as s", "s.id", "t.service_id")
    .where("t.sub_organization_id", "=", sub_organization_id)
    .where("t.deleted_at", "is", null);

export const selectToolRecords = (db: Db, caller: Caller) =>
  live(db, caller).select([toolJson("t.id").as("record"), "s.is_system"]);
export type ToolRow = { record: ToolRecord; is_system: boolean };

/** What a session freezes of a tool. */
export type FrozenTool = {
  id: number;
  name: string;
  version_number: number;
  service_id: number;
  /** Run by the program itself, by its name. */
  is_system: boolean;
  definition: ToolDefinition;
};

/** The tools with these ids, in that order; those that are gone are left out. */
export async function selectTools(
  db: Db,
  within: InSubOrganization,
  ids: readonly number[],
): Promise<FrozenTool[]> {
  const rows = await live(db, within)
    .where("t.id", "in", ids.length > 0 ? [...ids] : [-1])
    .select(["t.id", "t.name", "t.version_number", "t.service_id", "s.is_system", "t.definition"])
    .execute();
  const byId = new Map((rows as FrozenTool[]).map((tool) => [tool.id, tool]));
  return ids.map((id) => byId.get(id)).filter((tool) => tool !== undefined);
}

export async function insertTool(tx: Tx, caller: Caller, now: Date, input: ToolInput): Promise<number> {
  await holdService(tx, caller, input.service_id);
  const { id } = await tx
    .insertInto("tools")
    .values({ ...values(caller, now, input), sub_organization_id: caller.sub_organization_id })
    .returning("id")
    .executeTakeFirstOrThrow();
  await recordToolVersion(tx, id, "create");
  return id;
}

export async function replaceTool(
  tx: Tx,
  caller: Caller,
  now: Date,
  input: ToolInput & { id: number; last_updated_comments: string | null },
): Promise<void> {
  await holdService(tx, caller, input.service_id);
  await tx
    .updateTable("tools")
    .set({
      ...values(caller, now, input),
      last_updated_comments: input.last_updated_comments,
      version_number: nextVersion,
    })
    .where("id", "=", input.id)
    .execute();
  await recordToolVersion(tx, input.id, "update");
}

export async function removeTool(
  tx: Tx,
  caller: Caller,
  now: Date,
  { id, name }: { id: number; name: string },
  reason: string,
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select this_prompt.name from ${usingPrompts(sql.val(id))} order by this_prompt.id`.execute(tx);
  refuseWhileHeld(
    `tool "${name}"`,
    rows.map((prompt) => ({ kind: "prompt", name: prompt.name })),
  );
  await tx
    .updateTable("tools")
    .set({
      deleted_at: now.toISOString(),
      deleted_reason: reason,
      last_updated: now.toISOString(),
      last_updated_by: caller.email,
      last_updated_comments: null,
      version_number: nextVersion,
    })
    .where("id", "=", id)
    .execute();
  await recordToolVersion(tx, id, "delete");
}

const values = (caller: Caller, now: Date, { name, definition, service_id }: ToolInput) => ({
  name,
  definition: json(definition),
  service_id,
  last_updated: now.toISOString(),
  last_updated_by: caller.email,
});

const nextVersion = (row: ExpressionBuilder<DB, "tools">) => row("version_number", "+", 1);

/**
 * The tool that is about to be changed, its row locked, so that two writers number their versions one after the other.
 * A prompt that is about to use it waits too, when it takes the row `for share`.
 */
export async function holdTool(
  tx: Tx,
  caller: Caller,
  tool: { id: number } | { name: string },
): Promise<{ id: number; name: string }> {
  const [column, value] = "id" in tool ? (["t.id", tool.id] as const) : (["t.name", tool.name] as const);
  const row = await live(tx, caller)
    .where(column, "=", value)
    .select(["t.id", "t.name", "s.is_system"])
    .forUpdate(["t"])
    .executeTakeFirst();
  if (!row) throw "id" in tool ? notFound("Tool", tool.id) : toolNotFound(tool.name);
  if (row.is_system) {
    throw new Fault("refused", `"${row.name}" is a built-in tool; it can't be changed or deleted.`);
  }
  return row;
}

export const toolNotFound = (name: string): Fault =>
  new Fault("not-found", `Tool with name ${name} not found`);

/** Held until the tool is saved, so that the service isn't deleted meanwhile. */
async function holdService(tx: Tx, caller: Caller, id: number): Promise<void> {
  const service = await tx
    .selectFrom("services")
    .select("is_system")
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (!service) throw new Fault("refused", "Service not found");
  if (service.is_system) {
    throw new Fault("refused", "This service is built in and takes no other tools; choose another service.");
  }
}

/** Of these names: which can be called from a workflow, and which a model would see as those of a tool (and which). */
export type NamesInUse = { callable: Set<string>; shown: Map<string, number> };

/**
 * A tool with tasks is shown by the names of its tasks, any other by its own. Index: tools_name for the first half;
 * the second reads the definitions of the sub-organization's context tools.
 */
export async function namesInUse(db: Db, caller: Caller, names: readonly string[]): Promise<NamesInUse> {
  if (names.length === 0) return { callable: new Set(), shown: new Map() };
  const { rows } = await sql<{ name: string; id: number; by_itself: boolean }>`
    select t.name, t.id, t.definition #>> '{context,task}' is null as by_itself
    from tools t
    where t.sub_organization_id = ${caller.sub_organization_id} and t.deleted_at is null
      and t.name = any(${names}::text[])
    union all
    select task.name #>> '{}', t.id, false
    from tools t, jsonb_path_query((t.definition -> 'context')::jsonb, '$.task.tool.name') as task (name)
    where t.sub_organization_id = ${caller.sub_organization_id} and t.deleted_at is null
      and t.definition #>> '{context,task}' is not null
      and task.name #>> '{}' = any(${names}::text[])`.execute(db);
  return {
    callable: new Set(rows.map((row) => row.name)),
    shown: new Map(rows.filter((row) => row.by_itself).map((row) => [row.name, row.id])),
  };
}
