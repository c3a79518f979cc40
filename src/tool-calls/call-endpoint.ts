import type { SnapshotTool } from "../agents/snapshot.ts";
import { unreachable } from "../base/errors.ts";
import { type JsonLimits, jsonExcess } from "../base/json-size.ts";
import { DEEPEST_ANSWER } from "../base/nesting.ts";
import { parseJson } from "../base/parse-json.ts";
import { cutTo } from "../base/storable.ts";
import type { EgressOutcome } from "../egress/egress.ts";
import type { TraceEntry } from "../events/trace.ts";
import { sendable } from "../tools/coerce-arguments.ts";
import { answerText } from "./answer-text.ts";
import { climbs, type EndpointRequest, endpointRequest, missingInPath } from "./endpoint-request.ts";
import { HIDDEN, secretsOf, withoutSecrets } from "./hidden-credentials.ts";
import { type ToolExchange, toolExchange } from "./tool-exchange.ts";
import { failed, type ToolContext, type ToolOutcome, type ToolParts } from "./tool-outcome.ts";

const DEFAULT_TIMEOUT_S = 20;
/** How much of a response the model reads; more would crowd out the conversation. */
export const MAX_RESULT_CHARACTERS = 64 * 1024;
/** How much of a response is read at all. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** One HTTP call of an endpoint tool: request, authentication, guarded egress, and the result as the model reads it. */
export async function callEndpoint(
  parts: ToolParts,
  context: ToolContext,
  tool: SnapshotTool,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  const endpoint = tool.definition.endpoint;
  if (!endpoint) return failed(`The tool ${tool.name} has no endpoint to call.`, values);

  const missing = missingInPath(endpoint, values, context.lookup);
  if (missing.length > 0) {
    const which = missing.map((name) => `missing required parameter ${name}`).join("; ");
    return failed(`Invalid arguments: ${which}, which is part of the address.`, values);
  }
  const request = endpointRequest(
    endpoint,
    sendable(tool.definition.tool.function.parameters, values),
    context.snapshot.agent.tool_headers ?? {},
    context.lookup,
  );
  if (climbs(request.url) && !climbs(endpoint.url)) {
    return failed('A value in the address of the tool is "." or "..", which would lead elsewhere.', values);
  }
  const timeout_ms = (endpoint.timeout ?? DEFAULT_TIMEOUT_S) * 1000;
  const trace: TraceEntry[] = [];
  const exchanges: ToolExchange[] = [];
  let proof: Record<string, string> = {};

  const send = async (): Promise<EgressOutcome | { kind: "no-auth"; reason: string }> => {
    const auth = await parts.auth.headersFor(tool.service_id, request.url);
    const started = parts.clock.now();
    const before = performance.now();
    if (!auth.ok) {
      const refused = { kind: "no-auth", reason: auth.problem } as const;
      const unsent = { ...request, headers: headersOf(request, {}) };
      exchanges.push(toolExchange(unsent, refused, { started, duration_ms: 0, proof: {} }));
      return refused;
    }
    proof = auth.headers;
    const outcome = await parts.egress.send({
      url: request.url,
      method: request.method,
      headers: headersOf(request, proof),
      ...(request.body !== undefined && { body: request.body }),
      timeout_ms,
      max_response_bytes: MAX_RESPONSE_BYTES,
      signal: context.signal,
    });
    const duration_ms = performance.now() - before;
    const sent = { ...request, headers: { ...headersOf(request, {}), ...withoutValues(proof) } };
    exchanges.push(toolExchange(sent, outcome, { started, duration_ms, proof }));
    trace.push({
      category: "http",
      label: `${request.method} ${hostOf(request.url)}`,
      started,
      duration_ms,
      details: { outcome: outcome.kind, ...("status" in outcome && { status: outcome.status }) },
    });
    return outcome;
  };

  let outcome = await send();
  if (
    outcome.kind === "response" &&
    outcome.status === 401 &&
    (await parts.auth.refused(tool.service_id, proof))
  )
    outcome = await send();
  // After a broken connection a read is retried once, because it changes nothing; a write is never repeated.
  if (outcome.kind === "failed" && outcome.connection_reset && request.method === "GET")
    outcome = await send();

  const read = withoutSecrets(readOutcome(outcome), secretsOf(proof));
  return {
    prepared: values,
    request: { method: request.method, url: request.url, arguments: values },
    ...(outcome.kind !== "no-auth" &&
      outcome.kind !== "refused" && {
        wire: {
          method: request.method,
          url: request.url,
          headers: { ...headersOf(request, {}), ...withoutValues(proof) },
          body: request.body ?? null,
        },
      }),
    exchanges,
    ...read,
    effects: {},
    trace,
  };
}

