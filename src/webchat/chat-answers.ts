import { z } from "zod";
import type { ClientCall } from "../sessions/live/client-calls.ts";

/** What the operations of a chat page answer. */
const Words = {
  type: z.literal("message"),
  role: z.enum(["user", "agent"]),
  text: z.string(),
  timestamp: z.string(),
};
const ToolDisplay = z
  .object({ type: z.literal("tool_display"), tool_name: z.string(), display_result: z.unknown() })
  .meta({ id: "ChatToolDisplay" });

/** A call whose tool hands its results on and has no cards for them: the page shows it as a line to open. */
export const ShownCall = z
  .object({
    type: z.literal("tool_result"),
    tool_name: z.string(),
    arguments: z.unknown(),
    result: z.unknown(),
    error: z.string().nullable(),
    duration_ms: z.number(),
  })
  .meta({ id: "ChatToolResult" });
export type ShownCall = z.infer<typeof ShownCall>;

/** What a visitor has seen of a chat, in order: the words with the page's own number of each, and the cards. */
const SaidInChat = z.union([
  z.object({ ...Words, id: z.string().nullable() }).meta({ id: "ChatWords" }),
  ToolDisplay,
  ShownCall,
]);

const soFar = {
  agent_name: z.string(),
  scripted: z.boolean().describe("The shipped offline model answers: the page says so"),
  ended: z.boolean(),
  messages: z.array(SaidInChat),
  position: z
    .int()
    .describe(
      "How far `messages` go. A socket that is opened with it as `after` first tells what a colleague wrote since",
    ),
};
const ChatSoFar = z.object(soFar);
export type ChatSoFar = z.infer<typeof ChatSoFar>;

export const ResumedChat = z.object({ session_id: z.string(), ...soFar }).meta({ id: "ResumedChat" });
export const OpenedChat = z
  .object({
    session_id: z.string(),
    token: z.string().describe("Lets the page go on with this chat; nothing else does"),
    greeting: z.string().nullable(),
    verified: z.boolean(),
    ...soFar,
  })
  .meta({ id: "OpenedChat" });

/** What answers a message, in order; typing is left out. */
const ChatAnswer = z.union([
  z.object(Words).meta({ id: "ChatMessageEvent" }),
  z.object({ type: z.literal("aside"), text: z.string() }),
  ToolDisplay,
  ShownCall,
  z.object({ type: z.literal("session_end"), reason: z.string() }),
]);
export type ChatAnswer = z.infer<typeof ChatAnswer>;
export const ChatAnswers = z.object({ events: z.array(ChatAnswer) }).meta({ id: "ChatAnswers" });

export const EndedChat = z.object({ ended: z.literal(true) }).meta({ id: "EndedChat" });

/** What a socket is sent: an aside is said while the answer is still being made. */
export type ChatEvent =
  | ChatAnswer
  /** What a colleague wrote: a page that has read the chat beyond `position` shows it already. */
  | (Extract<ChatAnswer, { type: "message" }> & { position: number })
  | { type: "typing"; text: string }
  /** A tool that runs in the page is called; the page answers by `POST …/client_calls/{key}`. */
  | ({ type: "client_call" } & ClientCall)
  /** All that answers the message of this number was sent; the page need not ask for it again. */
  | { type: "answered"; id: string }
  | { type: "error"; message: string; id?: string | null };
