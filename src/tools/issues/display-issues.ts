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

/** Cards are made in one way so far, whichever version a configuration says. */
const VERSION = 1;

export function unknownDisplayVersion({ response_display }: ToolDefinition): Issue[] {
  if (!response_display || response_display.version === VERSION) return [];
  return [
    {
      id: "unknown-display-version",
      severity: "warning",
      message: `Version ${response_display.version} of response_display is not known: cards are made as in version ${VERSION}. Set version to ${VERSION}.`,
      path: ["response_display", "version"],
      value: response_display.version,
    },
  ];
}