const headersOf = (request: EndpointRequest, auth: Record<string, string>): Record<string, string> => ({
  accept: "application/json, text/plain;q=0.9, */*;q=0.5",
  ...mergeHeaders(request, auth),
});

/** Credentials are write-only: the shown request says that they were sent, without their values. */
export const withoutValues = (auth: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(auth).map((name) => [name.toLowerCase(), HIDDEN]));

/** The service's headers override the agent's, and those override ours; names are case-insensitive. */
function mergeHeaders(request: EndpointRequest, auth: Record<string, string>): Record<string, string> {
  const lower = Object.fromEntries(Object.entries(auth).map(([name, value]) => [name.toLowerCase(), value]));
  return { "user-agent": "Parley", ...request.headers, ...lower };
}

type Read = Pick<ToolOutcome, "result" | "error" | "whole">;

const problem = (message: string): Read => ({ result: { error: { message } }, error: message });

function readOutcome(outcome: EgressOutcome | { kind: "no-auth"; reason: string }): Read {
  switch (outcome.kind) {
    case "response":
      return readResponse(outcome);
    case "redirect":
      return problem(`The service answered with a redirect (${outcome.status}), which is not followed.`);
    case "refused":
      return problem(`The call was refused: ${outcome.reason}`);
    case "timeout":
      return problem(`The service did not answer within ${outcome.after_ms / 1000} s.`);
    case "failed":
      return problem(`The service could not be reached: ${outcome.reason}`);
    case "no-auth":
      return problem(outcome.reason);
    default:
      return unreachable(outcome);
  }
}

/** Parsing a longer response would block the event loop for more than 100 ms. */
const MOST_ANSWERED = { levels: DEEPEST_ANSWER, values: 200_000, names: 10_000 };
const TOO_MUCH: Record<keyof JsonLimits, string> = {
  levels: `The service's answer has lists or objects within one another more than ${DEEPEST_ANSWER} levels deep and was not read.`,
  values: "The service's answer has more than 200,000 values and was not read.",
  names: "The service's answer has more than 10,000 different names of members and was not read.",
};

function readResponse(outcome: Extract<EgressOutcome, { kind: "response" }>): Read {
  if (outcome.truncated) {
    return problem(
      `The service's answer is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB and was not read.`,
    );
  }
  const text = answerText(outcome.body, outcome.headers["content-type"] ?? "");
  const excess = /^\s*[[{]/.test(text) ? jsonExcess(text, MOST_ANSWERED) : null;
  if (excess) return problem(TOO_MUCH[excess.of]);
  const parsed = parse(text);
  if (outcome.status < 200 || outcome.status > 299) {
    const body = parsed.ok ? capped(parsed.value, text) : cut(text);
    return {
      result: { error: { status: outcome.status, body } },
      error: `The service answered ${outcome.status}.`,
      ...whole({ error: { status: outcome.status, body: parsed.ok ? parsed.value : text } }, text),
    };
  }
  if (!parsed.ok) {
    const isJson = /\bjson\b/i.test(outcome.headers["content-type"] ?? "");
    return isJson
      ? problem("The service's answer is not the valid JSON it says it is.")
      : { result: cut(text), error: null, ...whole(text, text) };
  }
  return { result: capped(parsed.value, text), error: null, ...whole(parsed.value, text) };
}

function parse(text: string): { ok: true; value: unknown } | { ok: false } {
  if (text.trim() === "") return { ok: true, value: null };
  try {
    return { ok: true, value: parseJson(text) };
  } catch {
    return { ok: false };
  }
}

/** The note that replaces what the model does not read. */
const whole = (value: unknown, text: string): { whole?: unknown } =>
  text.length > MAX_RESULT_CHARACTERS ? { whole: value } : {};

const capped = (value: unknown, text: string): unknown =>
  text.length > MAX_RESULT_CHARACTERS ? cut(text) : value;

export const cut = (text: string): string =>
  text.length > MAX_RESULT_CHARACTERS
    ? `${cutTo(text, MAX_RESULT_CHARACTERS)}… [cut: ${text.length} characters in all]`
    : text;

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "(not a URL)");
