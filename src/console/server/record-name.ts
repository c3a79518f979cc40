import { queryOptions } from "@tanstack/react-query";
import { call, type Operation } from "./api.ts";

/** How one record is read, by the list that it is chosen from; its number is the one parameter of the path. */
const ONE = {
  "GET /api/v1/agents/": "GET /api/v1/agents/{agent_id}",
  "GET /api/v1/bridge_phrases/": "GET /api/v1/bridge_phrases/{bridge_phrases_id}",
  "GET /api/v1/custom_messages/": "GET /api/v1/custom_messages/{custom_message_id}",
  "GET /api/v1/data_sources/": "GET /api/v1/data_sources/{data_source_id}",
  "GET /api/v1/insights/tool-configurations": "GET /api/v1/insights/tool-configurations/{tool_id}",
  "GET /api/v1/language_groups/": "GET /api/v1/language_groups/{language_group_id}",
  "GET /api/v1/prompts/": "GET /api/v1/prompts/{prompt_id}",
  "GET /api/v1/roles/": "GET /api/v1/roles/{role_id}",
  "GET /api/v1/services/": "GET /api/v1/services/{service_id}",
  "GET /api/v1/test_suites/": "GET /api/v1/test_suites/{suite_id}",
} as const satisfies Partial<Record<Operation, Operation>>;
/** One tool is read by its name, so its number is looked for in the list. */
const TOOLS = "GET /api/v1/tools/";

/** Lists whose records others name by number. */
export type NamedList = keyof typeof ONE | typeof TOOLS;

async function readName(list: NamedList, id: number): Promise<string | null> {
  if (list === TOOLS) {
    const query = { search_fields: ["id" as const], search_field_values: [String(id)] };
    return (await call(TOOLS, { query })).items[0]?.name ?? null;
  }
  const parameter = /\{(\w+)\}/.exec(ONE[list])?.[1] as string;
  return (await call(ONE[list], { path: { [parameter]: id } } as never)).name;
}

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
  queryOptions({ queryKey: [list, "name of", id], queryFn: () => readName(list, id) });
