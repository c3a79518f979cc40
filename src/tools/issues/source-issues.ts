import type { Issue, Path } from "../../schemas/validation-issue.ts";
import type { StaticToolParameter, ToolDefinition } from "../tool-definition.ts";

/*
 * Tools name data sources by name or label, in their own static parameters or in what an agent gives for these. A name
 * that is not there finds nothing, and the model is told so only when it asks.
 */

type Mention = { entry: string; path: Path };

const parameterMentions = ({ static_parameters }: ToolDefinition): Mention[] =>
  (static_parameters ?? []).flatMap((parameter, index) =>
    isSourceList(parameter) ? mentionsIn(parameter.default, ["static_parameters", index, "default"]) : [],
  );

const isSourceList = ({ type }: StaticToolParameter): boolean => type === "data_source_list";

/** What an agent gives for a tool's static parameters, together with the tools it has. */
export type AgentDefaults = {
  prompt_tool_defaults: readonly {
    tool_name: string;
    default_values: readonly { field_name: string; default_value?: unknown }[];
  }[];
  tools: readonly { name: string; definition: ToolDefinition }[];
};

function agentMentions({ prompt_tool_defaults, tools }: AgentDefaults): Mention[] {
  return prompt_tool_defaults.flatMap(({ tool_name, default_values }, at) => {
    const definition = tools.find(({ name }) => name === tool_name)?.definition;
    const lists = new Set((definition?.static_parameters ?? []).filter(isSourceList).map(({ name }) => name));
    return default_values.flatMap(({ field_name, default_value }, index) =>
      lists.has(field_name)
        ? mentionsIn(default_value, ["prompt_tool_defaults", at, "default_values", index, "default_value"])
        : [],
    );
  });
}

/** An entry with a variable in it is known only when it is used. */
function mentionsIn(value: unknown, path: Path): Mention[] {
  if (typeof value === "string") return isPlain(value) ? [{ entry: value, path }] : [];
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry, index) =>
    typeof entry === "string" && isPlain(entry) ? [{ entry, path: [...path, index] }] : [],
  );
}

const isPlain = (entry: string): boolean => entry !== "" && !/\{\{|\$\{|^\{/.test(entry);

/** The entries that have to be looked up, and what is then told of those that are not there. */
export const sourcesOfTool = (definition: ToolDefinition): string[] =>
  parameterMentions(definition).map(({ entry }) => entry);
export const sourcesOfAgent = (agent: AgentDefaults): string[] =>
  agentMentions(agent).map(({ entry }) => entry);

export const unknownSourcesOfTool = (definition: ToolDefinition, known: ReadonlySet<string>): Issue[] =>
  unknown(parameterMentions(definition), known);
export const unknownSourcesOfAgent = (agent: AgentDefaults, known: ReadonlySet<string>): Issue[] =>
  unknown(agentMentions(agent), known);

const unknown = (mentions: Mention[], known: ReadonlySet<string>): Issue[] =>
  mentions
    .filter(({ entry }) => !known.has(entry))
    .map(({ entry, path }) => ({
      id: "unknown-data-source",
      severity: "warning",
      message: `There is no data source or label named "${entry}" yet.`,
      path,
      value: entry,
    }));
