import { sha256 } from "../base/crypto.ts";
import type { ModelMessage, ModelRequest, OfferedTool } from "./model.ts";

/** What all providers take for a tool's name. One that is refused makes them refuse the whole request. */
const TAKEN = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const HASH_CHARACTERS = 8;

/**
 * The name under which a provider is offered a tool. Saving refuses names that providers refuse; a tool saved before that,
 * or one whose name begins with a digit, is offered under an alias. It is told by the name alone, so that the calls in the
 * history of a session carry the same one after a restart.
 */
function wireName(name: string): string {
  if (TAKEN.test(name)) return name;
  const readable = name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^[^a-zA-Z_]/, "_$&");
  return `${readable.slice(0, 63 - HASH_CHARACTERS) || "tool"}_${sha256(name).slice(0, HASH_CHARACTERS)}`;
}

/** A request with every tool's name as providers take it. */
export function withWireNames(request: ModelRequest): ModelRequest {
  const { tools, tool_choice: choice, messages } = request;
  return {
    ...request,
    tools: tools.map((tool) => ({ ...tool, name: wireName(tool.name) })),
    tool_choice: typeof choice === "object" ? { tool: wireName(choice.tool) } : choice,
    messages: messages.map(named),
  };
}

function named(message: ModelMessage): ModelMessage {
  if (message.role === "tool") return { ...message, tool_name: wireName(message.tool_name) };
  if (message.role !== "assistant" || message.calls.length === 0) return message;
  return { ...message, calls: message.calls.map((call) => ({ ...call, name: wireName(call.name) })) };
}

/** The tool that a model means by the name it was offered. */
export const meantName = (tools: readonly OfferedTool[], called: string): string =>
  tools.find(({ name }) => wireName(name) === called)?.name ?? called;

/** What the trace says of the tools that are offered under another name. */
export const aliasNotes = (tools: readonly OfferedTool[]): string[] =>
  tools
    .filter(({ name }) => wireName(name) !== name)
    .map(({ name }) => `Providers refuse the tool name "${name}"; it was offered as ${wireName(name)}.`);
