import type { Issue } from "../../schemas/validation-issue.ts";
import type { ToolDefinition } from "../tool-definition.ts";

/** Cards are made from the result that is passed on to the visitor's page, which is off by default. Pure. */
export function cardsNotShown({ response_display, options }: ToolDefinition): Issue[] {
  if (!response_display || options?.propagate_tool_result) return [];
  return [
    {
      id: "cards-not-shown",
      severity: "warning",
      message: "No cards are shown: set options.propagate_tool_result to true.",
      path: ["response_display"],
      value: response_display.type,
    },
  ];
}
