import { nearest } from "../../schemas/nearest.ts";
import type { Issue } from "../../schemas/validation-issue.ts";
import { isEmpty } from "../tool-arguments.ts";
import type { AgentDefaults } from "./source-issues.ts";

/*
 * What an agent gives for the static parameters of its tools: without a required value every call of the tool fails, and
 * nothing reads a value under a name that the tool doesn't have. Warnings: an agent is often saved before it is complete.
 */

export const settingIssues = (agent: AgentDefaults): Issue[] => [
  ...missingSettings(agent),
  ...unknownSettings(agent),
];

function missingSettings({ prompt_tool_defaults, tools }: AgentDefaults): Issue[] {
  return tools.flatMap(({ name: tool, definition }) => {
    // The first entry of a name is read, as when the tool is called.
    const at = prompt_tool_defaults.findIndex(({ tool_name }) => tool_name === tool);
    const given = prompt_tool_defaults[at]?.default_values ?? [];
    return (definition.static_parameters ?? []).flatMap(({ name, required, type, default: own }): Issue[] => {
      const index = given.findIndex(({ field_name }) => field_name === name);
      const value = index < 0 ? own : given[index]?.default_value;
      if (!required || !isEmpty(value)) return [];
      const cure =
        type === "data_source_list" ? "Choose data sources for this agent." : "Set it for this agent.";
      return [
        {
          id: "missing-tool-setting",
          severity: "warning",
          message: `The tool ${tool} needs a value for "${name}", or every call of it fails. ${cure}`,
          path:
            index < 0
              ? ["prompt_tool_defaults"]
              : ["prompt_tool_defaults", at, "default_values", index, "default_value"],
          value: name,
        },
      ];
    });
  });
}

/** Of a tool that the agent doesn't have now, the settings are kept until it has it again. */
function unknownSettings({ prompt_tool_defaults, tools }: AgentDefaults): Issue[] {
  return prompt_tool_defaults.flatMap(({ tool_name, default_values }, at) => {
    const tool = tools.find(({ name }) => name === tool_name);
    if (!tool) return [];
    const known = (tool.definition.static_parameters ?? []).map(({ name }) => name);
    return default_values.flatMap(({ field_name }, index): Issue[] =>
      known.includes(field_name)
        ? []
        : [
            {
              id: "unknown-tool-setting",
              severity: "warning",
              message: `The tool ${tool_name} has no static parameter "${field_name}"${nearest(field_name, known)}.`,
              path: ["prompt_tool_defaults", at, "default_values", index, "field_name"],
              value: field_name,
            },
          ],
    );
  });
}

/** Names of tools that an agent gives values for without having them; they are looked up. */
export function otherToolsOfAgent({ prompt_tool_defaults, tools }: AgentDefaults): string[] {
  const named = new Set(prompt_tool_defaults.map(({ tool_name }) => tool_name));
  return [...named.difference(new Set(tools.map(({ name }) => name)))];
}

/** Warnings for values of tools that do not exist. `known`: the names that were found. */
export function valuesOfUnknownTools(agent: AgentDefaults, known: ReadonlySet<string>): Issue[] {
  const unknown = new Set(otherToolsOfAgent(agent).filter((name) => !known.has(name)));
  const own = agent.tools.map(({ name }) => name);
  return agent.prompt_tool_defaults.flatMap(({ tool_name }, at): Issue[] =>
    unknown.has(tool_name)
      ? [
          {
            id: "unknown-tool-reference",
            severity: "warning",
            message: `There is no tool named "${tool_name}", so nothing reads these values${nearest(tool_name, own)}.`,
            path: ["prompt_tool_defaults", at, "tool_name"],
            value: tool_name,
          },
        ]
      : [],
  );
}
