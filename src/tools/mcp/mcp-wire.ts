import { createParser } from "eventsource-parser";
import { jsonExcess } from "../../base/json-size.ts";
import { DEEPEST_ANSWER } from "../../base/nesting.ts";
import { parseJson } from "../../base/parse-json.ts";
import type { EgressOutcome } from "../../egress/egress.ts";
import { isRecord } from "../../expressions/member.ts";

/*
 * One message of the Model Context Protocol over streamable HTTP, and what came back. By hand, over our own egress: the
 * official client is 7.3 MB (1.3 MB as it is installed for running), brings its own fetch and follows redirects.
 */

/** The revision without a handshake, where each request says what it is. */
export const STATELESS_REVISION = "2026-07-28";
/** The newest with a handshake, which is what we ask for, and those that a server may answer with. */
export const HANDSHAKE_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export type McpMessage = { method: string; params?: Record<string, unknown> };

/** How a server was found to speak. */
export type McpConnection = { revision: string; session: string | null };

const CLIENT = { name: "parley", version: "1" };

/** Body and headers of one request; `id` is left out of a notification. Pure. */
export function mcpRequest(
  { method, params = {} }: McpMessage,
  connection: McpConnection | null,
  id: number | null,
): { headers: Record<string, string>; body: string } {
  const isStateless = connection?.revision === STATELESS_REVISION;
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": STATELESS_REVISION,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const sent = isStateless ? { ...params, _meta: envelope } : params;
  const hasParams = Object.keys(sent).length > 0;
  return {
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(connection && { "mcp-protocol-version": connection.revision }),
      ...(connection?.session && { "mcp-session-id": connection.session }),
      ...(isStateless && { "mcp-method": method }),
      ...(isStateless && typeof params.name === "string" && { "mcp-name": headerValue(params.name) }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      ...(id !== null && { id }),
      method,
      ...(hasParams && { params: sent }),
    }),
  };
}

export const initializeMessage: McpMessage = {
  method: "initialize",
  params: { protocolVersion: HANDSHAKE_REVISIONS[0], capabilities: {}, clientInfo: CLIENT },
};

/** A text that a header can't carry as it is goes in base64, as the revision of 2026-07-28 spells it. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

/** Arguments that the schema wants repeated as headers (`x-mcp-header`), so that proxies can read them. Pure. */
export function parameterHeaders(schema: unknown, values: unknown): Record<string, string> {
  if (!isRecord(schema) || !isRecord(schema.properties) || !isRecord(values)) return {};
  const headers = Object.entries(schema.properties).flatMap(([name, property]) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (!isRecord(property) || value === undefined || value === null) return [];
    const inner = Object.entries(parameterHeaders(property, value));
    const header = property["x-mcp-header"];
    const isPlain = typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);
    const isNamed = typeof header === "string" && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(header);
    return isNamed && isPlain
      ? [...inner, [`mcp-param-${header.toLowerCase()}`, headerValue(String(value))] as const]
      : inner;
  });
  return Object.fromEntries(headers);
}

export type McpAnswered =
  | { kind: "result"; result: Record<string, unknown>; session: string | null }
  /** The server's own refusal, in the protocol's words. */
  | { kind: "error"; code: number; message: string; status: number }
  | { kind: "http"; status: number }
  | { kind: "problem"; problem: string };

export const MAX_ANSWER_BYTES = 1024 * 1024;
/** Parsing more would keep the process from everything else for more than 100 ms. */
export const MOST_ANSWERED = { levels: DEEPEST_ANSWER, values: 200_000, names: 10_000 };

const problem = (text: string): McpAnswered => ({ kind: "problem", problem: text });
const NO_MESSAGE = "The MCP server's answer is no message of the Model Context Protocol.";

/** What an exchange came to. Pure. */
export function readAnswer(outcome: EgressOutcome, id: number): McpAnswered {
  switch (outcome.kind) {
    case "redirect":
      return problem(`The MCP server answered with a redirect (${outcome.status}), which is not followed.`);
    case "refused":
      return problem(`The call was refused: ${outcome.reason}`);
    case "timeout":
      return problem(`The MCP server did not answer within ${Math.round(outcome.after_ms / 100) / 10} s.`);
    case "failed":
      return problem(`The MCP server could not be reached: ${outcome.reason}`);
    case "response":
      return readResponse(outcome, id);
  }
}

function readResponse(outcome: Extract<EgressOutcome, { kind: "response" }>, id: number): McpAnswered {
  const { status, headers, body, truncated } = outcome;
  if (truncated)
    return problem(
      `The MCP server's answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB and was not read.`,
    );
  const text = body.toString("utf8").replaceAll("\0", "");
  const isOk = status >= 200 && status < 300;
  for (const each of isStream(headers) ? eventsOf(text) : [text]) {
    if (jsonExcess(each, MOST_ANSWERED))
      return problem("The MCP server's answer is nested too deeply or holds too many values.");
    const message = answerIn(each, id);
    if (isRecord(message?.error)) {
      const { code, message: words } = message.error;
      return {
        kind: "error",
        code: typeof code === "number" ? code : 0,
        message: typeof words === "string" ? words.slice(0, 500) : "no reason given",
        status,
      };
    }
    if (isOk && isRecord(message?.result))
      return { kind: "result", result: message.result, session: headers["mcp-session-id"] ?? null };
  }
  return isOk ? problem(NO_MESSAGE) : { kind: "http", status };
}

const isStream = (headers: Record<string, string>): boolean =>
  (headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");

/** The message, where it is the answer: what is wrong with a request that could not be read names no number. */
function answerIn(text: string, id: number): Record<string, unknown> | null {
  const message = parsed(text);
  if (!isRecord(message) || message.jsonrpc !== "2.0") return null;
  if (isRecord(message.error)) return message.id === id || message.id == null ? message : null;
  return message.id === id && isRecord(message.result) ? message : null;
}

/** A server should end its stream behind the answer, and need not. */
export function answerHasCome(headers: Record<string, string>, id: number): (piece: Buffer) => boolean {
  if (!isStream(headers)) return () => false;
  const decoder = new TextDecoder();
  let hasCome = false;
  const parser = createParser({
    onEvent({ data }) {
      // One that is too large is refused, whatever follows it.
      hasCome ||= jsonExcess(data, MOST_ANSWERED) !== null || answerIn(data, id) !== null;
    },
  });
  return (piece) => {
    parser.feed(decoder.decode(piece, { stream: true }));
    return hasCome;
  };
}

function eventsOf(text: string): string[] {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  parser.feed(`${text}\n\n`);
  return events;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
