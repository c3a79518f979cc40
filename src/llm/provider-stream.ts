import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { unreachable } from "../base/errors.ts";
import { DEEPEST_ANSWER, nestsDeeperThan } from "../base/nesting.ts";
import { parseJson } from "../base/parse-json.ts";
import { type LlmEntry, PROVIDER_NAMES, type Provider } from "./catalogue.ts";
import type { StreamingModel } from "./chat-completions.ts";
import {
  type LanguageModel,
  ModelError,
  type ModelFinish,
  type ModelPart,
  type ModelRequest,
  type ModelUsage,
  type ToolCall,
  type ToolChoice,
} from "./model.ts";
import { brokeOff, providerError, requestIdOf } from "./provider-error.ts";
import { calledTools, fitsStrictMode, providerPrompt, providerTools } from "./provider-prompt.ts";
import { Thinking, type ThinkingHabit } from "./thinking.ts";
import { countOf } from "./token-count.ts";
import { aliasNotes, meantName, withWireNames } from "./wire-name.ts";

type ProviderModel = {
  provider: Provider;
  model: string;
  api_key: string;
  /** The catalogue's row; a model it doesn't know gets every setting and the provider decides. */
  entry: LlmEntry | null;
  /** Where the server that runs the model is the operator's own. */
  own_server?: { habit: ThinkingHabit };
  /** Makes the library's model object; what it throws is reported like a failed call. */
  connect(): Promise<StreamingModel>;
};

/** Twice what 128,000 tokens of prose come to, the most that a model gives; all of it is kept in memory and stored. */
const MAX_ANSWER_CHARACTERS = 1_000_000;

/** What most models that an operator runs have; one that has less says so, and is asked with half as much. */
const UNKNOWN_WINDOW = 128_000;

type Reasoning = { type: "reasoning"; text: string; providerOptions: Record<string, object> };

/**
 * A provider's model behind our interface, through the provider library's `doStream` and nothing above it: the SDK's own
 * `streamText` costs three times the CPU (3.5–5.1 ms against 1.3 for 50 deltas).
 */
export function providerModel(config: ProviderModel): LanguageModel {
  return {
    provider: config.provider,
    model: config.model,
    scripted: false,
    context_window: config.entry?.context_window ?? UNKNOWN_WINDOW,
    stream: (request) => streamParts(config, request),
  };
}

async function* streamParts(config: ProviderModel, request: ModelRequest): AsyncGenerator<ModelPart> {
  // Raised when the reader leaves early, so that the provider stops generating what nobody will hear.
  const leaving = new AbortController();
  const warnings = aliasNotes(request.tools);
  const reasoning = new Map<string, Reasoning>();
  const thinking = new Thinking(config.own_server?.habit);
  // Given out only with a sound end: a call whose arguments were cut off must not run.
  const calls: ToolCall[] = [];
  let finish: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined;
  let characters = 0;
  let writes = false;
  let ended = false;
  let request_id: string | null = null;
  try {
    request.signal.throwIfAborted();
    const signal = AbortSignal.any([request.signal, leaving.signal]);
    const model = await config.connect();
    const { stream, response } = await model.doStream(
      callOptions(config, withWireNames(request), signal, warnings),
    );
    request_id = requestIdOf(response?.headers ?? {});
    for await (const part of stream) {
      characters += "delta" in part ? part.delta.length : 0;
      if (characters > MAX_ANSWER_CHARACTERS) throw tooLong(config.provider);
      if (ACTIVITY.has(part.type)) request.onActivity?.();
      if (writes && ENDS_TEXT.has(part.type)) {
        writes = false;
        yield { type: "text_end" };
      }
      switch (part.type) {
        case "stream-start":
          warnings.push(...part.warnings.map(warningText));
          break;
        case "response-metadata":
          request_id ??= part.id ?? null;
          break;
        case "text-delta": {
          const delta = thinking.pass(part.delta);
          writes ||= delta !== "";
          if (delta !== "") yield { type: "text", delta };
          else if (part.delta !== "") request.onActivity?.();
          break;
        }
        case "reasoning-start":
          thinking.toldApart();
          reasoning.set(part.id, {
            type: "reasoning",
            text: "",
            providerOptions: { ...part.providerMetadata },
          });
          break;
        case "reasoning-delta":
        case "reasoning-end": {
          thinking.toldApart();
          const block = reasoning.get(part.id);
          if (!block) break;
          if (part.type === "reasoning-delta") block.text += part.delta;
          Object.assign(block.providerOptions, part.providerMetadata);
          break;
        }
        case "tool-call": {
          const kept = { metadata: part.providerMetadata, reasoning: [...reasoning.values()] };
          reasoning.clear();
          const toolName = meantName(request.tools, part.toolName);
          calls.push(toolCall(config.provider, { ...part, toolName }, kept));
          break;
        }
        case "finish":
          finish = part;
          break;
        case "error":
          throw part.error;
        default:
        // Sources, files and the other things a provider may add are nothing a conversation can use.
      }
    }
    ended = true;
  } catch (error) {
    throw providerError(error, { ...config, signal: request.signal });
  } finally {
    if (!ended) leaving.abort();
  }
  if (!finish) throw brokeOff(config.provider);
  const reason = finishOf(config.provider, finish.finishReason);
  const rest = thinking.rest(CUT_SHORT.has(reason));
  if (rest !== "") yield { type: "text", delta: rest };
  for (const call of calls) yield { type: "call", call: CUT_SHORT.has(reason) ? unlessBare(call) : call };
  yield { type: "done", finish: reason, usage: usageOf(finish.usage), warnings, request_id };
}

