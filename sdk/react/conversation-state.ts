import type { Memory } from "../../public/chat/saved-chat.js";
import type { Entry } from "./entries.ts";
import type { VoiceState } from "./voice-call.ts";

/** `signal` is aborted when the agent waits no longer. */
// biome-ignore lint/suspicious/noExplicitAny: the tool's own JSON Schema says what it is called with; the server has checked it
export type ClientTool = (given: any, signal: AbortSignal) => unknown;

/** What a page says of the conversation that it shows. */
export type ConversationOptions = {
  /** Where Parley is: `https://parley.example`. */
  server: string;
  /** The target of a web chat channel, such as `front-desk`. The channel's allowed origins must name your site. */
  target: string;
  /** Signed by your server: who the visitor is. Another person begins another conversation. */
  identityToken?: string | null;
  /** What the page tells the agent when a conversation begins: `vars.page.<name>` in its prompt. Claims, as a visitor can change them. */
  variables?: Record<string, string>;
  /** A button of a card was pressed that has an `actionId`. Its text is sent to the agent besides. */
  onPress?: (actionId: string, text: string) => void;
  /** Tools of the agent (`"type": "client"`) that run in this page, by name: each gives its result, or throws why there is none. */
  tools?: Record<string, ClientTool>;
  /** Runs the tools that `tools` does not name. */
  onToolCall?: (tool_name: string, given: Record<string, unknown>, signal: AbortSignal) => unknown;
  /** Where the conversation is remembered over a reload; the browser's `localStorage` when left out, null: nowhere. */
  memory?: Memory | null;
};

export type ConversationStatus =
  /** Nothing was begun yet. */
  | "idle"
  | "connecting"
  | "connected"
  /** The connection was lost, and is tried again; what is sent meanwhile goes out later. */
  | "reconnecting"
  /** `ended` says why. */
  | "ended";

export type ConversationEnd = {
  /** "agent", "user" or what else ended it; "refused": the server did not let it begin or go on. */
  reason: string;
  /** A sentence to show. */
  text: string;
  /** What the visitor wrote and could not be sent any more, to be offered to them again. */
  unsent: string[];
};

export type ConversationState = {
  status: ConversationStatus;
  ended: ConversationEnd | null;
  /** Empty before the first connection. */
  agentName: string;
  /** Parley's offline model answers, from a script: say so on the page. */
  isScripted: boolean;
  messages: readonly Entry[];
  /** The agent is at work on an answer. */
  isAnswering: boolean;
  /** The last thing that went wrong, in a sentence to show; null once something went right again. */
  error: string | null;
  /** A call by voice: a session of its own, with the same agent. */
  voice: VoiceState;
};

export const NOTHING_YET: Omit<ConversationState, "voice"> = {
  status: "idle",
  ended: null,
  agentName: "",
  isScripted: false,
  messages: [],
  isAnswering: false,
  error: null,
};
