import { sql } from "kysely";
import type { AuditedStamp } from "../api/server.ts";
import { json, type Tx } from "../db/database.ts";
import type { FollowsToolName } from "../tools/renamed-tool.ts";
import type { BridgePhrasesRecord } from "./bridge-phrases.ts";
import { scopeName } from "./conversation-bridges.ts";
import { isPublishedTool } from "./published-with.ts";
import type { SnapshotAgent } from "./snapshot.ts";

type Renamed = { from: string; to: string };

/**
 * What agents and bridge phrases say of a tool by its name goes with it when it is renamed. What stands under the new name
 * already stays. A published version calls a tool by the name it had and takes bridge phrases as they are now, so these
 * keep the old name, too, as long as a version has it.
 */
export const followToolName: FollowsToolName = async (tx, by, renamed) => {
  await renameInAgents(tx, by, renamed);
  const keep = await isPublishedTool(tx, by.caller.sub_organization_id, renamed.from);
  await renameInPhrases(tx, by, renamed, keep);
  await renameInScopes(tx, by, renamed, keep);
};

async function renameInAgents(tx: Tx, { caller, at, audit }: AuditedStamp, renamed: Renamed): Promise<void> {
  const agents = await tx
    .selectFrom("agents")
    .select(["id", "prompt_tool_defaults"])
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`prompt_tool_defaults::jsonb @> ${naming(renamed)}::jsonb`)
    .orderBy("id")
    .forUpdate()
    .$castTo<Pick<SnapshotAgent, "prompt_tool_defaults"> & { id: number }>()
    .execute();
  for (const { id, ...before } of agents) {
    const after = { prompt_tool_defaults: entries(before.prompt_tool_defaults, renamed, false) };
    await tx
      .updateTable("agents")
      .set({
        prompt_tool_defaults: json(after.prompt_tool_defaults),
        updated_at: at.toISOString(),
        last_updated_by: caller.email,
      })
      .where("id", "=", id)
      .execute();
    await audit(tx, caller, { action: "update", resource: "agents", resource_id: id, before, after });
  }
}

async function renameInPhrases(
  tx: Tx,
  { caller, at, audit }: AuditedStamp,
  renamed: Renamed,
  keep: boolean,
): Promise<void> {
  const phrases = await tx
    .selectFrom("bridge_phrases")
    .select(["id", "config"])
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where(sql<boolean>`config::jsonb -> 'tools' @> ${naming(renamed)}::jsonb`)
    .orderBy("id")
    .forUpdate()
    .$castTo<Pick<BridgePhrasesRecord, "id" | "config">>()
    .execute();
  for (const { id, ...before } of phrases) {
    const after = { config: { ...before.config, tools: entries(before.config.tools, renamed, keep) } };
    await tx
      .updateTable("bridge_phrases")
      .set({ config: json(after.config), updated_at: at.toISOString(), last_updated_by: caller.email })
      .where("id", "=", id)
      .execute();
    await audit(tx, caller, { action: "update", resource: "bridge_phrases", resource_id: id, before, after });
  }
}

/** The older phrases, one row for each agent and tool. */
async function renameInScopes(
  tx: Tx,
  { caller, at, audit }: AuditedStamp,
  { from, to }: Renamed,
  keep: boolean,
): Promise<void> {
  const scopes = (tool_name: string) =>
    tx
      .selectFrom("conversation_bridges")
      .select(["id", "agent_id", "config"])
      .where("sub_organization_id", "=", caller.sub_organization_id)
      .where("tool_name", "=", tool_name)
      .orderBy("id")
      .forUpdate()
      .execute();
  const taken = new Set((await scopes(to)).map(({ agent_id }) => agent_id));
  for (const { id, agent_id, config } of await scopes(from)) {
    if (taken.has(agent_id)) continue;
    const row = { tool_name: to, updated_at: at.toISOString(), last_updated_by: caller.email };
    const { sub_organization_id } = caller;
    await (keep
      ? tx
          .insertInto("conversation_bridges")
          .values({ ...row, sub_organization_id, agent_id, config: json(config) })
          .execute()
      : tx.updateTable("conversation_bridges").set(row).where("id", "=", id).execute());
    await audit(tx, caller, {
      action: "create",
      resource: "conversation_bridges",
      after: config,
      resource_id: scopeName({ agent_id, tool_name: to }),
    });
  }
}

const naming = ({ from }: Renamed): string => JSON.stringify([{ tool_name: from }]);

const entries = <T extends { tool_name: string }>(list: T[], { from, to }: Renamed, keep: boolean): T[] =>
  list.some(({ tool_name }) => tool_name === to)
    ? list
    : list.flatMap((entry) => {
        if (entry.tool_name !== from) return [entry];
        const renamed = { ...entry, tool_name: to };
        return keep ? [entry, renamed] : [renamed];
      });
