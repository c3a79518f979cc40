import { type FieldLabels, labelsBelow, worded } from "../server/field-labels.ts";

export const KINDS = [
  { value: "endpoint", label: "HTTP request" },
  { value: "action", label: "Fixed reply" },
  { value: "context", label: "Workflow or variables" },
  { value: "log", label: "Log event" },
  { value: "client", label: "Runs in the visitor's page" },
];
export const PLACES = [
  { value: "body", label: "JSON body" },
  { value: "form", label: "Form" },
  { value: "query", label: "Query" },
  { value: "path", label: "Path parameters ({name})" },
];

/** How the form calls the fields of a tool's definition. */
export const DEFINITION_LABELS: FieldLabels = {
  "tool.function.name": "Name",
  "tool.function.description": "Description",
  "tool.function.parameters": "Arguments",
  type: worded("Type", KINDS),
  "context.task": "Workflow",
  endpoint: "Request",
  "endpoint.url": "URL",
  "endpoint.method": "Method",
  "endpoint.argument_location": worded("Send arguments as", PLACES),
  "endpoint.timeout": "Timeout (s)",
  confirm: "Confirm before each call",
  read_back: "Read-back",
  max_calls_per_session: "Calls per session",
};

export const TOOL_LABELS: FieldLabels = {
  ...labelsBelow("definition", DEFINITION_LABELS),
  last_updated_comments: "Version note",
};
