// @ts-check
/**
 * One call: the server is asked for it, then sound goes both ways over its socket (`/chat/v1/calls/socket`). A call
 * whose connection breaks has ended; it can be called again.
 *
 * @typedef {{ role: "user" | "agent", text: string, final: boolean }} Words
 * @typedef {{ connecting(): void, connected(): void, speaking(on: boolean): void, words(words: Words): void, cut(): void,
 *   notice(text: string): void, over(why: string): void }} CallEvents
 */
import { NoAudio, openAudio } from "./call-audio.js";
import { openCall, Refused } from "./server.js";

/** As much as a second of sound not sent yet: what the microphone hears meanwhile is left out. */
const MOST_UNSENT_BYTES = 32_000;
const OFFLINE_MS = 15_000;
const CONNECT_MS = 15_000;

/** @param {string} target @param {string | null} identity_token @param {CallEvents} on */
export function startCall(target, identity_token, on) {
  /** @type {Awaited<ReturnType<typeof openAudio>> | null} */
  let audio = null;
  /** @type {WebSocket | null} */
  let socket = null;
  let isReady = false;
  let isOver = false;
  let problem = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const send = (/** @type {object} */ message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const end = (/** @type {string} */ why) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    removeEventListener("offline", offline);
    removeEventListener("online", online);
    removeEventListener("pagehide", hangUp);
    document.removeEventListener("visibilitychange", seen);
    send({ type: "hangup" });
    socket?.close();
    audio?.close();
    on.over(why);
  };
  const hangUp = () => end("");
  const offline = () => {
    on.notice("You are offline. The call goes on as soon as the connection is back.");
    clearTimeout(timer);
    timer = setTimeout(() => end("The connection was lost, and the call has ended."), OFFLINE_MS);
  };
  const online = () => {
    clearTimeout(timer);
    on.notice("");
  };
  const seen = () => document.hidden || audio?.wake();

  const take = (/** @type {any} */ message) => {
    if (message.type === "ready") {
      isReady = true;
      clearTimeout(timer);
      on.connected();
    } else if (message.type === "mark") audio?.play(message.name);
    else if (message.type === "clear") {
      audio?.play("clear");
      on.cut();
    } else if (message.type === "words") on.words(message);
    else if (message.type === "error") problem = message.message;
    else if (message.type === "end") end("");
  };

  const open = async () => {
    audio = await openAudio({
      heard: (frame) => {
        if (isReady && socket && navigator.onLine && socket.bufferedAmount < MOST_UNSENT_BYTES)
          socket.send(frame);
      },
      marked: (name) => send({ type: "marked", name }),
      playing: on.speaking,
      lost: end,
      paused: (paused) => on.notice(paused ? "The browser has paused the microphone." : ""),
    });
    if (isOver) return audio.close();
    on.connecting();
    const { call_id, token } = await openCall(target, identity_token);
    if (isOver) return;
    const url = new URL("/chat/v1/calls/socket", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(url.href);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => send({ type: "start", call_id, token });
    socket.onmessage = ({ data }) => {
      if (isOver) return;
      if (typeof data === "string") take(JSON.parse(data));
      else audio?.play(data);
    };
    socket.onclose = () =>
      end(
        problem ||
          (isReady ? "The connection was lost, and the call has ended." : "The call can't be connected."),
      );
    timer = setTimeout(() => end("The call can't be connected. Please try again."), CONNECT_MS);
  };

  addEventListener("offline", offline);
  addEventListener("online", online);
  addEventListener("pagehide", hangUp);
  document.addEventListener("visibilitychange", seen);
  open().catch((error) => {
    const known = error instanceof NoAudio || error instanceof Refused;
    end(known ? error.message : "The call can't be connected. Please try again.");
  });
  return {
    hangUp,
    mute: (/** @type {boolean} */ muted) => audio?.mute(muted),
    press: (/** @type {string} */ digit) => send({ type: "key", digit }),
  };
}
