import { PublicError } from "../base/errors.ts";
import { patch } from "../base/patch.ts";
/**
 * The one door to a language model. A turn hands in the whole conversation and reads parts until `done`; whether a
 * provider or the scripted model answers can only be told by `scripted`.
 */
export type LanguageModel = {
  /** As configured (`openai`, `azure_openai` …), also when the scripted model stands in for it. */
  provider: string;
  model: string;
  /** True for the shipped offline model; whoever shows its words to people labels them. */
  scripted: boolean;
  /** In tokens, question and answer together; null or left out where there is no end to it. */
  context_window?: number | null;
  /** What is asked to go on where this one's answer broke off; left out: itself. */
  again?: LanguageModel;
  /** Throws `ModelError` and nothing else. Leaving the loop early closes the connection to the provider. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
};

export type ModelRequest = {
  messages: ModelMessage[];
  tools: OfferedTool[];
  tool_choice: ToolChoice;
  temperature: number | null;
  seed: number | null;
  /** Asks for one JSON document of this schema instead of free text. */
  output_schema?: { name: string; schema: JsonSchema };
  signal: AbortSignal;
  /** Nobody waits for the answer, so it may take its time. */
  unwatched?: boolean;
  /** There is a sign of an answer of which no part can be given out yet. */
  onActivity?: () => void;
  /** The first try failed, and this model is asked now. */
  onRetry?: (next: LanguageModel, why: ModelError) => void;
};

export type ModelMessage =
  | { role: "system" | "user"; text: string }
  | { role: "assistant"; text: string; calls: ToolCall[] }
  | { role: "tool"; call_id: string; tool_name: string; result: unknown; is_error: boolean };

export type ToolCall = {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** The model wrote something that is no JSON object: `arguments` is empty and this says why, in words for the model. */
  arguments_error?: string;
  /** What the model wrote in place of arguments; only with `arguments_error`. */
  arguments_text?: string;
  /** What the provider wants back unchanged with this call (thought signatures). Opaque; stored with the call. */
  provider_data?: ProviderData;
};

export type ProviderData = { provider: string; data: JsonSchema };
export type JsonSchema = { readonly [keyword: string]: unknown };
export type OfferedTool = { name: string; description: string; parameters: JsonSchema };
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

export type ModelPart =
  | { type: "text"; delta: string }
  /** The text so far is complete: a call is being written, or the answer ends. Not every server tells it. */
  | { type: "text_end" }
  | { type: "call"; call: ToolCall }
  | { type: "done"; finish: ModelFinish; usage: ModelUsage; warnings: string[]; request_id?: string | null };

export type ModelFinish = "stop" | "tool-calls" | "length" | "content-filter" | "other";
/** `input_tokens` includes `cached_input_tokens`; null where nobody counted. */
export type ModelUsage = {
  input_tokens: number | null;
  output_tokens: number | null;
  cached_input_tokens: number | null;
};

type ModelErrorKind =
  /** The caller's signal was raised. */
  | "aborted"
  | "timeout"
  /** Missing or wrong key, or no right to the model. */
  | "not-authorized"
  /** The provider understood and said no; the same request will fail again. */
  | "refused"
  /** The conversation does not fit into the model. */
  | "too-long"
  | "rate-limited"
  /** The organization's own allowance (accounts/model-allowance.ts); nobody was asked. */
  | "used-up"
  /** The provider failed, or can't be reached. */
  | "unavailable"
  /** The answer broke off or can't be read. */
  | "broken-answer";

/** `message` is for the person who runs the agent and never holds a key. */
export class ModelError extends PublicError {
  readonly kind: ModelErrorKind;
  readonly provider: string;
  /** The HTTP status, where there was an answer. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** What the provider asked to wait before the next try. */
  readonly retry_after_ms: number | null;
  /** The provider's own name of the request, which its support asks for. */
  readonly request_id: string | null;

  constructor(
    kind: ModelErrorKind,
    provider: string,
    message: string,
    more: {
      status?: number | null;
      retryable?: boolean;
      retry_after_ms?: number | null;
      request_id?: string | null;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "ModelError";
    this.kind = kind;
    this.provider = provider;
    this.status = more.status ?? null;
    this.retryable = more.retryable ?? (kind === "rate-limited" || kind === "unavailable");
    this.retry_after_ms = more.retry_after_ms ?? null;
    this.request_id = more.request_id ?? null;
  }
}

/** Why the caller's signal was raised: its time was up, or somebody cancelled. */
export function abortedError(provider: string, signal: AbortSignal): ModelError {
  const timeUp = signal.reason instanceof Error && signal.reason.name === "TimeoutError";
  return timeUp
    ? new ModelError("timeout", provider, "The language model did not finish in time.", {
        cause: signal.reason,
      })
    : new ModelError("aborted", provider, "The request to the language model was cancelled.", {
        cause: signal.reason,
      });
}

type ModelAnswer = {
  text: string;
  calls: ToolCall[];
  finish: ModelFinish;
  usage: ModelUsage;
  warnings: string[];
};

/** The whole answer at once, for work nobody watches (insights, the session end tool). */
export async function readAnswer(model: LanguageModel, request: ModelRequest): Promise<ModelAnswer> {
  const answer: ModelAnswer = {
    text: "",
    calls: [],
    finish: "other",
    usage: { input_tokens: null, output_tokens: null, cached_input_tokens: null },
    warnings: [],
  };
  for await (const part of model.stream({ ...request, unwatched: true })) {
    if (part.type === "text") answer.text += part.delta;
    else if (part.type === "call") answer.calls.push(part.call);
    else if (part.type === "done")
      patch(answer, { finish: part.finish, usage: part.usage, warnings: part.warnings });
  }
  return answer;
}
