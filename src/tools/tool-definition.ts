import { z } from "zod";
import { anyJson, boundedList, requiredJson } from "../api/schema.ts";
import { withEarlierSpelling } from "./earlier-spelling.ts";
import { kept } from "./kept-object.ts";
import { McpCall } from "./mcp/mcp-pin.ts";
import { ResponseDisplayConfig } from "./response-display.ts";
import { Task } from "./task-definition.ts";

/*
 * What a tool is: how the model sees it (`tool.function`), and what happens when it is called. Unknown fields are kept and
 * warned of in what only we read, and dropped elsewhere; the defaults of the public API are filled in, and earlier spellings are answered in the present ones;
 * otherwise a definition comes back as it was sent. What a shape can't say is in `issues/tool-issues.ts`.
 */

const InternalTool = z
  .object({
    type: z.literal("function").default("function"),
    function: z
      .object({
        name: z.string(),
        description: z.string(),
        parameters: requiredJson().describe("The JSON Schema of the arguments."),
      })
      .meta({ id: "ToolFunction" }),
  })
  .meta({ id: "InternalTool" });

const ToolHttpEndpoint = withEarlierSpelling(
  z.object({
    url: z.string(),
    method: z.enum(["get", "post", "put", "delete"]),
    argument_location: z.enum(["body", "form", "path", "query"]),
    timeout: z.number().min(1).max(120).nullish().describe("Seconds; 20 when unset."),
  }),
  { argumentLocation: "argument_location" },
).meta({ id: "ToolHttpEndpoint" });

const ToolParameterTransform = z
  .object({
    action: z
      .enum(["default", "override", "remove"])
      .default("default")
      .describe("default sets a missing or empty parameter, override always sets it, remove takes it away."),
    when: z
      .object({ key: z.string(), value: z.string(), operator: z.literal("eq").nullable().default("eq") })
      .meta({ id: "ToolParameterTransformCondition" })
      .nullish(),
    value: anyJson().optional(),
    format: z.string().nullish().describe("A text with parameters and variables in braces."),
  })
  .meta({ id: "ToolParameterTransform" });
type ToolParameterTransform = z.infer<typeof ToolParameterTransform>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object with this single key is a rule; any other value is a plain default. */
const isTransform = (value: unknown): boolean =>
  isRecord(value) && Object.keys(value).length === 1 && "transform" in value;

const ParameterDefault = z.union([
  z.strictObject({ transform: ToolParameterTransform }).meta({ id: "ToolParameterDefault" }),
  anyJson()
    .refine((value) => !isTransform(value), { abort: true })
    .describe("A plain default, for when the model gives nothing."),
]);

/** The public API takes any value here, but only a map has an effect. */
const Defaults = z.union([
  z.record(z.string(), ParameterDefault),
  anyJson()
    .refine((value) => !isRecord(value), { abort: true })
    .describe("Kept without effect."),
]);

/** One data source was once written without its list. */
const oneNameAsList = (value: unknown): unknown =>
  isRecord(value) && value.type === "data_source_list" && typeof value.default === "string"
    ? { ...value, default: [value.default] }
    : value;

export const StaticToolParameter = z
  .preprocess(
    oneNameAsList,
    z.object({
      name: z.string(),
      description: z.string().nullish(),
      required: z.boolean(),
      type: z.enum(["string", "int", "boolean", "data_source_list"]),
      default: anyJson().optional(),
    }),
  )
  .meta({ id: "StaticToolParameter" });
export type StaticToolParameter = z.infer<typeof StaticToolParameter>;

/** So long may a visitor's page take, unless its tool says otherwise. */
export const CLIENT_TIMEOUT_S = 20;

const ClientRun = z
  .object({
    timeout: z.number().min(1).max(120).nullish().describe(`Seconds; ${CLIENT_TIMEOUT_S} when unset.`),
  })
  .meta({ id: "ToolClientRun" });

const ToolType = z.enum(["action", "endpoint", "context", "log", "mcp", "client"]).meta({ id: "ToolType" });
export type ToolType = z.infer<typeof ToolType>;

export const ToolDefinition = kept({
  type: ToolType.nullish().describe("What happens on a call; inferred at run time when null."),
  tool: InternalTool,
  endpoint: ToolHttpEndpoint.nullish(),
  mcp: McpCall.nullish().describe("The tool of the MCP server."),
  client: ClientRun.nullish().describe("How the visitor's page is asked to run it."),
  context: z
    .object({ task: z.union([Task, boundedList(Task)]).nullish() })
    .meta({ id: "Context" })
    .nullish(),
  defaults: Defaults.optional(),
  static_parameters: boundedList(StaticToolParameter).nullish(),
  result: anyJson().optional(),
  options: kept({ propagate_tool_result: z.boolean().default(false) })
    .meta({ id: "ToolOptions" })
    .nullish(),
  response_display: ResponseDisplayConfig.nullish(),
  requires_verified: z.boolean().nullish().describe("Refused while the person is not verified."),
  confirm: z
    .boolean()
    .nullish()
    .describe("Made only after the engine has read the call back and the person said yes to it."),
  read_back: z
    .string()
    .max(1_000)
    .nullish()
    .describe("Asked before such a call, word for word; a template in which its arguments are variables."),
  max_calls_per_session: z
    .int()
    .min(1)
    .max(1_000)
    .nullish()
    .describe("Further calls in a session are refused; null: the organization's limit."),
}).meta({ id: "ToolDefinition" });
export type ToolDefinition = z.infer<typeof ToolDefinition>;

/** What a call does: as written, else told by what the definition has. */
export function toolType(definition: ToolDefinition): ToolType {
  if (definition.type) return definition.type;
  if (definition.context) return "context";
  if (definition.mcp) return "mcp";
  if (definition.client) return "client";
  return definition.endpoint ? "endpoint" : "action";
}

const OUTSIDE: ReadonlySet<ToolType> = new Set(["endpoint", "mcp", "client"]);

/** Whether a call leaves the program: what a test must not do, and what a recording answers for. */
export const callsService = (definition: ToolDefinition): boolean => OUTSIDE.has(toolType(definition));

/** A context tool's tasks, each with its place in the definition; the public API takes one task or a list. */
export function tasksOf(definition: ToolDefinition): { task: Task; path: (string | number)[] }[] {
  const task = definition.context?.task;
  if (task == null) return [];
  const path = ["context", "task"];
  return Array.isArray(task)
    ? task.map((one, index) => ({ task: one, path: [...path, index] }))
    : [{ task, path }];
}

type PlainOrTransform =
  | { kind: "plain"; value: unknown }
  | { kind: "transform"; transform: ToolParameterTransform };

/** The rules that fill in or change arguments, in the order in which they apply. */
export function parameterDefaults(definition: ToolDefinition): [name: string, rule: PlainOrTransform][] {
  if (!isRecord(definition.defaults)) return [];
  return Object.entries(definition.defaults).map(([name, value]) =>
    isTransform(value)
      ? [name, { kind: "transform", transform: (value as { transform: ToolParameterTransform }).transform }]
      : [name, { kind: "plain", value }],
  );
}

/** The arguments a model may give. */
function parameterNames(definition: ToolDefinition): string[] {
  const { parameters } = definition.tool.function;
  return isRecord(parameters) && isRecord(parameters.properties) ? Object.keys(parameters.properties) : [];
}

/** Every field a call takes: the model's arguments, then what agents and the tool set beneath them. */
export const toolFields = (definition: ToolDefinition): string[] => [
  ...new Set([
    ...parameterNames(definition),
    ...(definition.static_parameters ?? []).map((parameter) => parameter.name),
  ]),
];
