import { type Agent, WebSocket } from "undici";
import { tryParseJson } from "../base/parse-json.ts";
import { signature } from "./callbacks.ts";

/** Our side of a ConversationRelay: what the carrier's end of the WebSocket hears from the platform. */
export type RelayHandlers = {
  opened(): void;
  /** One message of the platform's, parsed. */
  heard(message: Record<string, unknown>): void;
  closed(): void;
};

export type RelayLine = { send(message: object): void; close(): void };

export function openRelay(options: {
  /** As TwiML named it; it is what is signed. */
  url: string;
  /** Where that is really reached. */
  reach(origin: string): string;
  auth_token: string;
  agent: Agent;
  handlers: RelayHandlers;
}): RelayLine {
  const { handlers } = options;
  const named = new URL(options.url);
  const origin = `${named.protocol.replace("ws", "http")}//${named.host}`;
  const reached = options.reach(origin).replace(/^http/, "ws");
  const socket = new WebSocket(`${reached}${named.pathname}${named.search}`, {
    dispatcher: options.agent,
    headers: { "x-twilio-signature": signature(options.auth_token, named.href, {}) },
  });
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    handlers.closed();
  };
  socket.addEventListener("open", () => handlers.opened());
  socket.addEventListener("message", ({ data }) => {
    if (over) return;
    const message = tryParseJson(data);
    if (message !== undefined) handlers.heard(message as Record<string, unknown>);
  });
  socket.addEventListener("close", end);
  socket.addEventListener("error", end);
  return {
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close() {
      over = true;
      socket.close();
    },
  };
}
