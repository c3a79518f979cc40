import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, type Creates, refuseWhileHeld } from "../api/resource.ts";
import { boundedList, name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import { type Db, isUniqueViolation, json } from "../db/database.ts";
import { removePart } from "./agent-part.ts";
import { publishedWithPhrases } from "./published-with.ts";

/** Seconds of silence before the first phrase; those after it come after two, three and four times as long. */
export const smartTurnTimeout = () => z.number().min(0.25).max(30).nullable();

export const phrases = () => boundedList(z.string()).default([]);

const LocalizedBridgePhrases = z.object({ messages: phrases() }).meta({ id: "LocalizedBridgePhrases" });

const PhraseSet = z
  .object({
    messages: phrases(),
    localized: z
      .record(z.string(), LocalizedBridgePhrases)
      .default({})
      .describe("By language tag (`es-US`, or `es` for any Spanish); others hear `messages`."),
  })
  .meta({ id: "PhraseSet" });

const ToolBridgePhraseConfig = z
  .object({ tool_name: z.string(), phrases: PhraseSet })
  .meta({ id: "ToolBridgePhraseConfig" });

/** What is said while the model or a tool is slow. */
const BridgePhrasesConfigPayload = z
  .object({
    phrases: PhraseSet.default({ messages: [], localized: {} }),
    tools: boundedList(ToolBridgePhraseConfig).default([]).describe("Phrases for the time this tool runs."),
    smart_turn_timeout_seconds: smartTurnTimeout().default(2.75),
    randomize_bridge_phrases: z.boolean().default(false),
    apology: PhraseSet.nullish().describe(
      "Said when the model gives no answer; the first phrase counts. Omitted: the program's own words in the session's language.",
    ),
  })
  .meta({ id: "BridgePhrasesConfigPayload" });

export const BridgePhrasesCreateRequest = z
  .object({
    name: name(),
    description: z.string().nullish(),
    config: BridgePhrasesConfigPayload.prefault({}),
    is_default: z.boolean().default(false).describe("For agents that name none. One of a sub-organization."),
  })
  .meta({ id: "BridgePhrasesCreateRequest" });
const BridgePhrasesUpdateRequest = BridgePhrasesCreateRequest.extend({
  is_default: z.boolean().nullish().describe("Null or omitted keeps what is stored."),
  id: recordId(),
  edit_comments: z.string().nullish(),
}).meta({ id: "BridgePhrasesUpdateRequest" });

export const BridgePhrasesResponse = z
  .object({
    name: z.string(),
    description: z.string().nullish(),
    config: BridgePhrasesConfigPayload,
    is_default: z.boolean(),
    id: z.int(),
    edit_comments: z.string().nullish(),
    agents_info: z
      .array(z.object({ id: z.int(), name: z.string() }).meta({ id: "BridgePhrasesAgentInfo" }))
      .nullish(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "BridgePhrasesResponse" });
export type BridgePhrasesRecord = z.infer<typeof BridgePhrasesResponse>;

const phrasesList: list.ListRules = {
  fields: {
    name: list.text("b.name"),
    description: list.text("b.description"),
    updated_at: list.time("b.updated_at"),
    last_updated_by: list.text("b.last_updated_by"),
  },
  time: "b.updated_at",
  order: [{ column: "b.id", direction: "asc" }],
};

/** Index: agents_bridge_phrases. */
const selectPhrases = (db: Db, caller: Caller) =>
  db
    .selectFrom("bridge_phrases as b")
    .where("b.sub_organization_id", "=", caller.sub_organization_id)
    .where("b.deleted_at", "is", null)
    .select([
      "b.name",
      "b.description",
      "b.config",
      "b.is_default",
      "b.id",
      "b.edit_comments",
      sql`(
        select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name) order by a.id), '[]')
        from agents a where a.bridge_phrases_id = b.id and a.deleted_at is null
      )`.as("agents_info"),
      "b.updated_at",
      "b.last_updated_by",
    ])
    .$castTo<BridgePhrasesRecord>();

type Input = z.infer<typeof BridgePhrasesCreateRequest>;

export type CreatesBridgePhrases = Creates<Input, BridgePhrasesRecord>;

export function bridgePhrasesRoutes(
  api: Api,
  { db, clock }: { db: Db; clock: Clock },
): { create: CreatesBridgePhrases } {
  const values = (caller: Caller, input: Pick<Input, "name" | "description" | "config">) => ({
    name: input.name,
    description: input.description ?? null,
    config: json(input.config),
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  return addResource(api, db, {
    path: "/api/v1/bridge_phrases",
    noun: "Bridge phrases config",
    id_name: "bridge_phrases_id",
    tag: "bridge_phrases",
    permission: "bridge_phrases",
    record: BridgePhrasesResponse,
    create: BridgePhrasesCreateRequest,
    update: BridgePhrasesUpdateRequest,
    list: phrasesList,
    store: {
      page: (caller, query) => list.listPage(db, selectPhrases(db, caller), query, phrasesList),
      find: (from, caller, id) => selectPhrases(from, caller).where("b.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        const row = {
          ...values(caller, input),
          is_default: input.is_default,
          sub_organization_id: caller.sub_organization_id,
        };
        const { id } = await oneDefault(() =>
          tx.insertInto("bridge_phrases").values(row).returning("id").executeTakeFirstOrThrow(),
        );
        return id;
      },
      async replace(tx, caller, input) {
        const row = {
          ...values(caller, input),
          edit_comments: input.edit_comments ?? null,
          ...(input.is_default != null && { is_default: input.is_default }),
        };
        await oneDefault(() =>
          tx.updateTable("bridge_phrases").set(row).where("id", "=", input.id).execute(),
        );
      },
      async remove(tx, caller, id, { reason }, before) {
        // Clients of the public API know this sentence. An agent attached since `before` was read is told by removePart.
        if (before.agents_info?.length) {
          throw new Fault("refused", "Cannot delete bridge phrases config with associated agents");
        }
        refuseWhileHeld(`bridge phrases "${before.name}"`, await publishedWithPhrases(tx, id));
        await removePart(tx, caller, clock, "bridge_phrases", { id, name: before.name, reason });
      },
    },
  });
}

async function oneDefault<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!isUniqueViolation(error, "bridge_phrases_default")) throw error;
    throw new Fault("refused", "Another bridge phrases config is the default. Make it no default first.", {
      cause: error,
    });
  }
}
