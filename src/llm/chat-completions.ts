import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { StreamingToolCallTracker } from "@ai-sdk/provider-utils";
import { createParser } from "eventsource-parser";
import { request } from "undici";
import { failureAlone } from "./told-failure.ts";

/*
 * Chat completions as OpenAI and Azure stream them, read without the library's chain of web streams and checks of each
 * chunk, which took a quarter of the processor time of a turn (docs/benchmarks.md). The library still says what is asked,
 * puts calls together, and makes every error: what is not a plain chunk is handed to it.
 */

type Part = LanguageModelV4StreamPart;
export type StreamingModel = {
  doStream(
    options: LanguageModelV4CallOptions,
  ): PromiseLike<{ stream: AsyncIterable<Part>; response?: { headers?: Record<string, string> } }>;
};

/** What the library keeps to itself in the pinned version (chat-completions.test.ts). */
type ChatModel = LanguageModelV4 & {
  getArgs(options: LanguageModelV4CallOptions): Promise<{ args: object; warnings: SharedV4Warning[] }>;
  config: {
    url(of: { path: string; modelId: string }): string;
    headers(): Record<string, string | undefined>;
  };
};

/** The library's model that is answered by this `fetch`. */
type MakeModel = (fetch_?: typeof fetch) => Promise<LanguageModelV4>;

type Answer = { status: number; headers: [string, string][]; body: AsyncIterable<Uint8Array> };

/** `given`: a fetch that has to be used, such as the guarded one. */
export async function chatCompletions(make: MakeModel, given?: typeof fetch): Promise<StreamingModel> {
  const library = (await make(given)) as ChatModel;
  return {
    async doStream(options) {
      const { args, warnings } = await library.getArgs(options);
      const url = library.config.url({ path: "/chat/completions", modelId: library.modelId });
      const init = {
        method: "POST",
        headers: headersOf(library.config.headers(), options.headers),
        body: JSON.stringify({ ...args, stream: true, stream_options: { include_usage: true } }),
        ...(options.abortSignal && { signal: options.abortSignal }),
      };
      const readBy = async (fetch_?: typeof fetch) => (await make(fetch_)).doStream(options);
      let answer: Answer;
      try {
        answer = given ? answerOf(await given(url, init)) : await post(url, init);
      } catch (error) {
        return readBy(() => Promise.reject(error));
      }
      const { status, headers, body } = answer;
      if (status >= 200 && status < 300) {
        const stream = parts(body, warnings, readBy);
        return { stream, response: { headers: Object.fromEntries(headers) } };
      }
      // Only fetch follows redirects; the provider was asked for nothing yet.
      if (status < 400) return readBy(given);
      const text = await whole(body);
      return readBy(async () => new Response(failureAlone(text) ?? text, { status, headers }));
    },
  };
}

function headersOf(...given: (Record<string, string | undefined> | undefined)[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, value] of given.flatMap((headers) => Object.entries(headers ?? {})))
    if (value !== undefined) named[name.toLowerCase()] = value;
  return { ...named, "content-type": "application/json", "accept-encoding": "identity" };
}

async function post(
  url: string,
  init: { headers: Record<string, string>; body: string; signal?: AbortSignal },
): Promise<Answer> {
  const { statusCode: status, headers, body } = await request(url, { method: "POST", ...init });
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status, headers: named, body };
}

const answerOf = ({ status, headers, body }: Response): Answer => ({
  status,
  headers: [...headers],
  body: (body ?? []) as AsyncIterable<Uint8Array>,
});

