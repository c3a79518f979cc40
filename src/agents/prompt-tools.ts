import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";

type Wanted = {
  tools: string[];
  include_default_tools: boolean;
  session_end_tool_id?: number | null | undefined;
};

/**
 * The ids of the tools a prompt is to have, each once, in the order of their names and the default tools last. Default
 * tools that this sub-organization does not have are left out. Nobody deletes any of these tools before the transaction ends.
 */
export async function toolsOfPrompt(
  tx: Tx,
  caller: Caller,
  wanted: Wanted,
  prompt_id: number | null,
): Promise<number[]> {
  const defaults = wanted.include_default_tools ? await defaultTools(tx, prompt_id) : [];
  const names = [...new Set([...wanted.tools, ...defaults])];
  const end = wanted.session_end_tool_id ?? null;
  const found = await tx
    .selectFrom("tools")
    .select(["id", "name"])
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where((where) =>
      where.or([where("name", "=", sql<string>`any(${names}::text[])`), where("id", "=", end)]),
    )
    // In one order, so that two prompts that name the same tools never wait for each other in a circle.
    .orderBy("id")
    .forShare()
    .execute();

  if (end !== null && !found.some(({ id }) => id === end)) throw notFound("Tool", end);
  const ids = new Map(found.map(({ id, name }) => [name, id]));
  const unknown = wanted.tools.filter((name) => !ids.has(name));
  if (unknown.length > 0) throw new Fault("refused", `Tool not found: ${[...new Set(unknown)].join(", ")}`);
  return names.flatMap((name) => ids.get(name) ?? []);
}

/** `set_current_language` is of use only where a caller may change the language by asking for it. */
async function defaultTools(tx: Tx, prompt_id: number | null): Promise<string[]> {
  if (prompt_id === null) return ["hangup"];
  const speaker = await tx
    .selectFrom("agents")
    .select("id")
    .where("prompt_id", "=", prompt_id)
    .where("enable_verbal_language_change", "=", true)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return speaker ? ["hangup", "set_current_language"] : ["hangup"];
}

/** Puts these tools in the place of those the prompt had. */
export async function linkTools(tx: Tx, prompt_id: number, tool_ids: number[]): Promise<void> {
  await tx.deleteFrom("prompt_tools").where("prompt_id", "=", prompt_id).execute();
  await sql`
    insert into prompt_tools (prompt_id, tool_id, position)
    select ${prompt_id}, tool.id, tool.position
    from unnest(${tool_ids}::bigint[]) with ordinality tool (id, position)
  `.execute(tx);
}
