import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db } from "../db/database.ts";
import { withFormerNames } from "./listed/known-names.ts";

/** Several sessions of one person with one agent. */
const Conversation = z
  .object({
    timestamp: timestamp(),
    conversation_id: z.string(),
    agent_id: z.string().nullish(),
    agent_name: z.string().nullish(),
    agent_type: z.string().nullish(),
    prompt_id: z.string().nullish(),
    prompt_name: z.string().nullish(),
    prompt_version: z.string().nullish(),
    llm_provider: z.string().nullish(),
    llm_model: z.string().nullish(),
    llm_version: z.string().nullish(),
    llm_temperature: z.number().nullish(),
    llm_seed: z.int().nullish(),
    is_legacy: z.boolean().nullish(),
  })
  .meta({ id: "Conversation" });

const conversationList: list.ListRules = {
  fields: {
    timestamp: list.time("c.timestamp"),
    agent_type: list.read(list.exact("c.agent_type")),
    // Index: conversations_user.
    agent_id: list.integer("c.agent_id"),
    agent_name: list.read(list.text("c.agent_name")),
    prompt_id: list.read(list.integer("c.prompt_id")),
    prompt_name: list.read(list.text("c.prompt_name")),
    llm_provider: list.read(list.exact("c.llm_provider")),
    llm_model: list.read(list.text("c.llm_model")),
    llm_version: list.custom(() => sql`false`, list.noOrder("c.id")),
    is_legacy: list.flag((value) => (value ? sql`false` : sql`true`), list.noOrder("c.id")),
  },
  time: "c.timestamp",
  order: [
    { column: "c.timestamp", direction: "desc" },
    { column: "c.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

const selectConversations = (db: Db, caller: Caller) =>
  db
    .selectFrom("conversations as c")
    .where("c.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "c.timestamp",
      sql<string>`c.id::text`.as("conversation_id"),
      sql<string>`c.agent_id::text`.as("agent_id"),
      "c.agent_name",
      "c.agent_type",
      sql<string>`c.prompt_id::text`.as("prompt_id"),
      "c.prompt_name",
      sql<string>`c.prompt_version_number::text`.as("prompt_version"),
      "c.llm_provider",
      "c.llm_model",
      sql<string | null>`null`.as("llm_version"),
      "c.llm_temperature",
      "c.llm_seed",
      sql<boolean>`false`.as("is_legacy"),
    ]);

export function conversationRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/conversations/",
    {
      summary: "List conversations",
      description: `Newest first. ${list.LONG}`,
      tag: "conversations",
      permission: "conversations_read",
      query: list.listQuery(conversationList),
      response: list.listOf(Conversation),
    },
    async ({ caller, query }) => {
      const tenant = caller.sub_organization_id;
      const rules = await withFormerNames(db, tenant, query, conversationList, "c");
      const page = await list.listPage(db, selectConversations(db, caller), query, rules);
      return list.onlyFields(page, query.fields, Conversation);
    },
  );
}
