import type { SnapshotTool } from "../agents/snapshot.ts";
import { unreachable } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import { jsonExcess } from "../base/json-size.ts";
import { parseJson } from "../base/parse-json.ts";
import { headerLine } from "../egress/outgoing-headers.ts";
import type { TraceEntry } from "../events/trace.ts";
import { isRecord } from "../expressions/member.ts";
import { renderTemplate } from "../expressions/template.ts";
import { sendable } from "../tools/coerce-arguments.ts";
import type { McpExchanged, McpPeer } from "../tools/mcp/mcp-client.ts";
import { pinState } from "../tools/mcp/mcp-pin.ts";
import { MOST_ANSWERED } from "../tools/mcp/mcp-wire.ts";
import { cut, hostOf, MAX_RESULT_CHARACTERS, withoutValues } from "./call-endpoint.ts";
import { secretsOf, withoutSecrets } from "./hidden-credentials.ts";
import { type ToolExchange, toolExchange } from "./tool-exchange.ts";
import { failed, type ToolContext, type ToolOutcome, type ToolParts } from "./tool-outcome.ts";

const DEFAULT_TIMEOUT_S = 20;

/** One call of a tool of an MCP server, which is only made while its schema is the one that was accepted. */
export async function callMcp(
  parts: ToolParts,
  context: ToolContext,
  tool: SnapshotTool,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  const pin = tool.definition.mcp;
  if (!pin) return failed(`The tool ${tool.name} has no MCP tool to call.`, values);
  const service = await parts.db
    .selectFrom("services")
    .select("mcp_url")
    .where("id", "=", tool.service_id)
    .where("sub_organization_id", "=", context.sub_organization_id)
    .executeTakeFirst();
  const url = service?.mcp_url;
  if (!url) return failed(`The service of the tool ${tool.name} is no MCP server.`, values);

  const trace: TraceEntry[] = [];
  const exchanges: ToolExchange[] = [];
  let proof: Record<string, string> = {};
  const headers = Object.entries(context.snapshot.agent.tool_headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    headerLine(renderTemplate(value, context.lookup)),
  ]);
  const peer: McpPeer = {
    service_id: tool.service_id,
    url,
    headers: Object.fromEntries(headers),
    conversation: context.session_id === undefined ? randomId() : `session ${context.session_id}`,
    // The tool's timeout is for the list and the call together.
    began_ms: performance.now(),
    timeout_ms: (pin.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
    signal: context.signal,
    onExchange(exchanged) {
      proof = { ...proof, ...exchanged.proof };
      exchanges.push(exchangeOf(exchanged, parts.clock.now()));
      trace.push(traceOf(exchanged, parts.clock.now()));
    },
  };
  const sent = (): Pick<ToolOutcome, "wire"> => {
    const last = exchanges.at(-1);
    return last
      ? { wire: { method: last.method, url: last.url, headers: last.headers, body: last.body } }
      : {};
  };
  const problem = (told: string): ToolOutcome => {
    const message = withoutSecrets(told, secretsOf(proof));
    return {
      prepared: values,
      request,
      ...sent(),
      exchanges,
      result: { error: { message } },
      error: message,
      effects: {},
      trace,
    };
  };
  const request = { mcp_tool: pin.tool, url, arguments: values };

  // The list is asked for without the agent's headers: it is the same for every conversation.
  const listing = await parts.mcp.listings.current({ ...peer, headers: {}, conversation: "list" });
  if (listing.problem !== null) return problem(listing.problem);
  const listed = listing.tools?.find(({ name }) => name === pin.tool);
  const state = pinState(pin, listed);
  const refusal = pinRefusal(pin.tool, state);
  if (refusal !== null) return problem(refusal);
  if (state === "description-changed")
    trace.push({ category: "note", label: `the MCP server changed the description of ${pin.tool}` });

  const schema = tool.definition.tool.function.parameters;
  const called = await parts.mcp.client.callTool(peer, {
    name: pin.tool,
    arguments: sendable(schema, values),
    schema: listed?.input_schema ?? schema,
  });
  if (!called.ok) return problem(called.problem);
  return {
    prepared: values,
    request,
    ...sent(),
    exchanges,
    ...withoutSecrets(read(called.result), secretsOf(proof)),
    effects: {},
    trace,
  };
}

/** Why the server's tool is not called, in a sentence; null: it is still what was accepted. Pure. */
function pinRefusal(tool: string, state: ReturnType<typeof pinState>): string | null {
  switch (state) {
    case "gone":
      return `The MCP server no longer offers the tool "${tool}". Nothing was called.`;
    case "schema-changed":
      return `The MCP server changed the arguments of "${tool}", and nobody has accepted the change yet. Nothing was called.`;
    case "description-changed":
    case "same":
      return null;
    default:
      return unreachable(state);
  }
}

const exchangeOf = ({ url, headers, body, proof, outcome, duration_ms }: McpExchanged, now: Date) =>
  toolExchange({ method: "POST", url, headers: { ...headers, ...withoutValues(proof) }, body }, outcome, {
    started: new Date(now.getTime() - duration_ms),
    duration_ms,
    proof,
  });

function traceOf({ url, body, outcome, duration_ms }: McpExchanged, now: Date): TraceEntry {
  return {
    category: "http",
    label: `${/"method":"([^"]+)"/.exec(body)?.[1] ?? "POST"} ${hostOf(url)}`,
    started: new Date(now.getTime() - duration_ms),
    duration_ms,
    details: { outcome: outcome.kind, ...("status" in outcome && { status: outcome.status }) },
  };
}

type ReadResult = Pick<ToolOutcome, "result" | "error" | "whole">;

/** What the model reads of a result: its data where the server gives any, else its texts. Pure. */
function read({ content, structuredContent, isError }: Record<string, unknown>): ReadResult {
  const text = (Array.isArray(content) ? content : []).map(partText).join("\n");
  if (isError === true) {
    const words = cut(text || "no reason given");
    return {
      result: { error: { message: words } },
      error: `The tool answered with an error: ${words.slice(0, 500)}`,
    };
  }
  const value = isRecord(structuredContent) ? structuredContent : jsonOf(text);
  const printed = typeof value === "string" ? value : JSON.stringify(value);
  return printed.length > MAX_RESULT_CHARACTERS
    ? { result: cut(printed), error: null, whole: value }
    : { result: value, error: null };
}

/** Pictures and sounds are named and left out: the model of a conversation reads words. */
function partText(part: unknown): string {
  if (!isRecord(part)) return "";
  if (part.type === "text" && typeof part.text === "string") return part.text;
  if (part.type === "resource" && isRecord(part.resource) && typeof part.resource.text === "string")
    return part.resource.text;
  if (part.type === "resource_link" && typeof part.uri === "string") return part.uri;
  return `[${typeof part.type === "string" ? part.type.slice(0, 40) : "something"}, not shown]`;
}

/** A text that is too large for JSON to be read from it stays a text. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || jsonExcess(text, MOST_ANSWERED)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
