import type { FieldLabels } from "../server/field-labels.ts";

/** What the form calls the places of a definition. */
export const DEFINITION_LABELS: FieldLabels = {
  "tool.function.name": "Name",
  "tool.function.description": "Description",
  "tool.function.parameters": "Arguments",
  "endpoint.url": "URL",
  "endpoint.argument_location": "Send arguments as",
  "context.task": "Workflow",
};
