import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { holdRecord } from "../api/hold-record.ts";
import { refuseWhileHeld } from "../api/resource.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, jsonOrNull, type Tx } from "../db/database.ts";
import type { AgentInput } from "./agent-input.ts";
import { AGENT_PARTS } from "./agent-part.ts";

export async function insertAgent(tx: Tx, caller: Caller, now: Date, input: AgentInput): Promise<number> {
  await refuseMissingParts(tx, caller, input);
  const { id } = await tx
    .insertInto("agents")
    .values({ ...values(caller, now, input), sub_organization_id: caller.sub_organization_id })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

export async function replaceAgent(
  tx: Tx,
  caller: Caller,
  now: Date,
  input: AgentInput & { id: number },
): Promise<void> {
  await refuseMissingParts(tx, caller, input);
  await tx
    .updateTable("agents")
    .set({
      ...values(caller, now, input),
      former_names: sql`case when name = ${input.name} then former_names
        else array_append(array_remove(former_names, name), name) end`,
    })
    .where("id", "=", input.id)
    .execute();
}

/** Refuses an agent that is deleted, or another sub-organization's. */
export async function requireAgent(db: Db, { sub_organization_id }: Caller, agent_id: number): Promise<void> {
  const found = await db
    .selectFrom("agents")
    .select("id")
    .where("id", "=", agent_id)
    .where("sub_organization_id", "=", sub_organization_id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!found) throw notFound("Agent", agent_id);
}

/** What can't be without an agent, such as an address it is reached at: the rooms that have it say so. */
export type AgentHolders = (tx: Tx, agent_id: number) => Promise<{ kind: string; name: string }[]>;

export async function removeAgent(
  tx: Tx,
  caller: Caller,
  now: Date,
  { id, name, reason }: { id: number; name: string; reason: string },
  holdersOf: AgentHolders,
): Promise<void> {
  // A target or campaign that is about to use the agent holds its row `for share` and is waited for here.
  if (!(await holdRecord(tx, caller, "agents", id, "update"))) throw notFound("Agent", id);
  refuseWhileHeld(`agent "${name}"`, await holdersOf(tx, id));
  await tx
    .updateTable("agents")
    .set({ deleted_at: now.toISOString(), deleted_reason: reason })
    .where("id", "=", id)
    .execute();
}

/** What the agent points at is of its sub-organization and stays until the transaction ends. */
async function refuseMissingParts(tx: Tx, caller: Caller, input: AgentInput): Promise<void> {
  for (const part of AGENT_PARTS) {
    const id = input[part.column];
    if (id != null && !(await holdRecord(tx, caller, part.table, id, "share"))) {
      throw new Fault("refused", `${part.noun} with ID ${id} not found`);
    }
  }
  if (input.prompt_version_number == null) return;
  const version = await tx
    .selectFrom("prompt_versions")
    .select("version_number")
    .where("prompt_id", "=", input.prompt_id)
    .where("version_number", "=", input.prompt_version_number)
    .executeTakeFirst();
  if (!version) {
    throw new Fault(
      "refused",
      `Prompt with ID ${input.prompt_id} has no version ${input.prompt_version_number}; GET /api/v1/prompts/${input.prompt_id}/history lists those it has.`,
    );
  }
}

const values = (caller: Caller, now: Date, input: AgentInput) => ({
  name: input.name,
  description: input.description ?? null,
  label: input.label ?? null,
  labels: input.labels ?? null,
  type: input.type,
  prompt_id: input.prompt_id,
  prompt_version_number: input.prompt_version_number ?? null,
  custom_message_id: input.custom_message_id ?? null,
  language_group_id: input.language_group_id ?? null,
  bridge_phrases_id: input.bridge_phrases_id ?? null,
  timezone: input.timezone,
  prompt_tool_defaults: json(input.prompt_tool_defaults),
  languages: input.languages,
  variables: json(input.variables),
  tool_headers: jsonOrNull(input.tool_headers),
  agent_initiated: input.agent_initiated,
  stt_provider: input.stt_provider ?? null,
  wait_sound: input.wait_sound ?? null,
  enable_verbal_language_change: input.enable_verbal_language_change,
  updated_at: now.toISOString(),
  last_updated_by: caller.email,
});
