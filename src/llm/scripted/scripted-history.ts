/** What the scripted model makes of a conversation: all it knows, it reads from the messages each time anew. */
import type { ModelMessage } from "../model.ts";
import { todayIn } from "./scripted-dates.ts";

export type ToolAnswer = Extract<ModelMessage, { role: "tool" }>;

/** The platform's tool that ends a session: called on a goodbye, never for a wish. */
export const HANGUP = "hangup";

/** Why the model is asked just now. */
export type Occasion =
  | { type: "start" }
  | { type: "user"; text: string }
  | { type: "silence" }
  /** The tools that answered since the model last spoke or called, oldest first. */
  | { type: "results"; answers: ToolAnswer[] };

/** The agent's own words never are an occasion: a greeting or a text the engine spoke may follow what is to be answered. */
export function occasionOf(messages: readonly ModelMessage[]): Occasion {
  const answers: ToolAnswer[] = [];
  for (const message of messages.toReversed()) {
    if (message.role === "tool") answers.unshift(message);
    else if (message.role === "system") continue;
    else if (answers.length > 0) return { type: "results", answers };
    else if (message.role === "user")
      return isSilence(message.text) ? { type: "silence" } : { type: "user", text: message.text };
  }
  return answers.length > 0 ? { type: "results", answers } : { type: "start" };
}

/** The engine marks a silent turn with an empty text or a note. */
export const isSilence = (text: string): boolean => /^(\(silence\))?$/i.test(text.trim());

export const lastUserText = (messages: readonly ModelMessage[]): string =>
  messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).at(-1) ?? "";

export const systemText = (messages: readonly ModelMessage[]): string =>
  messages.flatMap((message) => (message.role === "system" ? [message.text] : [])).join("\n");

export const today = (messages: readonly ModelMessage[]): string | null => todayIn(systemText(messages));

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
