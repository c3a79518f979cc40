import { expandShared } from "../api/openapi/expand-shared.ts";
import { type Effect, OFFERED_OPERATIONS } from "./offered-operations.ts";

/** A JSON Schema or a part of an OpenAPI document. */
// biome-ignore lint/suspicious/noExplicitAny: read by the rules of OpenAPI
type Json = any;

/** An operation of the API as an MCP tool. */
export type OperationTool = {
  name: string;
  /** Of the operation, as the API's map of permissions names it. */
  key: string;
  method: string;
  path: string;
  /** Where each argument goes; an argument `body` is the JSON body. */
  arguments: { name: string; in: "path" | "query" }[];
  takesBody: boolean;
  effect: Effect;
  /** As `tools/list` shows it. */
  shown: Json;
};

/** This schema is as large as all others together, so one tool shows it and the others refer to that. */
const LARGE = "ToolDefinitionInput";
const SHOWN_BY = "create_tool";

/** The offered operations as tools, from the document that the API serves. Pure. */
export function toolDefinitions(document: object): OperationTool[] {
  const { paths, components } = expandShared(document) as Json;
  const found = new Map<string, OperationTool>();
  for (const [path, methods] of Object.entries<Json>(paths))
    for (const [method, operation] of Object.entries<Json>(methods)) {
      const effect = OFFERED_OPERATIONS[operation.operationId];
      if (effect !== undefined)
        found.set(operation.operationId, toolOf({ method, path, operation, effect }, components.schemas));
    }
  return Object.keys(OFFERED_OPERATIONS).map((name) => {
    const tool = found.get(name);
    if (!tool) throw new Error(`There is no operation ${name} to offer as an MCP tool.`);
    return tool;
  });
}

type Documented = { method: string; path: string; operation: Json; effect: Effect };

function toolOf({ method, path, operation, effect }: Documented, schemas: Json): OperationTool {
  const name: string = operation.operationId;
  const parameters: Json[] = operation.parameters ?? [];
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  const properties = Object.fromEntries(
    parameters.map((parameter) => [parameter.name, { ...parameter.schema, ...described(parameter) }]),
  );
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const inputSchema = {
    type: "object",
    properties: { ...properties, ...(body && { body }) },
    required: [...required, ...(body ? ["body"] : [])],
    additionalProperties: false,
  };
  return {
    name,
    key: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    arguments: parameters.map((parameter) => ({ name: parameter.name, in: parameter.in })),
    takesBody: body !== undefined,
    effect,
    shown: {
      name,
      title: operation.summary,
      description: [operation.summary, operation.description].filter(Boolean).join(". "),
      inputSchema: withDefinitions(inputSchema, schemas, name === SHOWN_BY),
      annotations: hintsOf(effect, operation.summary),
    },
  };
}

const described = ({ description }: Json): object => (description ? { description } : {});

const hintsOf = (effect: Effect, title: string) => ({
  title,
  readOnlyHint: effect === "reads",
  ...(effect !== "reads" && {
    destructiveHint: effect === "replaces" || effect === "removes",
    idempotentHint: effect === "replaces" || effect === "removes",
  }),
  openWorldHint: effect === "runs",
});

const REF = "#/components/schemas/";

/** The schemas that it refers to stand beside it, since a tool's schema is read by itself. */
function withDefinitions(schema: Json, schemas: Json, showsLarge: boolean): Json {
  const used = new Map<string, Json>();
  const rewrite = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(rewrite);
    if (value === null || typeof value !== "object") return value;
    if (typeof value.$ref === "string" && value.$ref.startsWith(REF)) {
      const name = value.$ref.slice(REF.length);
      if (!showsLarge && (name === LARGE || `${name}Input` === LARGE)) return REFERRED;
      if (!used.has(name)) {
        used.set(name, null);
        used.set(name, rewrite(schemas[name]));
      }
      return { ...value, $ref: `#/$defs/${name}` };
    }
    return Object.fromEntries(
      Object.entries(value)
        // The bound that every text of the API has.
        .filter(([key, bound]) => !(key === "maxLength" && bound === LONGEST_TEXT))
        .map(([key, inner]) => [key, rewrite(inner)]),
    );
  };
  const written = rewrite(schema);
  return used.size > 0 ? { ...written, $defs: Object.fromEntries(used) } : written;
}

const LONGEST_TEXT = 16_000;
const REFERRED = { type: "object", description: `A tool's definition, as ${SHOWN_BY} takes it.` };
