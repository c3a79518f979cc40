import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { TraceEntry } from "../events/trace.ts";
import {
  type LanguageModel,
  ModelError,
  type ModelFinish,
  type ModelRequest,
  type ModelUsage,
  type ToolCall,
} from "../llm/model.ts";

/** The result of one request to the model: text, tool calls, or a final failure. */
export type Round =
  | { ok: true; text: string; calls: ToolCall[]; finish: ModelFinish; trace: TraceEntry }
  | { ok: false; text: string; error: string; failure: ModelError; trace: TraceEntry };

/** Streams one answer, passes its text on as it arrives, and records latency and usage. */
export async function modelRound(
  model: LanguageModel,
  request: ModelRequest,
  clock: Clock,
  onText: (delta: string) => void,
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
  const retries: { asked: string; because: string }[] = [];
  const onRetry = (next: LanguageModel, why: ModelError) => {
    answering = next;
    retries.push({ asked: `${next.provider}/${next.model}`, because: errorText(why) });
  };

  try {
    for await (const part of model.stream({ ...request, onRetry })) {
      first_part_ms ??= performance.now() - before;
      if (part.type === "text") {
        text += part.delta;
        onText(part.delta);
      } else if (part.type === "call") calls.push(part.call);
      else ({ usage, warnings, finish } = part);
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    // The person interrupted: the text so far is the answer, and no tool is called.
    if (interrupted?.aborted) calls.length = 0;
    else failure = thrown;
  }
  const error = failure && errorText(failure);

  const trace: TraceEntry = {
    category: "llm",
    label: error === null ? "answer" : "failed",
    started,
    duration_ms: performance.now() - before,
    metadata: [answering.model, answering.provider],
    details: {
      first_part_ms,
      ...usage,
      offered: request.tools.map((tool) => tool.name),
      tool_choice: request.tool_choice,
      calls: calls.map((call) => call.name),
      scripted: model.scripted,
      finish,
      ...(retries.length > 0 && { retries }),
      ...(warnings.length > 0 && { warnings }),
      ...(error !== null && { error }),
    },
  };
  return failure === null
    ? { ok: true, text, calls, finish, trace }
    : { ok: false, text, error: errorText(failure), failure, trace };
}
