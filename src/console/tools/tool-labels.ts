import { type FieldLabels, labelsBelow } from "../server/field-labels.ts";

/** How the form calls the fields of a tool's definition. */
export const DEFINITION_LABELS: FieldLabels = {
  "tool.function.name": "Name",
  "tool.function.description": "Description",
  "tool.function.parameters": "Arguments",
  type: "Type",
  "context.task": "Workflow",
  endpoint: "Request",
  "endpoint.url": "URL",
  "endpoint.method": "Method",
  "endpoint.argument_location": "Send arguments as",
  "endpoint.timeout": "Timeout (s)",
  confirm: "Confirm before each call",
  read_back: "Read-back",
  max_calls_per_session: "Calls per session",
};

export const TOOL_LABELS: FieldLabels = {
  ...labelsBelow("definition", DEFINITION_LABELS),
  last_updated_comments: "Version note",
};
