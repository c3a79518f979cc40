import type { Caller } from "../api/caller.ts";
import { holdRecord } from "../api/hold-record.ts";
import { refuseWhileHeld } from "../api/resource.ts";
import type { AuditedStamp } from "../api/server.ts";
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

/** What knows an agent or a prompt by its name: the rooms that have it follow when that changes, in the same transaction. */
export type FollowsNames = (
  tx: Tx,
  by: AuditedStamp,
  renamed: { table: "agents" | "prompts"; id: number; from: string; to: string },
) => Promise<void>;

/** Deletes a record that no agent points at; otherwise the refusal names the agents. Index: agents_<part>. */
export async function removePart(
  tx: Tx,
  caller: Caller,
  clock: Clock,
  table: AgentPart["table"],
  { id, name, reason }: { id: number; name: string; reason: string },
): Promise<void> {
  const { column, noun } = AGENT_PARTS.find((part) => part.table === table) as AgentPart;
  if (!(await holdRecord(tx, caller, table, id, "update"))) throw notFound(noun, id);
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
    // The columns named below are those that all four tables have.
    .updateTable(table as "prompts")
    .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
    .where("id", "=", id)
    .execute();
}
