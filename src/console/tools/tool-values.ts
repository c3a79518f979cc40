import type { ToolDefinition, ToolResponse, ToolUpdateRequest } from "../api-types.ts";

export type ToolValues = {
  name: string;
  service_id: number;
  definition: ToolDefinition;
  last_updated_comments: string;
};

export const NEW_TOOL: ToolValues = {
  name: "",
  service_id: 0,
  definition: {
    type: "endpoint",
    tool: {
      type: "function",
      function: { name: "", description: "", parameters: { type: "object", properties: {}, required: [] } },
    },
    endpoint: { url: "https://", method: "post", argument_location: "body", timeout: 20 },
  },
  last_updated_comments: "",
};

export function toolValues(tool: ToolResponse | null): ToolValues {
  if (!tool) return NEW_TOOL;
  const { name, service_id, definition } = tool;
  return { name, service_id, definition, last_updated_comments: "" };
}

export const toolBody = ({
  last_updated_comments,
  ...values
}: ToolValues): Omit<ToolUpdateRequest, "id"> => ({
  ...values,
  definition: values.definition as ToolUpdateRequest["definition"],
  ...(last_updated_comments && { last_updated_comments }),
});
