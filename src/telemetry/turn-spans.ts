import { createHash } from "node:crypto";
import { type TraceEntry, turnOfEntry } from "../events/trace.ts";
import type { EndedSession, StoredTurn } from "../sessions/engine.ts";

/**
 * What a stored turn is in a tracing system: session = trace, turn = `invoke_agent`, model = `chat`, tool = `execute_tool`.
 * Names are those of OpenTelemetry's conventions for generative AI, which are not final yet:
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/
 */
export type TraceSpan = {
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  name: string;
  kind: "internal" | "client";
  started: Date;
  duration_ms: number;
  attributes: Record<string, string | number | boolean | string[]>;
  /** Null: it went well. */
  error: string | null;
  /** What happened at a moment of it. */
  events: { name: string; at: Date; attributes: Record<string, string> }[];
};

/** Whether words, arguments and results leave, and which installation the ids are of. */
export type SpanOptions = { installation: string; content: boolean };

const PROVIDER_NAMES: Record<string, string> = {
  azure_openai: "azure.ai.openai",
  google: "gcp.gen_ai",
};

/** The same for every process, so that what one begins another ends. */
const idOf = (length: 16 | 32, ...parts: (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, length);

const traceId = ({ installation }: SpanOptions, session_id: number) => idOf(32, installation, session_id);
const sessionSpanId = ({ installation }: SpanOptions, session_id: number) =>
  idOf(16, installation, session_id, "session");
const turnSpanId = ({ installation }: SpanOptions, session_id: number, turn_index: number) =>
  idOf(16, installation, session_id, turn_index);

/** A session as a whole, when it has ended. */
export function sessionSpan(session: EndedSession, options: SpanOptions): TraceSpan {
  const started = new Date(session.timestamp);
  const duration_ms = new Date(session.ended_at).getTime() - started.getTime();
  return {
    trace_id: traceId(options, session.id),
    span_id: sessionSpanId(options, session.id),
    parent_id: null,
    name: `session ${session.agent_name}`,
    kind: "internal",
    started,
    duration_ms: Math.max(duration_ms, 0),
    attributes: {
      "gen_ai.conversation.id": String(session.id),
      "gen_ai.agent.id": String(session.agent_id),
      "gen_ai.agent.name": session.agent_name,
      "parley.end_reason": session.end_reason,
      "parley.is_test": session.is_test,
    },
    error: null,
    events: [],
  };
}

/** Spans of what one commit of a turn stores. The turn's own comes with its last, and has what happened at a moment of it. */
export function turnSpans(turn: StoredTurn, options: SpanOptions): TraceSpan[] {
  const { session_id, turn_index, trace } = turn;
  const trace_id = traceId(options, session_id);
  const spans: TraceSpan[] = [];
  const whole = trace.find(({ category }) => category === "turn");
  const moments = whole ? trace.filter((entry) => isMoment(entry) && !entry.late) : [];
  for (const [n, entry] of trace.entries()) {
    if (moments.includes(entry)) continue;
    const started = entry.started ?? turn.at;
    const found = spanOf(entry, options);
    if (!found) continue;
    const parent_id = turnSpanId(options, session_id, turnOfEntry(entry, turn_index));
    const key = `${entry.category} ${entry.label} ${started.getTime()} ${n}`;
    const span_id = idOf(16, options.installation, session_id, turn_index, key);
    const duration_ms = entry.duration_ms ?? 0;
    spans.push({ trace_id, parent_id, span_id, started, duration_ms, events: [], ...found });
  }
  if (whole) spans.push(turnSpan(turn, whole, moments, options));
  return spans;
}

const isMoment = ({ category }: TraceEntry): boolean =>
  category === "step" || category === "note" || category === "error";

/** A label may name what somebody said; its kind does not. */
const labelled = (label: string, { content }: SpanOptions): Record<string, string> =>
  content ? { "parley.label": label } : {};

function turnSpan(
  turn: StoredTurn,
  whole: TraceEntry,
  moments: readonly TraceEntry[],
  options: SpanOptions,
): TraceSpan {
  const { session_id, turn_index, agent_name, channel, is_test, messages } = turn;
  return {
    trace_id: traceId(options, session_id),
    span_id: turnSpanId(options, session_id, turn_index),
    parent_id: sessionSpanId(options, session_id),
    name: `invoke_agent ${agent_name}`,
    kind: "internal",
    started: whole.started ?? turn.at,
    duration_ms: whole.duration_ms ?? 0,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent_name,
      "gen_ai.conversation.id": String(session_id),
      "parley.turn": turn_index,
      "parley.channel": channel,
      "parley.is_test": is_test,
      ...(options.content &&
        messages.length > 0 && {
          "gen_ai.output.messages": JSON.stringify(
            messages.map(({ role, text }) => ({
              role: role === "agent" ? "assistant" : "user",
              parts: [{ type: "text", content: text }],
            })),
          ),
        }),
    },
    error: moments.find(({ category }) => category === "error")?.label ?? null,
    events: moments.map(({ category, label, started }) => ({
      name: category,
      at: started ?? turn.at,
      attributes: labelled(label, options),
    })),
  };
}

type Part = Pick<TraceSpan, "name" | "kind" | "attributes" | "error">;

function spanOf(entry: TraceEntry, options: SpanOptions): Part | null {
  const { category, label, metadata = [], details = {} } = entry;
  switch (category) {
    case "llm":
      return modelSpan(label, metadata, details);
    case "tool":
      return toolSpan(label, details, options);
    case "http":
      return {
        name: label,
        kind: "client",
        attributes: numbers({ "http.response.status_code": details.status }),
        error:
          details.outcome === undefined || details.outcome === "response" ? null : String(details.outcome),
      };
    case "stt":
      return { name: "speech_to_text", kind: "internal", attributes: {}, error: null };
    case "tts":
      return { name: "text_to_speech", kind: "internal", attributes: {}, error: null };
    case "step":
    case "note":
    case "error":
      return {
        name: category,
        kind: "internal",
        attributes: labelled(label, options),
        error: category === "error" ? (options.content ? label : "failed") : null,
      };
    default:
      return null;
  }
}

function modelSpan(
  label: string,
  [model = "", provider = ""]: string[],
  details: Record<string, unknown>,
): Part {
  return {
    name: `chat ${model}`,
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": PROVIDER_NAMES[provider] ?? provider,
      "gen_ai.request.model": model,
      ...numbers({
        "gen_ai.usage.input_tokens": details.input_tokens,
        "gen_ai.usage.output_tokens": details.output_tokens,
        "parley.first_part_ms": details.first_part_ms,
      }),
      ...(typeof details.finish === "string" && {
        "gen_ai.response.finish_reasons": [details.finish],
      }),
    },
    error: label === "failed" ? "failed" : null,
  };
}

function toolSpan(name: string, details: Record<string, unknown>, { content }: SpanOptions): Part {
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return {
    name: `execute_tool ${name}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.type": "function",
      ...(typeof details.tool_call_id === "string" && { "gen_ai.tool.call.id": details.tool_call_id }),
      ...(content && {
        ...(details.arguments !== undefined && { "gen_ai.tool.call.arguments": text(details.arguments) }),
        ...(details.result !== undefined && { "gen_ai.tool.call.result": text(details.result) }),
      }),
    },
    // What a service answered is content, too.
    error: details.error === undefined ? null : content ? text(details.error) : "failed",
  };
}

const numbers = (given: Record<string, unknown>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(given).filter((pair): pair is [string, number] => typeof pair[1] === "number"),
  );
