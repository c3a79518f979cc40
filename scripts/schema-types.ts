/** Types of TypeScript, written from the schemas of openapi.json. */
type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  prefixItems?: Schema[];
  additionalProperties?: boolean | Schema;
};
export type Body = { required?: boolean; content?: Record<string, { schema?: Schema }> };
export type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
export type Operation = {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses?: Record<string, Body>;
};
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

export function typeOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.split("/").at(-1) as string;
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if ("const" in schema) return JSON.stringify(schema.const);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return union(variants.map(typeOf));
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part)})`).join(" & ");
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })));
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
      return `(${typeOf(schema.items ?? {})})[]`;
    case "object":
      return objectOf(schema);
    default:
      return schema.properties ? objectOf(schema) : "unknown";
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown";
    return `Record<string, ${value}>`;
  }
  const fields = Object.entries(properties).map(
    ([name, schema]): Field => [name, typeOf(schema), !required.includes(name)],
  );
  return object(fields);
}

export type Field = [name: string, type: string, optional: boolean];

export function object(fields: Field[]): string {
  if (fields.length === 0) return "Record<never, never>";
  const lines = fields.map(
    ([name, type, optional]) =>
      `${JSON.stringify(name)}${optional ? "?" : ""}: ${type}${optional ? " | undefined" : ""}`,
  );
  return `{ ${lines.join("; ")} }`;
}

const union = (types: string[]): string => [...new Set(types)].join(" | ") || "never";
