import type { z } from "zod";
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
  if (!read.success) return errorsAt(errorsOfParts(given.definition, read.error), PLACE);
  if (read.data.mcp) return [];
  const isNamed = typeof given.name === "string" && /^\S+$/.test(given.name);
  const own = read.data.tool.function.name;
  const errors = errorsAt(definitionIssues(isNamed ? String(given.name) : own, read.data), PLACE);
  return isNamed ? errors : errors.filter(({ type }) => type !== "invalid-tool-name");
}

const PLACE = ["body", "definition"];

/** Whose rules look at nothing but the part itself, apart from those of `ACROSS`. */
const PARTS = ["tool", "static_parameters", "context"];
const ACROSS = ["function-name-mismatch", "invalid-tool-name"];

/** Errors of the parts that can be read of a definition of which others can't. */
function errorsOfParts(definition: unknown, { issues }: z.ZodError): Issue[] {
  if (!isRecord(definition)) return [];
  const broken = new Set(issues.map(({ path }) => path[0]));
  const whole = PARTS.filter((part) => !broken.has(part) && part in definition);
  const tool = { function: { name: "unread", description: "", parameters: {} } };
  const read = ToolDefinition.safeParse({
    tool,
    ...Object.fromEntries(whole.map((part) => [part, definition[part]])),
  });
  if (!read.success) return [];
  return definitionIssues(read.data.tool.function.name, read.data).filter(
    ({ id, path }) => whole.includes(String(path[0])) && !ACROSS.includes(id),
  );
}
