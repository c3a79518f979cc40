import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { refuseWhileHeld } from "../api/resource.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import type { DB } from "../db/types.ts";
import { type CallTarget, eitherTarget, targetOfTask, targetOfTool } from "./call-target.ts";
import type { Task } from "./task-definition.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { recordToolVersion } from "./tool-history.ts";

export type ToolRow = {
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
  is_system: boolean;
};

export type ToolInput = { name: string; definition: ToolDefinition; service_id: number };

type InSubOrganization = Pick<Caller, "sub_organization_id">;

const live = (db: Db, { sub_organization_id }: InSubOrganization) =>
  db
    .selectFrom("tools as t")
    .innerJoin("services as s", "s.id", "t.service_id")
    .where("t.sub_organization_id", "=", sub_organization_id)
    .where("t.deleted_at", "is", null);

/** Prompts that offer a tool, or end their sessions with it. Indexes: prompt_tools_tool, prompts_session_end_tool. */
const usingPrompts = (tool_id: RawBuilder<unknown>) => sql`
  prompts p
  where p.deleted_at is null and p.id in (
    select link.prompt_id from prompt_tools link where link.tool_id = ${tool_id}
    union all
    select ending.id from prompts ending where ending.session_end_tool_id = ${tool_id})`;

/**
 * The links of live prompts to a tool, those that offer it and those that end their sessions with it, in order of the
 * prompts. Both halves come sorted out of an index, so that whoever takes the first hundred reads a hundred.
 */
const linksTo = (tool_id: RawBuilder<unknown>, most: number | null) => sql`(
  (select p.id, p.name from prompt_tools link join prompts p on p.id = link.prompt_id
    where link.tool_id = ${tool_id} and p.deleted_at is null order by link.prompt_id limit ${most}::bigint)
  union
  (select p.id, p.name from prompts p
    where p.session_end_tool_id = ${tool_id} and p.deleted_at is null order by p.id limit ${most}::bigint))`;

const agentsOf = (tool_id: RawBuilder<unknown>, most: number | null) => sql`(
  (select a.id, a.name from prompt_tools link
    join prompts p on p.id = link.prompt_id
    join agents a on a.prompt_id = link.prompt_id
    where link.tool_id = ${tool_id} and p.deleted_at is null and a.deleted_at is null
    order by link.prompt_id limit ${most}::bigint)
  union
  (select a.id, a.name from prompts p join agents a on a.prompt_id = p.id
    where p.session_end_tool_id = ${tool_id} and p.deleted_at is null and a.deleted_at is null
    order by p.id limit ${most}::bigint))`;

/** How many prompts, and how many agents, a list names for each tool: every prompt has `hangup`. */
export const MAX_USERS_IN_LIST = 100;

/**
 * `most`: how many prompts and agents each tool names; null names all.
 * Indexes: prompt_tools_tool_prompt, prompts_session_end_tool, agents_prompt.
 */
export const selectToolRows = (db: Db, caller: Caller, most: number | null) =>
  live(db, caller)
    .select([
      "t.name",
      "t.definition",
      "t.service_id",
      "t.id",
      "t.last_updated_comments",
      "s.name as service_name",
      sql`(
        select coalesce(json_agg(json_build_object('id', first.id, 'name', first.name) order by first.id), '[]')
        from (select * from ${linksTo(sql.ref("t.id"), most)} found order by id limit ${most}::bigint) first)`.as(
        "prompts_info",
      ),
      sql`(
        select coalesce(json_agg(json_build_object('id', first.id, 'name', first.name) order by first.id), '[]')
        from (select * from ${agentsOf(sql.ref("t.id"), most)} found order by id limit ${most}::bigint) first)`.as(
        "agents_info",
      ),
      "t.last_updated",
      "t.last_updated_by",
      "t.version_number",
      "s.is_system",
    ])
    .$castTo<ToolRow>();

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
    select p.name from ${usingPrompts(sql.val(id))} order by p.id`.execute(tx);
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
  // By a statement of its own: one that waits and joins the service finds nothing where the tool was put to another.
  await tx
    .selectFrom("tools as t")
    .select("t.id")
    .where("t.sub_organization_id", "=", caller.sub_organization_id)
    .where("t.deleted_at", "is", null)
    .where(column, "=", value)
    .forUpdate()
    .execute();
  const row = await live(tx, caller)
    .where(column, "=", value)
    .select(["t.id", "t.name", "s.is_system"])
    .executeTakeFirst();
  if (!row) throw "id" in tool ? notFound("Tool", tool.id) : toolNotFound(tool.name);
  if (row.is_system) {
    throw new Fault("refused", `"${row.name}" is a built-in tool; it can't be changed or deleted.`);
  }
  return row;
}