async function whole(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

type Usage = {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null } | null;
};
type Delta = {
  role?: string | null;
  content?: string | null;
  refusal?: string | null;
  /** Servers of open models tell what is thought apart from the answer under one of these names. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: ToolCallDelta[] | null;
};
type ToolCallDelta = Parameters<StreamingToolCallTracker["processDelta"]>[0];
type Chunk = {
  id?: string | null;
  choices: { index: number; delta?: Delta | null; finish_reason?: string | null }[];
  usage?: Usage | null;
};

/** The parts that the rest of the program reads, in the library's shape. */
async function* parts(
  body: AsyncIterable<Uint8Array>,
  warnings: SharedV4Warning[],
  readBy: (fetch_: typeof fetch) => Promise<{ stream: AsyncIterable<Part> }>,
): AsyncGenerator<Part> {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  const decoder = new TextDecoder();
  let made: Part[] = [{ type: "stream-start", warnings }];
  const tracker = new StreamingToolCallTracker({ enqueue: (part: Part) => made.push(part) } as never, {
    typeValidation: "if-present",
  });
  let id: string | null = null;
  let usage: Usage | null = null;
  let reason: string | null = null;
  let refused = false;
  let spoken = false;
  let called = false;
  let isDone = false;
  for await (const piece of body) {
    parser.feed(decoder.decode(piece, { stream: true }));
    for (const data of events.splice(0)) {
      if (data === "[DONE]") {
        isDone = true;
        continue;
      }
      const chunk = plainChunk(data);
      if (!chunk) {
        yield* made;
        made = [];
        await judge(failureAlone(data) ?? data, spoken, readBy);
        continue;
      }
      if (chunk.id && id === null) made.push({ type: "response-metadata", id: chunk.id });
      id ??= chunk.id ?? null;
      usage = chunk.usage ?? usage;
      const [choice] = chunk.choices;
      reason = choice?.finish_reason ?? reason;
      if (choice?.delta?.reasoning_content || choice?.delta?.reasoning) addThought(made);
      for (const text of [choice?.delta?.content, choice?.delta?.refusal]) {
        if (!text) continue;
        addText(made, text);
        spoken = true;
      }
      refused ||= Boolean(choice?.delta?.refusal);
      const calls = choice?.delta?.tool_calls ?? [];
      try {
        for (const call of calls) tracker.processDelta(call);
      } catch (error) {
        yield* made;
        throw error;
      }
      called ||= calls.length > 0;
      spoken ||= called;
    }
    yield* made;
    made = [];
  }
  tracker.flush();
  yield* made;
  // Some servers of open models give no reason. Words are whole then; arguments of a call may be cut off.
  const isWhole = isDone && spoken && !called;
  const finishReason = finishOf(reason ?? (isWhole ? "stop" : null), refused);
  yield { type: "finish", finishReason, usage: usageOf(usage) };
}

/** What came in one piece is passed on as one: each part goes through five readers. */
function addText(made: Part[], text: string): void {
  const last = made.at(-1);
  if (last?.type === "text-delta") last.delta += text;
  else made.push({ type: "text-delta", id: "0", delta: text });
}

/** Only that the model thinks is of interest, so a piece of the stream tells it once. */
function addThought(made: Part[]): void {
  if (made.at(-1)?.type !== "reasoning-delta") made.push({ type: "reasoning-delta", id: "0", delta: "" });
}

/** Null: for the library to judge. */
function plainChunk(data: string): Chunk | null {
  let chunk: (Partial<Chunk> & { error?: unknown }) | null;
  try {
    chunk = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof chunk !== "object" || chunk === null || !Array.isArray(chunk.choices)) return null;
  if (chunk.error != null) return null;
  return isText(chunk.id) && isUsage(chunk.usage) && chunk.choices.every(isChoice) ? (chunk as Chunk) : null;
}

// As strict as the library's own check, of all that is read here.
const isUsage = (usage: Usage | null | undefined): boolean =>
  usage == null ||
  (typeof usage === "object" &&
    isNumber(usage.prompt_tokens) &&
    isNumber(usage.completion_tokens) &&
    (usage.prompt_tokens_details == null || isNumber(usage.prompt_tokens_details.cached_tokens)));

const isChoice = (choice: Chunk["choices"][number] | null): boolean =>
  typeof choice?.index === "number" &&
  isText(choice.finish_reason) &&
  (choice.delta == null || isDelta(choice.delta));

const isDelta = ({ role, content, refusal, tool_calls }: Delta): boolean =>
  (role == null || role === "assistant") &&
  isText(content) &&
  isText(refusal) &&
  (tool_calls == null || (Array.isArray(tool_calls) && tool_calls.every(isCall)));

const isNumber = (value: unknown): boolean => value == null || typeof value === "number";

const isText = (value: unknown): boolean => value == null || typeof value === "string";

const isCall = (call: ToolCallDelta | null): boolean =>
  typeof call?.index === "number" &&
  isText(call.id) &&
  (call.type == null || call.type === "function") &&
  typeof call.function === "object" &&
  call.function !== null &&
  isText(call.function.name) &&
  isText(call.function.arguments);

/** Throws the library's error for an event; what it takes for a chunk of no interest is passed over. */
async function judge(
  data: string,
  spoken: boolean,
  readBy: (fetch_: typeof fetch) => Promise<{ stream: AsyncIterable<Part> }>,
): Promise<void> {
  const event = (text: string) => `data: ${text.replaceAll("\n", "\ndata: ")}\n\n`;
  // An error before the first words and one after them are told in different ways.
  const before = spoken ? event('{"choices":[{"index":0,"delta":{"content":"…"}}]}') : "";
  const stream = `${before}${event(data)}`;
  const answer = await readBy(
    async () => new Response(stream, { headers: { "content-type": "text/event-stream" } }),
  );
  for await (const part of answer.stream) if (part.type === "error") throw part.error;
}

function finishOf(raw: string | null, refused: boolean): LanguageModelV4FinishReason {
  switch (raw) {
    case null:
      return { unified: "interrupted", raw: undefined };
    case "stop":
      return { unified: refused ? "content-filter" : "stop", raw };
    case "length":
      return { unified: "length", raw };
    case "content_filter":
      return { unified: "content-filter", raw };
    case "function_call":
    case "tool_calls":
      return { unified: "tool-calls", raw };
    // OpenRouter's, where the server behind it failed.
    case "error":
      return { unified: "error", raw };
    default:
      return { unified: "other", raw };
  }
}

function usageOf(usage: Usage | null): LanguageModelV4Usage {
  const total = usage ? (usage.prompt_tokens ?? 0) : undefined;
  const cached = usage ? (usage.prompt_tokens_details?.cached_tokens ?? 0) : undefined;
  const said = usage ? (usage.completion_tokens ?? 0) : undefined;
  return {
    inputTokens: { total, noCache: undefined, cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: said, text: undefined, reasoning: undefined },
  };
}
