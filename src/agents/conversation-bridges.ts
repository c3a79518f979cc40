import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { queryInteger } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { type Db, json } from "../db/database.ts";
import { phrases, smartTurnTimeout } from "./bridge-phrases.ts";

/**
 * The older surface of bridge phrases: one config for everybody, overridden for an agent, a tool, or a tool of an
 * agent. It is kept apart from the named configs that agents point at, and asked only where those say nothing.
 */
const legacyFields = {
  messages: phrases().describe("Where there are any, the three lists below are not used."),
  randomize_messages: z.boolean().default(false),
  first_slow_messages: phrases(),
  very_slow_messages: phrases(),
  tool_responses: phrases(),
};
const LegacyPhraseSet = z.object(legacyFields).meta({ id: "LegacyPhraseSet" });

export const BridgePhrasesConfig = z
  .object({
    ...legacyFields,
    localized: z.record(z.string(), LegacyPhraseSet).default({}).describe("By language tag."),
    smart_turn_timeout_seconds: smartTurnTimeout().default(null).describe("null: the service's default."),
  })
  .meta({ id: "BridgePhrasesConfig" });
type BridgePhrasesConfig = z.infer<typeof BridgePhrasesConfig>;

const BridgeScope = z.object({
  agent_id: queryInteger().nullish(),
  tool_name: z
    .string()
    .nullish()
    .transform((tool) => tool || null),
});
type BridgeScope = { agent_id?: number | null | undefined; tool_name: string | null };

export function conversationBridgesRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/conversation-config/bridges";
  const tag = "conversation-config";

  api.get(
    path,
    {
      summary: "Get the bridge phrases of a scope",
      description: "A scope without phrases of its own answers with those of the sub-organization.",
      tag,
      permission: "bridge_phrases_read",
      query: BridgeScope,
      response: BridgePhrasesConfig,
    },
    async ({ caller, query }) =>
      (await configOf(db, caller, query)) ??
      (await configOf(db, caller, EVERYBODY)) ??
      BridgePhrasesConfig.parse({}),
  );

  api.put(
    path,
    {
      summary: "Set the bridge phrases of a scope",
      description:
        "Agents and tools are not checked: phrases may be written before the agent or tool exists.",
      tag,
      permission: "bridge_phrases_write",
      query: BridgeScope,
      body: BridgePhrasesConfig,
      response: BridgePhrasesConfig,
    },
    ({ caller, query, body }) =>
      write(db, "Bridge phrases", async (tx) => {
        const before = await configOf(tx, caller, query);
        const row = {
          config: json(body),
          updated_at: clock.now().toISOString(),
          last_updated_by: caller.email,
        };
        await tx
          .insertInto("conversation_bridges")
          .values({
            ...row,
            sub_organization_id: caller.sub_organization_id,
            agent_id: query.agent_id ?? null,
            tool_name: query.tool_name,
          })
          .onConflict((conflict) =>
            conflict.columns(["sub_organization_id", "agent_id", "tool_name"]).doUpdateSet(row),
          )
          .execute();
        await api.audit(tx, caller, {
          action: before ? "update" : "create",
          resource: "conversation_bridges",
          resource_id: scopeName(query),
          before,
          after: body,
        });
        return body;
      }),
  );
}

const EVERYBODY: BridgeScope = { tool_name: null };

async function configOf(
  db: Db,
  caller: Caller,
  scope: BridgeScope,
): Promise<BridgePhrasesConfig | undefined> {
  const found = await db
    .selectFrom("conversation_bridges")
    .select("config")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("agent_id", "is not distinct from", scope.agent_id ?? null)
    .where("tool_name", "is not distinct from", scope.tool_name)
    .$castTo<{ config: BridgePhrasesConfig }>()
    .executeTakeFirst();
  return found?.config;
}

export const scopeName = ({ agent_id, tool_name }: BridgeScope): string =>
  [agent_id != null && `agent ${agent_id}`, tool_name !== null && `tool ${tool_name}`]
    .filter((part) => part !== false)
    .join(", ") || "everybody";
