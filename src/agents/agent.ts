import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, type Creates } from "../api/resource.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { knownSources } from "../knowledge/data-source-names.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { toValidationIssue } from "../schemas/validation-issue.ts";
import { otherToolsOfAgent, valuesOfUnknownTools } from "../tools/issues/setting-issues.ts";
import { type AgentDefaults, sourcesOfAgent, unknownSourcesOfAgent } from "../tools/issues/source-issues.ts";
import { AgentCreate, type AgentInput, AgentUpdate } from "./agent-input.ts";
import type { FollowsNames } from "./agent-part.ts";
import { AgentResponse, agentFindings, agentJson } from "./agent-record.ts";
import { type AgentHolders, insertAgent, removeAgent, replaceAgent } from "./agent-store.ts";
import { offerAt } from "./prompt-llm.ts";
import { records } from "./record-json.ts";

const agentList: list.ListRules = {
  fields: {
    id: list.integer("a.id"),
    name: list.text("a.name"),
    name_exact: list.exact("a.name"),
    description: list.text("a.description"),
    label: list.text("a.label"),
    labels: list.custom(
      (value) => sql`exists (select from unnest(a.labels) l where l ilike ${list.containing(value)})`,
      sql`a.labels`,
    ),
    name_description: list.eitherText("a.name", "a.description"),
    type: list.exact("a.type"),
    timezone: list.text("a.timezone"),
    prompt_id: list.integer("a.prompt_id"),
    prompt_id_list: list.anyOf("a.prompt_id", "integer", "sorts"),
    custom_message_id: list.integer("a.custom_message_id"),
    languages: list.document("a.languages"),
    variables: list.document("a.variables"),
    prompt_tool_defaults: list.document("a.prompt_tool_defaults"),
    tool_headers: list.document("a.tool_headers"),
    updated_at: list.time("a.updated_at"),
    last_updated_by: list.text("a.last_updated_by"),
  },
  time: "a.updated_at",
  order: [{ column: "a.id", direction: "asc" }],
};

const selectAgents = (db: Db, caller: Caller) =>
  db
    .selectFrom("agents as a")
    .where("a.sub_organization_id", "=", caller.sub_organization_id)
    .where("a.deleted_at", "is", null)
    .select(agentJson("a.id").as("record"));

type Deps = {
  db: Db;
  clock: Clock;
  catalogue: readonly LlmEntry[];
  agentHolders: AgentHolders;
  followNames: FollowsNames;
};

export type CreatesAgent = Creates<AgentInput, AgentResponse>;

export function agentRoutes(
  api: Api,
  { db, clock, catalogue, agentHolders, followNames }: Deps,
): { create: CreatesAgent } {
  const agents = addResource(api, db, {
    path: "/api/v1/agents",
    noun: "Agent",
    id_name: "agent_id",
    tag: "agents",
    permission: "agents",
    record: AgentResponse,
    create: AgentCreate,
    update: AgentUpdate,
    list: agentList,
    audited: ({ prompt, custom_message, channel_targets, tools, language_group, ...own }: AgentResponse) =>
      own,
    store: {
      async page(caller, query) {
        const page = records(await list.listPage(db, selectAgents(db, caller), query, agentList));
        const offer = offerAt(catalogue, clock);
        const items = page.items.map((agent) => agentFindings(agent, offer));
        return { ...page, items: await withLookedUpIssues(db, caller, items) };
      },
      async find(from, caller, id) {
        const found = await selectAgents(from, caller).where("a.id", "=", id).executeTakeFirst();
        if (!found) return undefined;
        const agent = agentFindings(found.record, offerAt(catalogue, clock));
        return (await withLookedUpIssues(from, caller, [agent]))[0];
      },
      insert: (tx, caller, input) => insertAgent(tx, caller, clock.now(), input),
      async replace(tx, caller, input, before) {
        await replaceAgent(tx, caller, clock.now(), input);
        if (input.name === before.name) return;
        const renamed = { id: input.id, from: before.name, to: input.name };
        await followNames(tx, { caller, at: clock.now(), audit: api.audit }, { table: "agents", ...renamed });
      },
      remove: (tx, caller, id, { reason }, before) =>
        removeAgent(tx, caller, clock.now(), { id, name: before.name, reason }, agentHolders),
    },
  });

  api.get(
    "/api/v1/agents/labels",
    {
      summary: "List the labels that agents have",
      tag: "agents",
      permission: "agents_read",
      response: z.array(z.string()),
    },
    async ({ caller }) => {
      const rows = await db
        .selectFrom("agents")
        .select(sql<string>`distinct unnest(array_remove(labels || label, null))`.as("label"))
        .where("sub_organization_id", "=", caller.sub_organization_id)
        .where("deleted_at", "is", null)
        .orderBy("label")
        .execute();
      return rows.map(({ label }) => label);
    },
  );
  return agents;
}

/** With one look each at the data sources and the tools that all of them name. */
async function withLookedUpIssues(db: Db, caller: Caller, agents: AgentResponse[]): Promise<AgentResponse[]> {
  const defaults = agents.map(({ prompt_tool_defaults, tools }) => ({
    prompt_tool_defaults,
    tools: tools ?? [],
  }));
  const known = await knownSources(db, caller.sub_organization_id, defaults.flatMap(sourcesOfAgent));
  const tools = await knownTools(db, caller, defaults.flatMap(otherToolsOfAgent));
  return agents.map((agent, index) => {
    const given = defaults[index] as AgentDefaults;
    const issues = [...unknownSourcesOfAgent(given, known), ...valuesOfUnknownTools(given, tools)];
    return {
      ...agent,
      validation_issues: [...(agent.validation_issues ?? []), ...issues.map(toValidationIssue)],
    };
  });
}

/** Which of these names tools have. */
async function knownTools(db: Db, caller: Caller, names: string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const rows = await db
    .selectFrom("tools")
    .select("name")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where("name", "=", sql<string>`any(${names}::text[])`)
    .execute();
  return new Set(rows.map(({ name }) => name));
}
