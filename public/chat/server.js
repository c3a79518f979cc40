// @ts-check
/**
 * The calls of web chat, and the two ways they fail: the server said no, or it could not be asked.
 *
 * @typedef {import("./saved-chat.js").Session} Session
 * @typedef {import("./saved-chat.js").Message} Message
 * @typedef {{ type: "message", role: "user" | "agent", text: string, timestamp: string, id?: string | null }
 *   | { type: "tool_display", tool_name: string, display_result: any } | ShownCall} Said
 * @typedef {{ type: "tool_result", tool_name: string, arguments: unknown, result: unknown, error: string | null,
 *   duration_ms: number }} ShownCall
 * @typedef {{ agent_name: string, scripted: boolean, ended: boolean, messages: Said[] }} Chat
 * @typedef {Said | { type: "typing", text: string } | { type: "aside", text: string } | { type: "session_end", reason: string }
 *   | { type: "answered", id: string } | { type: "error", message: string, id?: string | null }} ChatEvent
 */

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

/** @param {string} target @param {string | null} identity_token @returns {Promise<Chat & { session_id: string, token: string }>} */
export const openChat = (target, identity_token) =>
  call("POST", "/chat/v1/sessions", { client_id: target, identity_token }, LONG_MS);

/** @param {string} target @param {string | null} identity_token @returns {Promise<{ call_id: string, token: string }>} */
export const openCall = (target, identity_token) =>
  call("POST", "/chat/v1/calls", { client_id: target, identity_token }, SHORT_MS);

/** @param {Session} session @returns {Promise<Chat>} */
export const readChat = (session) => call("GET", address(session), undefined, SHORT_MS);

/** @param {Session} session @param {Message} message @returns {Promise<{ events: ChatEvent[] }>} */
export const sendByHttp = (session, { id, text }) =>
  call("POST", address(session, "/messages"), { id, text }, LONG_MS);

/** @param {Session} session */
export const endChat = (session) => call("POST", address(session, "/end"), {}, SHORT_MS);

/** An open socket, or a rejection where sockets don't get through. @param {Session} session @returns {Promise<WebSocket>} */
export function openSocket(session) {
  const url = new URL(address(session, "/socket"), location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url.href);
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
}

/** @param {Session} session @param {string} what */
const address = ({ id, token }, what = "") =>
  `/chat/v1/sessions/${id}${what}?token=${encodeURIComponent(token)}`;

/** @param {string} method @param {string} path @param {object | undefined} body @param {number} timeout_ms */
async function call(method, path, body, timeout_ms) {
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      signal: AbortSignal.timeout(timeout_ms),
    });
    answer = await response.json().catch(() => ({}));
  } catch {
    throw new Unreachable(null);
  }
  if (response.ok) return answer;
  const { detail } = answer;
  const words = typeof detail === "string" ? detail : detail?.[0]?.msg;
  if (TRY_AGAIN.includes(response.status)) {
    const wait_ms = Number(response.headers.get("retry-after")) * 1000 || null;
    throw new Unreachable(wait_ms, typeof words === "string" ? words : null);
  }
  throw new Refused(response.status, typeof words === "string" ? words : "The server did not accept that.");
}
