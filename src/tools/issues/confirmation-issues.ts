import type { Issue } from "../../schemas/validation-issue.ts";
import { type ToolDefinition, toolFields, toolType } from "../tool-definition.ts";
import { templateIssues } from "./template-issues.ts";

/** A call that the person confirms is read back to them: what the engine asks, and where it asks nothing. */
export function confirmationIssues(definition: ToolDefinition, tasks: number): Issue[] {
  const { confirm, read_back } = definition;
  const hasText = Boolean(read_back?.trim());
  if (!confirm)
    return hasText
      ? [
          {
            id: "read-back-without-confirm",
            severity: "warning",
            message: "Nothing is read back: the tool doesn't need confirmation. Set confirm.",
            path: ["read_back"],
            value: read_back,
          },
        ]
      : [];
  if (tasks > 0)
    return [
      {
        id: "confirm-on-task",
        severity: "error",
        message: "A workflow asks in its steps; set confirm on tools that the model calls itself.",
        path: ["confirm"],
      },
    ];
  if (!hasText)
    return [
      {
        id: "read-back-missing",
        severity: "warning",
        message: `The call is read back in English, with its name and arguments. Write what to ask: "Shall I ${definition.tool.function.name} …?"`,
        path: ["read_back"],
      },
    ];
  return [...templateIssues(read_back ?? "", ["read_back"]), ...argumentsLeftOut(definition)];
}

/** What a person isn't told, they don't confirm: a persuaded model could put anything there. */
function argumentsLeftOut(definition: ToolDefinition): Issue[] {
  const { read_back } = definition;
  if (toolType(definition) === "log") return [];
  const { parameters } = definition.tool.function;
  const { properties } = (parameters ?? {}) as { properties?: unknown };
  const given = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const named = toolFields(definition).filter((field) => given.includes(field));
  const missing = named.filter((field) => !(read_back ?? "").includes(field));
  if (missing.length === 0) return [];
  return [
    {
      id: "read-back-leaves-out",
      severity: "warning",
      message: `The person isn't told ${missing.join(", ")}, and so can't confirm it. Name it as {{ ${missing[0]} }}.`,
      path: ["read_back"],
      value: read_back,
    },
  ];
}
