import type { Issue } from "../../schemas/validation-issue.ts";
import type { ToolDefinition } from "../tool-definition.ts";

/** Cards are made of a result that the caller's side gets, which it does not by default. Pure. */
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
