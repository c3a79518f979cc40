import type {
  JSONValue,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Provider } from "./catalogue.ts";
import type { JsonSchema, ModelMessage, OfferedTool, ToolCall } from "./model.ts";
import { ownServerPrompt } from "./own-server-prompt.ts";

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type ToolPart = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number];

/** What a silent user "said", for providers that refuse an empty message. */
const SILENCE = "(silence)";
/** Anthropic and Google want a user's message first and last; an agent that opens the conversation has none. */
const OPENING = "(The conversation begins.)";
const GOING_ON = "(Please go on.)";

/**
 * The conversation in the provider library's shape, with what would make a provider refuse it mended: silence, calls nobody
 * answered (a process died in between), answers to calls that are gone, and, where the provider knows only one system
 * message, notes that came later. `own_server`: a model of the operator's own.
 */
export function providerPrompt(
  messages: ModelMessage[],
  provider: Provider,
  { own_server = false } = {},
): LanguageModelV4Message[] {
  const strict = provider === "anthropic" || provider === "google" || own_server;
  const prompt: LanguageModelV4Message[] = [];
  const answered = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.call_id] : [])));
  const asked = new Set<string>();

  for (const message of messages) {
    switch (message.role) {
      case "system":
        if (strict && prompt.some((earlier) => earlier.role !== "system")) {
          prompt.push(userMessage(`(Note from the operator, not from the user) ${message.text}`));
        } else if (message.text !== "") {
          prompt.push({ role: "system", content: message.text });
        }
        break;
      case "user":
        prompt.push(userMessage(message.text.trim() === "" ? SILENCE : message.text));
        break;
      case "assistant": {
        if (message.text === "" && message.calls.length === 0) break;
        if (strict && !prompt.some((earlier) => earlier.role !== "system")) prompt.push(userMessage(OPENING));
        prompt.push({ role: "assistant", content: assistantParts(message.text, message.calls, provider) });
        const orphans = message.calls.filter((call) => !answered.has(call.id));
        for (const call of message.calls) asked.add(call.id);
        if (orphans.length > 0) prompt.push({ role: "tool", content: orphans.map(interrupted) });
        break;
      }
      case "tool":
        if (asked.has(message.call_id))
          prompt.push({ role: "tool", content: [toolResult(message, provider)] });
        break;
    }
  }
  const last = prompt.at(-1);
  if (strict && (last?.role === "assistant" || last?.role === "system" || last === undefined)) {
    prompt.push(userMessage(last?.role === "assistant" ? GOING_ON : OPENING));
  }
  // The libraries of Anthropic and Google do it themselves.
  return own_server ? ownServerPrompt(prompt) : prompt;
}

export const providerTools = (tools: OfferedTool[]): LanguageModelV4FunctionTool[] =>
  tools.map((tool) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool["inputSchema"],
  }));

/**
 * Anthropic refuses a conversation with tool calls in it when no tool is offered, as happens once a step workflow is done.
 * The tools called so far are offered again then, with `tool_choice` none.
 */
export const calledTools = (messages: ModelMessage[]): OfferedTool[] =>
  [
    ...new Set(
      messages.flatMap((message) =>
        message.role === "assistant" ? message.calls.map((call) => call.name) : [],
      ),
    ),
  ].map((name) => ({
    name,
    description: "No longer available.",
    parameters: { type: "object", properties: {} },
  }));

/**
 * OpenAI's strict mode guarantees the schema but takes only objects that forbid further properties and require all of
 * theirs; for any other schema it answers 400, so strictness is asked for only where it can be had.
 */
export function fitsStrictMode(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(fitsStrictMode);
  const { type, properties, required, additionalProperties } = schema as JsonSchema;
  if (type === "object" || properties !== undefined) {
    const names = Object.keys((properties ?? {}) as object);
    const all = Array.isArray(required) && names.every((name) => required.includes(name));
    if (additionalProperties !== false || !all) return false;
  }
  return Object.values(schema).every(fitsStrictMode);
}

const userMessage = (text: string): LanguageModelV4Message => ({
  role: "user",
  content: [{ type: "text", text }],
});

function assistantParts(text: string, calls: ToolCall[], provider: Provider): AssistantPart[] {
  const parts: AssistantPart[] = [];
  for (const call of calls) parts.push(...keptReasoning(call, provider));
  if (text !== "") parts.push({ type: "text", text });
  for (const call of calls) {
    const metadata = kept(call, provider)?.metadata as SharedV4ProviderOptions | undefined;
    parts.push({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      input: call.arguments,
      ...(metadata ? { providerOptions: metadata } : {}),
    });
  }
  return parts;
}

/** A signature means something only to the provider that gave it; after a fallback to another one it is left out. */
const kept = (call: ToolCall, provider: Provider): JsonSchema | undefined =>
  call.provider_data?.provider === provider ? call.provider_data.data : undefined;

function keptReasoning(call: ToolCall, provider: Provider): AssistantPart[] {
  const reasoning = kept(call, provider)?.reasoning;
  return Array.isArray(reasoning) ? (reasoning as AssistantPart[]) : [];
}

const interrupted = (call: ToolCall): ToolPart => ({
  type: "tool-result",
  toolCallId: call.id,
  toolName: call.name,
  output: { type: "error-text", value: "The tool was interrupted and gave no result." },
});

type ToolOutput = Extract<ToolPart, { type: "tool-result" }>["output"];

/**
 * The result as the JSON itself, once encoded. The library prints an OpenAI error into `{"error": …}` and a Google text
 * into a JSON text, so that JSON would stand inside JSON: OpenAI gets the text of the document, which tells of its error
 * itself, and Google the document. Only Anthropic has a mark for errors that leaves the words alone.
 */
function toolResult(message: Extract<ModelMessage, { role: "tool" }>, provider: Provider): ToolPart {
  const { call_id: toolCallId, tool_name: toolName, is_error } = message;
  const result = message.result ?? null;
  const text = typeof result === "string" ? result : JSON.stringify(result);
  const output: ToolOutput =
    provider === "google"
      ? { type: "json", value: result as JSONValue }
      : { type: is_error && provider === "anthropic" ? "error-text" : "text", value: text };
  return { type: "tool-result", toolCallId, toolName, output };
}
