import type { Clock } from "../../base/clock.ts";
import { errorText } from "../../base/errors.ts";
import type { TraceEntry } from "../../events/trace.ts";
import {
  type LanguageModel,
  ModelError,
  type ModelFinish,
  type ModelRequest,
  type ModelUsage,
  type ToolCall,
} from "../../llm/model.ts";

/** One request to the model and its result; stored beside the trace (`draft/sent-rows.ts`). */
export type SentRound = {
  at: Date;
  request: Pick<ModelRequest, "messages" | "tools" | "tool_choice" | "temperature" | "seed">;
  /** Who answered, which differs from the prompt's model after a failover. */
  provider: string;
  model: string;
  text: string;
  calls: ToolCall[];
  finish: ModelFinish | null;
  request_id: string | null;
  retries: { asked: string; because: string; request_id: string | null }[];
  usage: ModelUsage | null;
  warnings: string[];
  error: string | null;
  first_part_ms: number | null;
  duration_ms: number;
};

/** The result of one request to the model: text, tool calls, or a final failure. */
export type Round =
  | { ok: true; text: string; calls: ToolCall[]; finish: ModelFinish; trace: TraceEntry; sent: SentRound }
  | { ok: false; text: string; error: string; failure: ModelError; trace: TraceEntry; sent: SentRound };

/** What an answer's text is passed on to as it comes; `pause`: it ends here, and a call may follow. */
export type TextSink = { feed(delta: string): void; pause(): void };

/** Milliseconds since then, to the hundredth: more digits say nothing and take room in what is stored. */
const passed = (before: number): number => Math.round((performance.now() - before) * 100) / 100;

/** Streams one answer, passes its text on as it arrives, and records latency and usage. */
export async function modelRound(
  model: LanguageModel,
  request: ModelRequest,
  clock: Clock,
  words: TextSink,
  interrupted?: AbortSignal,
): Promise<Round> {
  const started = clock.now();
  const before = performance.now();
  let first_part_ms: number | null = null;
  let text = "";
  const calls: ToolCall[] = [];
  let usage: ModelUsage | null = null;
  let warnings: string[] = [];
  let finish: ModelFinish = "other";
  let failure: ModelError | null = null;
  let answering = model;
  let request_id: string | null = null;
  const retries: SentRound["retries"] = [];
  const onRetry = (next: LanguageModel, why: ModelError) => {
    answering = next;
    retries.push({
      asked: `${next.provider}/${next.model}`,
      because: errorText(why),
      request_id: why.request_id,
    });
  };

  try {
    for await (const part of model.stream({ ...request, onRetry })) {
      first_part_ms ??= passed(before);
      if (part.type === "text") {
        text += part.delta;
        words.feed(part.delta);
      } else if (part.type === "text_end") words.pause();
      else if (part.type === "call") calls.push(part.call);
      else ({ usage, warnings, finish, request_id = null } = part);
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    // The person interrupted: the text so far is the answer, and no tool is called.
    if (interrupted?.aborted) calls.length = 0;
    else failure = thrown;
    request_id = thrown.request_id;
  }

  const { messages, tools, tool_choice, temperature, seed } = request;
  const sent: SentRound = {
    at: started,
    request: { messages, tools, tool_choice, temperature, seed },
    provider: answering.provider,
    model: answering.model,
    text,
    calls,
    finish: failure ? null : finish,
    request_id,
    retries,
    usage,
    warnings,
    error: failure && errorText(failure),
    first_part_ms,
    duration_ms: passed(before),
  };
  const trace = roundTrace(sent, { scripted: model.scripted, finish });
  return failure === null
    ? { ok: true, text, calls, finish, trace, sent }
    : { ok: false, text, error: errorText(failure), failure, trace, sent };
}

/** What the trace tells of a round. `finish`: as the model said it, also where the round failed after that. Pure. */
function roundTrace(
  {
    at,
    provider,
    model,
    request,
    calls,
    retries,
    usage,
    warnings,
    error,
    first_part_ms,
    duration_ms,
  }: SentRound,
  { scripted, finish }: { scripted: boolean; finish: ModelFinish },
): TraceEntry {
  return {
    category: "llm",
    label: error === null ? "answer" : "failed",
    started: at,
    duration_ms,
    metadata: [model, provider],
    details: {
      first_part_ms,
      ...usage,
      offered: request.tools.map((tool) => tool.name),
      tool_choice: request.tool_choice,
      calls: calls.map((call) => call.name),
      scripted,
      finish,
      ...(retries.length > 0 && { retries: retries.map(({ asked, because }) => ({ asked, because })) }),
      ...(warnings.length > 0 && { warnings }),
      ...(error !== null && { error }),
    },
  };
}