/** The model is at work: it reasons, or writes a call's arguments, which are given out only when they are whole. */
const ACTIVITY: ReadonlySet<string> = new Set([
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
  "tool-input-start",
  "tool-input-delta",
  "tool-input-end",
]);

/** Chat completions don't tell that a text ends; a call that begins shows it. */
const ENDS_TEXT: ReadonlySet<string> = new Set(["text-end", "tool-input-start", "tool-call"]);

const tooLong = (provider: Provider): ModelError =>
  new ModelError(
    "broken-answer",
    provider,
    `The answer of ${PROVIDER_NAMES[provider]} is longer than ${MAX_ANSWER_CHARACTERS} characters and was not read on.`,
  );

function callOptions(
  config: ProviderModel,
  request: ModelRequest,
  signal: AbortSignal,
  warnings: string[],
): LanguageModelV4CallOptions {
  const { provider, model, entry } = config;
  const leftOver =
    provider === "anthropic" && request.tools.length === 0 ? calledTools(request.messages) : [];
  const tools = [...request.tools, ...leftOver];
  const options: LanguageModelV4CallOptions = {
    prompt: providerPrompt(request.messages, provider, { own_server: config.own_server !== undefined }),
    abortSignal: signal,
  };
  if (tools.length > 0) {
    options.tools = providerTools(tools);
    options.toolChoice = toolChoice(leftOver.length > 0 ? "none" : request.tool_choice);
  }
  if (request.temperature !== null) {
    if (entry?.supports_temperature === false)
      warnings.push(`${model} takes no temperature; it was left out.`);
    else options.temperature = request.temperature;
  }
  if (request.seed !== null) {
    if (entry?.supports_seed === false) warnings.push(`${model} takes no seed; it was left out.`);
    else options.seed = request.seed;
  }
  if (request.output_schema) {
    const { name, schema } = request.output_schema;
    const format = { type: "json", name, schema } as unknown as LanguageModelV4CallOptions["responseFormat"];
    options.responseFormat = format;
    if (provider === "openai" || provider === "azure_openai") {
      options.providerOptions = { openai: { strictJsonSchema: fitsStrictMode(schema) } };
    }
  }
  return options;
}

function toolChoice(choice: ToolChoice): LanguageModelV4CallOptions["toolChoice"] {
  return typeof choice === "object" ? { type: "tool", toolName: choice.tool } : { type: choice };
}

function toolCall(
  provider: Provider,
  part: { toolCallId: string; toolName: string; input: string },
  kept: { metadata: object | undefined; reasoning: Reasoning[] },
): ToolCall {
  const call: ToolCall = { id: part.toolCallId, name: part.toolName, ...readArguments(part.input) };
  const data = {
    ...(kept.metadata ? { metadata: kept.metadata } : {}),
    ...(kept.reasoning.length > 0 ? { reasoning: kept.reasoning } : {}),
  };
  return Object.keys(data).length > 0 ? { ...call, provider_data: { provider, data } } : call;
}

const CUT_SHORT: ReadonlySet<ModelFinish> = new Set(["length", "content-filter"]);

/** An answer that ended before a call's first argument was written looks like a call that needs none. */
const unlessBare = (call: ToolCall): ToolCall =>
  Object.keys(call.arguments).length > 0 || call.arguments_error !== undefined
    ? call
    : { ...call, arguments_error: "The arguments were cut off." };

/** Enough to see what went wrong. */
const LONGEST_BROKEN = 10_000;

/** A tool without parameters is often called with an empty text. */
function readArguments(input: string): Pick<ToolCall, "arguments" | "arguments_error" | "arguments_text"> {
  if (input.trim() === "") return { arguments: {} };
  const broken = (arguments_error: string) => ({
    arguments: {},
    arguments_error,
    arguments_text: input.slice(0, LONGEST_BROKEN),
  });
  try {
    const value = parseJson(input);
    if (nestsDeeperThan(DEEPEST_ANSWER, value)) {
      return broken("The arguments are nested too deeply.");
    }
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { arguments: value as Record<string, unknown> };
    }
    return broken("The arguments must be one JSON object.");
  } catch {
    return broken("The arguments are not valid JSON.");
  }
}

function finishOf(provider: Provider, reason: LanguageModelV4FinishReason): ModelFinish {
  // The provider never said why it stopped: the connection was closed early, if politely.
  if (reason.unified === "other" && reason.raw === undefined) throw brokeOff(provider);
  switch (reason.unified) {
    case "stop":
    case "length":
    case "content-filter":
    case "tool-calls":
    case "other":
      return reason.unified;
    case "interrupted":
      throw brokeOff(provider);
    case "error":
      throw new ModelError(
        "unavailable",
        provider,
        `${PROVIDER_NAMES[provider]} gave up on the answer (${reason.raw ?? "no reason given"}).`,
      );
    default:
      return unreachable(reason.unified);
  }
}

const usageOf = (usage: LanguageModelV4Usage): ModelUsage => ({
  input_tokens: countOf(usage.inputTokens.total),
  output_tokens: countOf(usage.outputTokens.total),
  cached_input_tokens: countOf(usage.inputTokens.cacheRead),
});

function warningText(warning: SharedV4Warning): string {
  switch (warning.type) {
    case "unsupported":
      return `The provider does not support ${warning.feature}${warning.details ? `: ${warning.details}` : ""}.`;
    case "compatibility":
      return `${warning.feature}${warning.details ? `: ${warning.details}` : " is used in a compatibility mode."}`;
    case "deprecated":
      return `${warning.setting} is deprecated: ${warning.message}`;
    case "other":
      return warning.message;
    default:
      return unreachable(warning);
  }
}
