import { z } from "zod";
import { isRecord } from "../expressions/member.ts";
import type { ImportTools } from "./import-draft.ts";
import type { FieldPath } from "./report.ts";
import type { FixedArgument } from "./toolbox.ts";
import { transferLine } from "./transfers.ts";

const text = () => z.string().nullish();

export const ElevenLabsTool = z.looseObject({
  type: text(),
  name: text(),
  description: text(),
  response_timeout_secs: z.number().nullish(),
  api_schema: z
    .looseObject({
      url: text(),
      method: text(),
      path_params_schema: z.unknown().optional(),
      query_params_schema: z.unknown().optional(),
      request_body_schema: z.unknown().optional(),
      request_headers: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
  params: z.looseObject({ system_tool_type: text(), transfers: z.array(z.unknown()).nullish() }).nullish(),
});
type ElevenLabsTool = z.infer<typeof ElevenLabsTool>;

const SYSTEM: Record<string, string> = {
  end_call: "hangup",
  transfer_to_number: "transfer",
  play_keypad_touch_tone: "send_dtmf",
  voicemail_detection: "check_voicemail",
  language_detection: "set_current_language",
};

export function elevenLabsTool(
  tool: ElevenLabsTool,
  root: FieldPath,
  prompt: string[],
  tools: ImportTools,
): void {
  if (tool.type === "system") systemTool(tool, tool.name ?? "", root, prompt, tools);
  else if (tool.type === "webhook") webhook(tool, root, tools);
  else tools.note(root, "no equivalent", "Parley has no tool of this type; it is left out.");
}

/** One of the program's own tools in the place of one of theirs; its name, or null. */
export function systemTool(
  tool: ElevenLabsTool,
  name: string,
  root: FieldPath,
  prompt: string[],
  tools: ImportTools,
): string | null {
  const kind = tool.params?.system_tool_type || name;
  const own = Object.hasOwn(SYSTEM, kind) ? SYSTEM[kind] : undefined;
  if (own === undefined) {
    tools.note(root, "no equivalent", "Parley has no built-in tool like it; it is left out.");
    return null;
  }
  tools.toolbox.builtIn(own, [...root, "name"], `The built-in tool ${own}.`);
  if (tool.type) tools.note([...root, "type"], "mapped", "A built-in tool.");
  if (tool.params?.system_tool_type)
    tools.note([...root, "params", "system_tool_type"], "mapped", `The built-in tool ${own}.`);
  if (tool.description) {
    const when = tools.text(tool.description, [...root, "description"], "A line of the prompt.");
    prompt.push(`${own}: ${when}`);
  }
  for (const [index, transfer] of (tool.params?.transfers ?? []).entries()) {
    const path = [...root, "params", "transfers", index];
    const given = isRecord(transfer) ? transfer : {};
    const nested = isRecord(given.transfer_destination) ? given.transfer_destination : null;
    const number = nested ? nested.phone_number : given.phone_number;
    if (nested?.type !== undefined)
      tools.note([...path, "transfer_destination", "type"], "mapped", "What kind of destination it is.");
    prompt.push(
      transferLine(tools, {
        to: typeof number === "string" && number !== "" ? number : null,
        when: typeof given.condition === "string" ? given.condition : null,
        path:
          typeof number !== "string"
            ? path
            : nested
              ? [...path, "transfer_destination", "phone_number"]
              : [...path, "phone_number"],
        when_path: [...path, "condition"],
      }),
    );
  }
  return own;
}

/** Where an argument may stand, and the field of the file that says so. */
const PLACES = ["path_params_schema", "query_params_schema", "request_body_schema"] as const;

function webhook(tool: ElevenLabsTool, root: FieldPath, tools: ImportTools): void {
  const { api_schema: api } = tool;
  const method = api?.method ?? "GET";
  const inQuery = /^(get|delete)$/i.test(method);
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const fixed: FixedArgument[] = [];
  const described: string[] = [];
  for (const place of PLACES) {
    const path = [...root, "api_schema", place];
    const schema = api?.[place];
    const given = propertiesOf(schema);
    for (const [name, inner] of Object.entries(given)) {
      if (!isRecord(inner)) continue;
      const own = fixedValue(name, inner, [...path, "properties", name]);
      if (own) fixed.push(own);
      else {
        properties[name] = argument(inner);
        // What stands in the path has to be there.
        if (place === "path_params_schema" && !required.includes(name)) required.push(name);
      }
    }
    if (isRecord(schema) && Array.isArray(schema.required))
      for (const name of schema.required)
        if (typeof name === "string" && Object.hasOwn(properties, name) && !required.includes(name))
          required.push(name);
    if (isRecord(schema) && typeof schema.description === "string" && schema.description !== "")
      described.push(schema.description);
    if (schema != null) {
      const moved = place === "query_params_schema" && !inQuery;
      tools.note(
        path,
        moved ? "approximated" : "mapped",
        moved ? "Sent in the body, with the other arguments." : "Arguments of the tool.",
      );
    }
  }
  const hasPath = Object.keys(propertiesOf(api?.path_params_schema)).length > 0;
  const made = tools.toolbox.endpoint({
    root,
    name: tool.name ?? "",
    description: [tool.description ?? "", ...described].filter((part) => part !== "").join("\n"),
    url: api?.url ?? null,
    method,
    location: hasPath ? "path" : inQuery ? "query" : "body",
    parameters: { type: "object", properties, required },
    fixed,
    headers: api?.request_headers ?? {},
    timeout_s: tool.response_timeout_secs ?? null,
    paths: {
      name: [...root, "name"],
      description: [...root, "description"],
      // Each of the three places has a note of its own.
      parameters: [...root, "api_schema", "parameters"],
      method: [...root, "api_schema", "method"],
      url: [...root, "api_schema", "url"],
      headers: [...root, "api_schema", "request_headers"],
      timeout: [...root, "response_timeout_secs"],
    },
  });
  if (made !== null) tools.note([...root, "type"], "mapped", "An endpoint tool.");
}

/** Query and path have a map of properties, in older files the map itself. */
function propertiesOf(schema: unknown): Record<string, unknown> {
  if (!isRecord(schema)) return {};
  if (isRecord(schema.properties)) return schema.properties;
  return Object.hasOwn(schema, "type") || Object.hasOwn(schema, "required") ? {} : schema;
}

/** A value that the platform sets itself: a constant, or a variable of the conversation. */
function fixedValue(name: string, schema: Record<string, unknown>, path: FieldPath): FixedArgument | null {
  const { constant_value, dynamic_variable } = schema;
  if (constant_value !== undefined && constant_value !== null && constant_value !== "")
    return { name, value: constant_value, path: [...path, "constant_value"] };
  return typeof dynamic_variable === "string" && dynamic_variable !== ""
    ? { name, value: `{{${dynamic_variable}}}`, path: [...path, "dynamic_variable"] }
    : null;
}

/** JSON Schema without the platform's own keys, which are empty where the model gives the value. */
function argument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(argument);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, inner]) =>
          inner !== null &&
          !["constant_value", "dynamic_variable", "value_type", "is_system_provided"].includes(key) &&
          !(key === "required" && !Array.isArray(inner)) &&
          !(key === "enum" && !Array.isArray(inner)),
      )
      .map(([key, inner]) => [key, argument(inner)]),
  );
}
