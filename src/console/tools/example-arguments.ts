import type { ToolDefinition } from "../api-types.ts";

type Schema = { type?: string; enum?: unknown[]; examples?: unknown[]; format?: string; default?: unknown };

/** Example arguments: each required one with a value of its type. */
export function exampleArguments(definition: ToolDefinition): Record<string, unknown> {
  const parameters = definition.tool.function.parameters as {
    properties?: Record<string, Schema>;
    required?: string[];
  } | null;
  const properties = parameters?.properties ?? {};
  return Object.fromEntries(
    (parameters?.required ?? [])
      .filter((name) => Object.hasOwn(properties, name))
      .map((name) => [name, exampleOf(properties[name] as Schema)]),
  );
}

export function exampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.enum?.length) return schema.enum[0];
  switch (schema.type) {
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return schema.format === "date" ? new Date().toISOString().slice(0, 10) : "";
  }
}
