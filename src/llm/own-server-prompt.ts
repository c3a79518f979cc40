import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { sha256 } from "../base/crypto.ts";

/** Stands for an answer that the person cut short before its first word, where one has to follow a tool's result. */
const CUT_SHORT = "…";

/**
 * A conversation as the templates of open models take it: Mistral's and Gemma's refuse everything but one system message,
 * then a user's and an assistant's in turn, and Mistral's each id of a call but one of nine letters and digits. Decision
 * 0264.
 */
export function ownServerPrompt(prompt: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const turns: LanguageModelV4Message[] = [];
  for (const message of prompt.map(withShortIds)) {
    const before = turns.at(-1);
    if (before?.role === "system" && message.role === "system")
      turns.splice(-1, 1, { role: "system", content: `${before.content}\n\n${message.content}` });
    else if (before?.role === "user" && message.role === "user")
      turns.splice(-1, 1, { role: "user", content: [textOf(before.content, message.content)] });
    else if (before?.role === "assistant" && message.role === "assistant") {
      const rest = message.content.filter(({ type }) => type !== "text");
      turns.splice(-1, 1, { role: "assistant", content: [textOf(before.content, message.content), ...rest] });
    } else if (before?.role === "tool" && message.role === "user")
      turns.push({ role: "assistant", content: [{ type: "text", text: CUT_SHORT }] }, message);
    else turns.push(message);
  }
  return turns;
}

type Part = { type: string; text?: unknown };

/** What one side said in two messages, as one part. */
function textOf(...contents: readonly (readonly Part[])[]): { type: "text"; text: string } {
  const texts = contents.flat().flatMap(({ type, text }) => (type === "text" ? [String(text)] : []));
  return { type: "text", text: texts.join("\n\n") };
}

function withShortIds(message: LanguageModelV4Message): LanguageModelV4Message {
  switch (message.role) {
    case "assistant":
      return { ...message, content: message.content.map(withShortId) };
    case "tool":
      return { ...message, content: message.content.map(withShortId) };
    default:
      return message;
  }
}

const TAKEN = /^[a-zA-Z0-9]{9}$/;

/** Told by the id alone, so that a call and its result keep the same one. */
const withShortId = <P extends object>(part: P): P =>
  "toolCallId" in part && typeof part.toolCallId === "string" && !TAKEN.test(part.toolCallId)
    ? { ...part, toolCallId: sha256(part.toolCallId).slice(0, 9) }
    : part;
