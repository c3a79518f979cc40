import { type Card, readCards } from "../../public/chat/card-list.js";
import type { CallState, ClientCall } from "../../public/chat/page-tools.js";
import type { Message as Unsent } from "../../public/chat/saved-chat.js";
import type { ChatEvent, Said } from "../../public/chat/server.js";

/*
 * What stands in a conversation, from the first to the last, and how what happens changes it. Pure: a change gives a new
 * list, and an entry that did not change stays the same object.
 */

export type { Card, CardAction, Picture } from "../../public/chat/card-list.js";

/** `key` stays the same while an entry grows or is sent: the `key` of its React element. */
export type Entry =
  | {
      type: "message";
      key: string;
      role: "user";
      text: string;
      /** ISO 8601; of what was said just now, by the visitor's own clock. */
      timestamp: string;
      state: "waiting" | "sending" | "sent" | "failed";
      /** Why it was not sent, in words to show. */
      problem: string | null;
    }
  | {
      type: "message";
      key: string;
      role: "agent";
      text: string;
      timestamp: string;
      /** More words of it are still coming. */
      is_streaming: boolean;
      /** Said only to fill a wait: it isn't there after a reload. */
      is_aside: boolean;
    }
  | { type: "cards"; key: string; tool_name: string; cards: Card[] }
  | {
      type: "tool";
      key: string;
      tool_name: string;
      arguments: unknown;
      result: unknown;
      error: string | null;
      duration_ms: number;
    }
  /** A tool of this page was called; gone after a reload. */
  | ({ type: "client_call"; key: string; tool_name: string; arguments: unknown } & CallState);

let counter = 0;
const nextKey = () => `e${++counter}`;

/** A call of a tool of this page, and what became of it. */
export function withCall(entries: readonly Entry[], call: ClientCall, state: CallState): Entry[] {
  const { key, tool_name } = call;
  const entry: Entry = { type: "client_call", key, tool_name, arguments: call.arguments, ...state };
  const at = entries.findIndex((one) => one.key === key);
  return at >= 0 ? entries.with(at, entry) : beforeWaiting(withoutStream(entries), entry);
}

/** There is one at the most. */
const isStreaming = (entry: Entry): boolean =>
  entry.type === "message" && entry.role === "agent" && entry.is_streaming;

const isOfUser = (entry: Entry): entry is Extract<Entry, { role: "user" }> =>
  entry.type === "message" && entry.role === "user";

/** A conversation that was read again: all of it, then what was written and is not answered. */
export function shownChat(said: readonly Said[], unanswered: readonly Unsent[], server: string): Entry[] {
  const stored = said.flatMap((part) => saidEntry(part, server) ?? []);
  const known = new Set(stored.map(({ key }) => key));
  return [...stored, ...unanswered.filter(({ id }) => !known.has(id)).map(waitingEntry)];
}

function saidEntry(part: Said, server: string): Entry | null {
  switch (part.type) {
    case "message": {
      const { role, text, id } = part;
      const timestamp = part.timestamp || new Date().toISOString();
      if (role === "user")
        return { type: "message", key: id || nextKey(), role, text, timestamp, state: "sent", problem: null };
      return { type: "message", key: nextKey(), role, text, timestamp, is_streaming: false, is_aside: false };
    }
    case "tool_display": {
      const cards = readCards(part.display_result, server);
      return cards.length > 0 ? { type: "cards", key: nextKey(), tool_name: part.tool_name, cards } : null;
    }
    case "tool_result": {
      const { type: _, ...call } = part;
      return { ...call, type: "tool", key: nextKey() };
    }
  }
}

export const waitingEntry = ({ id, text }: Unsent): Entry => ({
  type: "message",
  key: id,
  role: "user",
  text,
  timestamp: new Date().toISOString(),
  state: "waiting",
  problem: null,
});

/** What the agent says or does, put before what still waits to be sent. */
export function withEvent(entries: readonly Entry[], event: ChatEvent, server: string): Entry[] {
  switch (event.type) {
    case "typing":
      return event.text === "" ? [...entries] : withWords(entries, event.text);
    case "aside":
      return beforeWaiting(withoutStream(entries), {
        type: "message",
        key: nextKey(),
        role: "agent",
        text: event.text,
        timestamp: new Date().toISOString(),
        is_streaming: false,
        is_aside: true,
      });
    case "message":
    case "tool_display":
    case "tool_result": {
      const entry = saidEntry(event, server);
      if (!entry) return withoutStream(entries);
      const at = entries.findIndex(isStreaming);
      // The same words, whole: they keep their element.
      if (at >= 0 && event.type === "message") return entries.with(at, { ...entry, key: entries[at]!.key });
      return beforeWaiting(withoutStream(entries), entry);
    }
    default:
      return [...entries];
  }
}

function withWords(entries: readonly Entry[], words: string): Entry[] {
  const at = entries.findIndex(isStreaming);
  const growing = entries[at];
  if (growing?.type === "message") return entries.with(at, { ...growing, text: growing.text + words });
  return beforeWaiting(entries, {
    type: "message",
    key: nextKey(),
    role: "agent",
    text: words,
    timestamp: new Date().toISOString(),
    is_streaming: true,
    is_aside: false,
  });
}

/** The words that grew: they are there whole, or the answer has ended without them. */
export const withoutStream = (entries: readonly Entry[]): Entry[] =>
  entries.filter((entry) => !isStreaming(entry));

function beforeWaiting(entries: readonly Entry[], entry: Entry): Entry[] {
  const at = entries.findIndex((one) => isOfUser(one) && one.state === "waiting");
  return at < 0 ? [...entries, entry] : entries.toSpliced(at, 0, entry);
}

/** The message of this key in another state. One that is sent now stands after all that was said. */
export function withState(
  entries: readonly Entry[],
  key: string,
  state: "sending" | "sent" | "failed",
  problem: string | null = null,
): Entry[] {
  const found = entries.find((entry) => entry.key === key);
  if (!found || !isOfUser(found)) return [...entries];
  const changed = { ...found, state, problem };
  if (found.state !== "waiting") return entries.map((entry) => (entry === found ? changed : entry));
  return beforeWaiting(
    entries.filter((entry) => entry !== found),
    changed,
  );
}

export const without = (entries: readonly Entry[], keys: readonly string[]): Entry[] =>
  entries.filter(({ key }) => !keys.includes(key));
