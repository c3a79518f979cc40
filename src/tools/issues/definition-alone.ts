import type { InputIssue } from "../../base/errors.ts";
import { isRecord } from "../../expressions/member.ts";
import { errorsAt, type Issue } from "../../schemas/validation-issue.ts";
import { ToolDefinition } from "../tool-definition.ts";
import { sourcesOfTool } from "./source-issues.ts";
import { mentionedNames, toolIssues } from "./tool-issues.ts";

/** What a definition shows by itself: what it mentions, such as data sources and other tools, is taken to be there. */
export const definitionIssues = (name: string, definition: ToolDefinition): Issue[] =>
  toolIssues(definition, {
    name,
    is_system: false,
    callable: new Set(mentionedNames(definition).called),
    taken: new Set(),
    sources: new Set(sourcesOfTool(definition)),
  });

/**
 * Errors of the definition in a body of a tool that is wrong beside it: in its name, or without its service. Those of an
 * MCP tool need the service, and whether the function has the tool's name is told once that is a name.
 */
export function definitionErrors(given: unknown): InputIssue[] {
  if (!isRecord(given)) return [];
  const read = ToolDefinition.safeParse(given.definition);
  if (!read.success || read.data.mcp) return [];
  const isNamed = typeof given.name === "string" && /^\S+$/.test(given.name);
  const own = read.data.tool.function.name;
  const errors = errorsAt(definitionIssues(isNamed ? String(given.name) : own, read.data), [
    "body",
    "definition",
  ]);
  return isNamed ? errors : errors.filter(({ type }) => type !== "invalid-tool-name");
}
