import type { Caller } from "../api/caller.ts";
import { refuseWhileHeld } from "../api/resource.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Tx } from "../db/database.ts";

/** The records an agent points at: where they are, the agent's column that names one, and what people call it. */
export const AGENT_PARTS = [
  { table: "prompts", column: "prompt_id", noun: "Prompt" },
  { table: "custom_messages", column: "custom_message_id", noun: "Custom message" },
  { table: "language_groups", column: "language_group_id", noun: "Language group" },
  { table: "bridge_phrases", column: "bridge_phrases_id", noun: "Bridge phrases" },
] as const;
type AgentPart = (typeof AGENT_PARTS)[number];

/**
 * Whether the sub-organization has this record. Who is about to point at it holds it with "share", who is about to
 * delete it with "update"; each waits for the other's transaction, so that nothing ever points at a deleted record.
 */
export async function holdPart(
  tx: Tx,
  caller: Caller,
  { table }: Pick<AgentPart, "table">,
  id: number,
  lock: "share" | "update",
): Promise<boolean> {
  const row = tx
    // The columns named below are those that all four tables have.
    .selectFrom(table as "prompts")
    .select("id")
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null);
  const found = await (lock === "share" ? row.forShare() : row.forUpdate()).executeTakeFirst();
  return found !== undefined;
}

/** Deletes a record that no agent points at; otherwise the refusal names the agents. Index: agents_<part>. */
export async function removePart(
  tx: Tx,
  caller: Caller,
  clock: Clock,
  table: AgentPart["table"],
  { id, name, reason }: { id: number; name: string; reason: string },
): Promise<void> {
  const { column, noun } = AGENT_PARTS.find((part) => part.table === table) as AgentPart;
  if (!(await holdPart(tx, caller, { table }, id, "update"))) throw notFound(noun, id);
  const agents = await tx
    .selectFrom("agents")
    .select("name")
    .where(column, "=", id)
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  refuseWhileHeld(
    `${noun.toLowerCase()} "${name}"`,
    agents.map((agent) => ({ kind: "agent", name: agent.name })),
  );
  await tx
    .updateTable(table as "prompts")
    .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
    .where("id", "=", id)
    .execute();
}