export const toolNotFound = (name: string): Fault =>
  new Fault("not-found", `Tool with name ${name} not found`);

const selectService = (db: Db, caller: Caller, id: number) =>
  db
    .selectFrom("services")
    .select("is_system")
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null);

/** Fails unless tools may be put to the service. */
export const requireService = async (db: Db, caller: Caller, id: number): Promise<void> =>
  refuseService(await selectService(db, caller, id).executeTakeFirst());

/** The same, and held until the tool is saved, so that the service isn't deleted meanwhile. */
const holdService = async (tx: Tx, caller: Caller, id: number): Promise<void> =>
  refuseService(await selectService(tx, caller, id).forShare().executeTakeFirst());

function refuseService(service: { is_system: boolean } | undefined): void {
  if (!service) throw new Fault("refused", "Service not found");
  if (service.is_system) {
    throw new Fault("refused", "This service is built in and takes no other tools; choose another service.");
  }
}

/** The names in some definitions. */
type MentionedNames = {
  /** Under which their tasks are shown to models. */
  shown: readonly string[];
  /** Which their tasks call or allow, and which are not the definition's own. */
  called: readonly string[];
};

/** Which of the mentioned names other tools have. */
type NamesInUse = {
  /** By tools that models see under their own names, and not under those of their tasks: name and id. */
  shown: Map<string, number>;
  callable: Set<string>;
  /** What the called ones take, tools as well as tasks. */
  targets: Map<string, CallTarget>;
};

/**
 * Names of tools are looked up (index: tools_name). Only those that are left over may be tasks of other tools, for
 * which all definitions of the sub-organization are read: 60 ms for 1,000 workflows of 3 KB.
 */
export async function namesInUse(db: Db, caller: Caller, mentioned: MentionedNames): Promise<NamesInUse> {
  const names = [...mentioned.shown, ...mentioned.called];
  if (names.length === 0) return { shown: new Map(), callable: new Set(), targets: new Map() };
  const tools = await db
    .selectFrom("tools")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where("name", "=", sql<string>`any(${names}::text[])`)
    .select(["id", "name", sql<boolean>`definition #>> '{context,task}' is null`.as("by_itself")])
    .select(sql<ToolDefinition>`definition`.as("definition"))
    .execute();
  const callable = new Set(tools.map((tool) => tool.name));
  const left = mentioned.called.filter((name) => !callable.has(name));
  const by_themselves = tools.filter((tool) => tool.by_itself);
  const targets = new Map(by_themselves.map(({ name, definition }) => [name, targetOfTool(definition)]));
  for (const { name, task } of await tasksNamed(db, caller, left)) {
    callable.add(name);
    targets.set(name, eitherTarget(targets.get(name), targetOfTask(task)));
  }
  return {
    shown: new Map(by_themselves.map(({ name, id }) => [name, id])),
    callable,
    targets,
  };
}

/** The other tools whose definition has one of some names as a text anywhere, by name. */
export const toolsMentioning = (
  db: Db,
  caller: Caller,
  names: readonly string[],
  except: number,
): Promise<{ name: string; definition: ToolDefinition }[]> =>
  db
    .selectFrom("tools")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where("id", "<>", except)
    .where(
      sql<boolean>`exists (
        select from unnest(${names.map((name) => JSON.stringify(name))}::text[]) as mention (text)
        where strpos(tools.definition::text, mention.text) > 0)`,
    )
    .orderBy("name")
    .select("name")
    .select(sql<ToolDefinition>`definition`.as("definition"))
    .execute();

type NamedTask = { name: string; task: Task };

async function tasksNamed(db: Db, caller: Caller, names: readonly string[]): Promise<NamedTask[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<NamedTask>`
    select task.definition #>> '{tool,name}' as name, task.definition as task
    from tools t, jsonb_path_query((t.definition -> 'context')::jsonb, '$.task[*]') as task (definition)
    where t.sub_organization_id = ${caller.sub_organization_id} and t.deleted_at is null
      and task.definition #>> '{tool,name}' = any(${names}::text[])`.execute(db);
  return rows;
}
