import { z } from "zod";
import { isRecord } from "../expressions/member.ts";
import type { ImportTools } from "./import-draft.ts";
import type { FieldPath } from "./report.ts";
import type { FixedArgument } from "./toolbox.ts";
import { transferLine } from "./transfers.ts";

const text = () => z.string().nullish();

export const VapiServer = z.looseObject({
  url: text(),
  secret: text(),
  headers: z.record(z.string(), z.unknown()).nullish(),
  timeoutSeconds: z.number().nullish(),
});
/** What answers calls of function tools, and where in the file it stands; a place of no name is the older spelling. */
export type CalledServer = { server: z.infer<typeof VapiServer>; root: FieldPath };

export const VapiTool = z.looseObject({
  type: z.string(),
  name: text(),
  description: text(),
  function: z
    .looseObject({ name: text(), description: text(), parameters: z.unknown().optional() })
    .nullish(),
  server: VapiServer.nullish(),
  url: text(),
  method: text(),
  body: z.unknown().optional(),
  headers: z.unknown().optional(),
  timeoutSeconds: z.number().nullish(),
  destinations: z.array(z.looseObject({ type: text(), number: text(), description: text() })).nullish(),
});
type VapiTool = z.infer<typeof VapiTool>;

type Around = { server: CalledServer | null; prompt: string[] };

/** Tools of Vapi that one of the program's own does as well. */
const BUILT_IN: Record<string, string> = {
  endCall: "hangup",
  dtmf: "send_dtmf",
  voicemail: "leave_voicemail",
};

export function vapiTool(tool: VapiTool, root: FieldPath, around: Around, tools: ImportTools): void {
  const builtIn = Object.hasOwn(BUILT_IN, tool.type) ? BUILT_IN[tool.type] : undefined;
  if (builtIn !== undefined) {
    tools.toolbox.builtIn(builtIn, [...root, "type"], `The built-in tool ${builtIn}.`);
    return;
  }
  switch (tool.type) {
    case "transferCall":
      transfers(tool, root, around, tools);
      return;
    case "function":
      functionTool(tool, root, around, tools);
      return;
    case "apiRequest":
      apiRequest(tool, root, tools);
      return;
    default:
      tools.note(root, "no equivalent", "Parley has no tool of this type; it is left out.");
  }
}

function transfers(tool: VapiTool, root: FieldPath, { prompt }: Around, tools: ImportTools): void {
  tools.toolbox.builtIn("transfer", [...root, "type"], "The built-in tool transfer.");
  for (const [index, destination] of (tool.destinations ?? []).entries()) {
    const path = [...root, "destinations", index];
    if (destination.type !== undefined && destination.number)
      tools.note([...path, "type"], "mapped", "A destination that is a number.");
    prompt.push(
      transferLine(tools, {
        to: destination.number ?? null,
        when: destination.description ?? null,
        path: destination.number ? [...path, "number"] : path,
        when_path: [...path, "description"],
      }),
    );
  }
}

function functionTool(tool: VapiTool, root: FieldPath, { server: shared }: Around, tools: ImportTools): void {
  const own = tool.server?.url ? { server: tool.server, root: [...root, "server"] } : null;
  const called = own ?? shared;
  const isLegacy = called?.root.length === 0;
  const place = (field: string): FieldPath => [...(called?.root ?? root), field];
  const made = tools.toolbox.endpoint({
    root,
    name: tool.function?.name ?? "",
    description: tool.function?.description ?? "",
    url: called?.server.url ?? null,
    method: "POST",
    location: "body",
    parameters: tool.function?.parameters,
    fixed: [],
    headers: called?.server.headers ?? {},
    secrets: called?.server.secret
      ? [{ header: "X-Vapi-Secret", path: place(isLegacy ? "serverUrlSecret" : "secret") }]
      : [],
    timeout_s: called?.server.timeoutSeconds ?? null,
    paths: {
      name: [...root, "function", "name"],
      description: [...root, "function", "description"],
      parameters: [...root, "function", "parameters"],
      // Vapi always posts.
      method: [...root, "method"],
      url: place(isLegacy ? "serverUrl" : "url"),
      headers: place("headers"),
      timeout: place("timeoutSeconds"),
    },
  });
  if (made === null) return;
  tools.note(
    [...root, "type"],
    "approximated",
    "An endpoint tool. Vapi sends the arguments inside a message of its own and reads results[]; Parley posts the arguments as JSON and reads the answer as it is: the service has to take that.",
  );
}

function apiRequest(tool: VapiTool, root: FieldPath, tools: ImportTools): void {
  const method = tool.method ?? "GET";
  const fixed: FixedArgument[] = [];
  if (isRecord(tool.body) && isRecord(tool.body.properties))
    for (const [name, schema] of Object.entries(tool.body.properties))
      if (isRecord(schema) && schema.value !== undefined)
        fixed.push({
          name,
          value: schema.value,
          path: [...root, "body", "properties", name, "value"],
        });
  const made = tools.toolbox.endpoint({
    root,
    name: tool.name ?? "",
    description: tool.description ?? "",
    url: tool.url ?? null,
    method,
    location: /^(get|delete)$/i.test(method) ? "query" : "body",
    parameters: tool.body,
    fixed,
    // Given as the schema of an object whose properties have values.
    headers: isRecord(tool.headers) && isRecord(tool.headers.properties) ? tool.headers.properties : {},
    timeout_s: tool.timeoutSeconds ?? null,
    paths: {
      name: [...root, "name"],
      description: [...root, "description"],
      parameters: [...root, "body"],
      method: [...root, "method"],
      url: [...root, "url"],
      headers: [...root, "headers", "properties"],
      timeout: [...root, "timeoutSeconds"],
    },
  });
  if (made === null) return;
  tools.note([...root, "type"], "mapped", "An endpoint tool.");
  if (isRecord(tool.headers)) tools.note([...root, "headers"], "mapped", "Each header is told by itself.");
}
