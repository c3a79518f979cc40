// @ts-check
/**
 * The calls of web chat, and the two ways they fail: the server said no, or it could not be asked.
 *
 * @typedef {import("./saved-chat.js").Session} Session
 * @typedef {import("./saved-chat.js").Message} Message
 * @typedef {{ type: "message", role: "user" | "agent", text: string, timestamp: string, id?: string | null, position?: number }
 *   | { type: "tool_display", tool_name: string, display_result: any } | ShownCall} Said
 * @typedef {{ type: "tool_result", tool_name: string, arguments: unknown, result: unknown, error: string | null,
 *   duration_ms: number }} ShownCall
 * @typedef {{ agent_name: string, scripted: boolean, ended: boolean, messages: Said[], position?: number }} Chat a server of
 *   an earlier version tells no `position`
 * @typedef {import("./page-tools.js").ClientCall} ClientCall
 * @typedef {Said | ({ type: "client_call" } & ClientCall) | { type: "typing", text: string } | { type: "aside", text: string } | { type: "session_end", reason: string }
 *   | { type: "answered", id: string } | { type: "error", message: string, id?: string | null }} ChatEvent
 */
import { texts } from "./texts.js";

/** The server's own words are fit to be shown. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Worth trying again, after `wait_ms` where the server named a time. */
export class Unreachable extends Error {
  /** `told`: the server's own words, where it has some. @param {number | null} wait_ms @param {string | null} told */
  constructor(wait_ms, told = null) {
    super("the server can't be asked now");
    this.wait_ms = wait_ms;
    this.told = told;
  }
}

/** What an overloaded server, or a proxy before one that starts again, answers. */
const TRY_AGAIN = [429, 502, 503, 504];
const SHORT_MS = 20_000;
/** A turn in which tools are slow. */
const LONG_MS = 180_000;
const SOCKET_MS = 6_000;

/**
 * The calls of one server, from a page of its own or of a registered site.
 *
 * @typedef {{ target: string, identity_token: string | null, variables?: Record<string, string> }} Visit
 * @typedef {ReturnType<typeof chatServer>} Server
 * @param {string} base the server's address: `https://parley.example`
 */
export function chatServer(base) {
  /** @param {Session} session @param {string} what */
  const address = ({ id, token }, what = "") =>
    `/chat/v1/sessions/${id}${what}?token=${encodeURIComponent(token)}`;
  /** @param {string} method @param {string} path @param {object | undefined} body @param {number} timeout_ms */
  const ask = (method, path, body, timeout_ms) => call(method, new URL(path, base).href, body, timeout_ms);
  /** @param {string} path */
  const socketAddress = (path) => {
    const url = new URL(path, base);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url.href;
  };
  /** @param {Visit} visit */
  const who = ({ target, ...visit }) => ({ client_id: target, ...visit });

  return {
    /** @param {Visit} visit @returns {Promise<Chat & { session_id: string, token: string }>} */
    openChat: (visit) => ask("POST", "/chat/v1/sessions", who(visit), LONG_MS),

    /** @param {Visit} visit @returns {Promise<{ call_id: string, token: string }>} */
    openCall: (visit) => ask("POST", "/chat/v1/calls", who(visit), SHORT_MS),

    /** @param {Session} session @returns {Promise<Chat>} */
    readChat: (session) => ask("GET", address(session), undefined, SHORT_MS),

    /** @param {Session} session @param {Message} message @returns {Promise<{ events: ChatEvent[] }>} */
    sendByHttp: (session, { id, text }) => ask("POST", address(session, "/messages"), { id, text }, LONG_MS),

    /** Calls of tools that wait for the page. @param {Session} session @returns {Promise<{ calls: ClientCall[] }>} */
    readCalls: (session) => ask("GET", address(session, "/client_calls"), undefined, SHORT_MS),

    /** @param {Session} session @param {string} key @param {{ result: unknown } | { error: string }} answer */
    answerCall: (session, key, answer) =>
      ask("POST", address(session, `/client_calls/${encodeURIComponent(key)}`), answer, SHORT_MS),

    /** @param {Session} session */
    endChat: (session) => ask("POST", address(session, "/end"), {}, SHORT_MS),

    /**
     * An open socket, or a rejection where sockets don't get through. It tells first what a colleague wrote after what was
     * read. @param {Session} session @param {number | undefined} after @returns {Promise<WebSocket>}
     */
    openSocket(session, after) {
      const from = after === undefined ? "" : `&after=${after}`;
      return new Promise((resolve, reject) => {
        const socket = new WebSocket(socketAddress(address(session, "/socket") + from));
        const timer = setTimeout(() => socket.close(), SOCKET_MS);
        socket.onopen = () => {
          clearTimeout(timer);
          resolve(socket);
        };
        socket.onclose = () => {
          clearTimeout(timer);
          reject(new Unreachable(null));
        };
      });
    },

    callSocket: () => new WebSocket(socketAddress("/chat/v1/calls/socket")),
  };
}

/** A signal that is aborted later. Not `AbortSignal.timeout`: iPhones with iOS 15 don't have it. @param {number} timeout_ms */
export function timeLimit(timeout_ms) {
  const controller = new AbortController();
  const late = new DOMException("It took too long.", "TimeoutError");
  const timer = setTimeout(() => controller.abort(late), timeout_ms);
  return { signal: controller.signal, lift: () => clearTimeout(timer) };
}

/** @param {string} method @param {string} url @param {object | undefined} body @param {number} timeout_ms */
async function call(method, url, body, timeout_ms) {
  let response;
  let answer;
  const limit = timeLimit(timeout_ms);
  try {
    response = await fetch(url, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      signal: limit.signal,
    });
    answer = await response.json().catch(() => ({}));
  } catch {
    throw new Unreachable(null);
  } finally {
    limit.lift();
  }
  if (response.ok) return answer;
  const { detail } = answer;
  const words = typeof detail === "string" ? detail : detail?.[0]?.msg;
  if (TRY_AGAIN.includes(response.status)) {
    const wait_ms = Number(response.headers.get("retry-after")) * 1000 || null;
    throw new Unreachable(wait_ms, typeof words === "string" ? words : null);
  }
  throw new Refused(response.status, typeof words === "string" ? words : texts.refused);
}
