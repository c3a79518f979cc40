import { queryOptions } from "@tanstack/react-query";
import { call } from "./api.ts";

/** How the name of a record that others name by its number is read, by the list that it is chosen from. */
const READ = {
  "GET /api/v1/agents/": async (agent_id: number) =>
    (await call("GET /api/v1/agents/{agent_id}", { path: { agent_id } })).name,
  "GET /api/v1/bridge_phrases/": async (bridge_phrases_id: number) =>
    (await call("GET /api/v1/bridge_phrases/{bridge_phrases_id}", { path: { bridge_phrases_id } })).name,
  "GET /api/v1/custom_messages/": async (custom_message_id: number) =>
    (await call("GET /api/v1/custom_messages/{custom_message_id}", { path: { custom_message_id } })).name,
  "GET /api/v1/data_sources/": async (data_source_id: number) =>
    (await call("GET /api/v1/data_sources/{data_source_id}", { path: { data_source_id } })).name,
  "GET /api/v1/insights/tool-configurations": async (tool_id: number) =>
    (await call("GET /api/v1/insights/tool-configurations/{tool_id}", { path: { tool_id: String(tool_id) } }))
      .name,
  "GET /api/v1/language_groups/": async (language_group_id: number) =>
    (await call("GET /api/v1/language_groups/{language_group_id}", { path: { language_group_id } })).name,
  "GET /api/v1/prompts/": async (prompt_id: number) =>
    (await call("GET /api/v1/prompts/{prompt_id}", { path: { prompt_id } })).name,
  "GET /api/v1/roles/": async (role_id: number) =>
    (await call("GET /api/v1/roles/{role_id}", { path: { role_id } })).name,
  "GET /api/v1/services/": async (service_id: number) =>
    (await call("GET /api/v1/services/{service_id}", { path: { service_id } })).name,
  "GET /api/v1/test_suites/": async (suite_id: number) =>
    (await call("GET /api/v1/test_suites/{suite_id}", { path: { suite_id } })).name,
  // One tool is read by its name.
  "GET /api/v1/tools/": async (id: number) => {
    const query = { search_fields: ["id" as const], search_field_values: [String(id)] };
    return (await call("GET /api/v1/tools/", { query })).items[0]?.name ?? null;
  },
};

/** Lists whose records others name by number. */
export type NamedList = keyof typeof READ;

/** Which list the number at a path of a record is of; names below others may be anybody's own, as in a tool's defaults. */
const LIST_AT: Readonly<Record<string, NamedList>> = {
  agent_id: "GET /api/v1/agents/",
  bridge_phrases_id: "GET /api/v1/bridge_phrases/",
  custom_message_id: "GET /api/v1/custom_messages/",
  default_role_id: "GET /api/v1/roles/",
  insight_tool_id: "GET /api/v1/insights/tool-configurations",
  "insight_tool_ids.*": "GET /api/v1/insights/tool-configurations",
  language_group_id: "GET /api/v1/language_groups/",
  prompt_id: "GET /api/v1/prompts/",
  role_id: "GET /api/v1/roles/",
  "roles.*.role_id": "GET /api/v1/roles/",
  service_id: "GET /api/v1/services/",
  session_end_tool_id: "GET /api/v1/tools/",
};

/** The parts of an agent's version that hold such a number, as comparisons call them. */
const PART = /^(settings|tool [^.]+)\./;

/** The list that the number at a path such as `roles.0.role_id` is of; undefined where it names no record. */
export const listAt = (path: string): NamedList | undefined =>
  LIST_AT[path.replace(PART, "").replaceAll(/\b\d+\b/g, "*")];

/** The name of one record, null where there is none of this number. */
export const recordName = (list: NamedList, id: number) =>
  queryOptions({ queryKey: [list, "name of", id], queryFn: () => READ[list](id) });
