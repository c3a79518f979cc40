import { z } from "zod";
import { Fault } from "../base/errors.ts";
import type { Engine } from "../sessions/engine.ts";
import type { TurnEvent, TurnResult } from "../turns/turn-event.ts";
import type { ChatAnswer, ChatEvent } from "./chat-answers.ts";
import { shownCall } from "./chat-so-far.ts";
import type { VisitorLimit } from "./visitor-limit.ts";

export const ChatMessage = z.object({
  text: z.string().max(4000),
  id: z
    .string()
    .min(1)
    .max(100)
    .nullish()
    .describe("The page's own ID of the message: sent twice, answered once"),
});

/** So long does a message wait for a place. */
const PATIENCE_MS = 60_000;
const CROWDED = "Many people are writing to us at the moment. Please send that again in a moment.";

/** A turn that fails, or that the model had no answer for, is not the visitor's to pay for. */
export async function withinLimit(
  limit: VisitorLimit,
  session_id: number,
  turn: () => Promise<TurnResult>,
): Promise<TurnResult> {
  refuseHaste(limit, session_id);
  let isAnswered = false;
  try {
    const result = await turn();
    isAnswered = !result.failed;
    return result;
  } finally {
    if (!isAnswered) limit.takeBack(String(session_id));
  }
}

/**
 * Runs a turn in one of the places that its sub-organization finds free, and waits in order for one until then: however
 * many slow chats one of them has, the next one's first message finds a place.
 */
export async function inTurn<T>(
  { chatTurns }: Engine,
  { sub_organization_id }: { sub_organization_id: number },
  turn: () => Promise<T>,
): Promise<T> {
  const leave = await chatTurns.enter(String(sub_organization_id), PATIENCE_MS, CROWDED);
  try {
    return await turn();
  } finally {
    leave();
  }
}

/** One chat, one visitor: over a socket or without, it is the same minute. */
function refuseHaste(limit: VisitorLimit, session_id: number): void {
  const retry_after_s = limit.wait_s(String(session_id));
  if (retry_after_s === null) return;
  throw new Fault("too-many", `That was a lot at once. Please write again in ${retry_after_s} s.`, {
    retry_after_s,
  });
}

export const turnInput = (message: z.infer<typeof ChatMessage>) => ({
  text: message.text,
  client_message_id: message.id ?? null,
  has_page: true,
});

export const isAnswer = (event: ChatEvent | null): event is ChatAnswer =>
  event !== null && !["typing", "client_call", "answered", "error"].includes(event.type);

export function shownToVisitor(event: TurnEvent): ChatEvent | null {
  switch (event.type) {
    case "delta":
      return { type: "typing", text: event.text };
    case "message":
      return {
        type: "message",
        role: "agent",
        text: event.text,
        timestamp: event.at.toISOString(),
      };
    case "tool_call":
      return { type: "typing", text: "" };
    case "tool_result":
      if (event.display_result) {
        return { type: "tool_display", tool_name: event.tool_name, display_result: event.display_result };
      }
      return event.propagated && shownCall({ ...event, ...event.propagated });
    case "client_call":
      return { type: "client_call", ...event.call };
    case "aside":
      return { type: "aside", text: event.text };
    case "text_end":
    case "words_over":
    case "language":
    case "keys":
      return null;
    case "session_end":
      return event;
  }
}
