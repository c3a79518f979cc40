import type { ToolDefinition } from "../api-types.ts";

type Schema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  format?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
};

/** Example arguments: each required one with a value of its type. */
export const exampleArguments = (definition: ToolDefinition): Record<string, unknown> =>
  requiredOf((definition.tool.function.parameters ?? {}) as Schema);

/** A schema may ask for any number of items; an example shows no more than these. */
const MOST_ITEMS = 20;

const requiredOf = ({ properties = {}, required = [] }: Schema): Record<string, unknown> =>
  Object.fromEntries(
    required
      .filter((name) => Object.hasOwn(properties, name))
      .map((name) => [name, exampleOf(properties[name] as Schema)]),
  );

function exampleOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
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
      return Array.from({ length: Math.min(schema.minItems ?? 0, MOST_ITEMS) }, () =>
        exampleOf(schema.items ?? {}),
      );
    case "object":
      return requiredOf(schema);
    default:
      return schema.format === "date" ? new Date().toISOString().slice(0, 10) : "";
  }
}
