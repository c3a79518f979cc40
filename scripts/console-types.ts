/**
 * The console's types of the public API, written from openapi.json: every schema under its name, and every operation as
 * `"GET /api/v1/agents/{agent_id}"` with what it takes and answers. The console is a client like any other, so it is
 * typed by what is published, not by what the program has inside.
 */
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

const HEAD = `// Written by \`./parley derive\` from openapi.json; don't edit.\n`;

export function consoleTypes(document: OpenApi): string {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)};\n`,
  );
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        `  ${JSON.stringify(`${method.toUpperCase()} ${path}`)}: ${shape(operation)};\n`,
    ),
  );
  return [HEAD, ...schemas, `export type Operations = {\n${operations.join("")}};\n`].join("\n");
}

function shape(operation: Operation): string {
  const parameters = operation.parameters ?? [];
  const where = (place: string) =>
    object(
      parameters
        .filter((parameter) => parameter.in === place)
        .map(
          (parameter): Field => [
            parameter.name,
            typeOf(parameter.schema ?? {}),
            place !== "path" && parameter.required !== true,
          ],
        ),
    );
  const body = operation.requestBody ? typeOf(schemaOf(operation.requestBody)) : "undefined";
  const success = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"));
  const answer = success?.[1].content ? typeOf(schemaOf(success[1])) : "null";
  return `{ path: ${where("path")}; query: ${where("query")}; body: ${body}; answer: ${answer} }`;
}

const schemaOf = (body: Body): Schema => Object.values(body.content ?? {})[0]?.schema ?? {};

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
