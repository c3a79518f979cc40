// @ts-check
/**
 * One call: the server is asked for it, then sound goes both ways over its socket (`/chat/v1/calls/socket`). When that
 * breaks, the page comes back to the same call over another, for some seconds.
 *
 * @typedef {{ role: "user" | "agent", text: string, final: boolean }} Words
 * @typedef {{ connecting(): void, connected(): void, speaking(on: boolean): void, words(words: Words): void,
 *   cut(unheard: string): void, notice(text: string): void, over(why: string): void }} CallEvents
 */
import { NoAudio, openAudio } from "./call-audio.js";
import { chatServer, Refused, Unreachable } from "./server.js";
import { texts } from "./texts.js";

/** As much as a second of sound not sent yet: what the microphone hears meanwhile is left out. */
const MOST_UNSENT_BYTES = 32_000;
const OFFLINE_MS = 15_000;
const CONNECT_MS = 15_000;
const AGAIN_MS = 1_000;

/**
 * @param {() => Promise<{ call_id: string, token: string }>} ask asks the server for the call
 * @param {CallEvents} on
 * @param {Pick<import("./server.js").Server, "callSocket"> & { worklet?: string }} server whose call it is; left out: this page's own
 */
export function startCall(ask, on, server = chatServer(location.origin)) {
  /** @type {Awaited<ReturnType<typeof openAudio>> | null} */
  let audio = null;
  /** @type {WebSocket | null} */
  let socket = null;
  let isReady = false;
  let isOver = false;
  let isMuted = false;
  let problem = "";
  /** Comes back to the call; empty until it was reached once. */
  let again = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const send = (/** @type {object} */ message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const end = (/** @type {string} */ why) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    clearTimeout(next);
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
    on.notice(texts.call_offline);
    clearTimeout(timer);
    timer = setTimeout(() => end(texts.call_lost), OFFLINE_MS);
  };
  const online = () => {
    // What connects has an end of its own.
    if (socket && !isReady) return;
    clearTimeout(timer);
    on.notice("");
  };
  const seen = () => document.hidden || audio?.wake();

  const take = (/** @type {any} */ message) => {
    if (message.type === "ready") {
      isReady = true;
      clearTimeout(timer);
      on.notice("");
      if (!again) on.connected();
      again = message.again;
    } else if (message.type === "mark") audio?.play(message.name);
    else if (message.type === "clear") audio?.play("clear");
    else if (message.type === "words") on.words(message);
    else if (message.type === "unheard") on.cut(message.text);
    else if (message.type === "error") problem = message.message;
    else if (message.type === "end") end("");
  };

  const connect = (/** @type {string} */ call_id, /** @type {string} */ token) => {
    socket = server.callSocket();
    socket.binaryType = "arraybuffer";
    socket.onopen = () => send({ type: "start", call_id, token });
    socket.onmessage = ({ data }) => {
      if (isOver) return;
      if (typeof data === "string") take(JSON.parse(data));
      else audio?.play(data);
    };
    socket.onclose = ({ code }) => {
      if (isOver) return;
      // The server closes in order what it ends or refuses.
      if (!again || problem || code === 1000)
        return end(problem || (again ? texts.call_lost : texts.call_failed));
      if (isReady) {
        isReady = false;
        audio?.play("clear");
        on.notice(texts.call_returning);
        clearTimeout(timer);
        timer = setTimeout(() => end(texts.call_lost), OFFLINE_MS);
      }
      next = setTimeout(() => connect(call_id, again), AGAIN_MS);
    };
  };

  const open = async () => {
    audio = await openAudio(
      {
        heard: (frame) => {
          if (isReady && socket && navigator.onLine && socket.bufferedAmount < MOST_UNSENT_BYTES)
            socket.send(frame);
        },
        marked: (name) => send({ type: "marked", name }),
        playing: on.speaking,
        lost: end,
        paused: (paused) => on.notice(paused ? texts.mic_paused : ""),
      },
      server.worklet,
    );
    if (isOver) return audio.close();
    audio.mute(isMuted);
    on.connecting();
    const { call_id, token } = await ask();
    if (isOver) return;
    connect(call_id, token);
    clearTimeout(timer);
    timer = setTimeout(() => end(texts.call_failed), CONNECT_MS);
  };

  addEventListener("offline", offline);
  addEventListener("online", online);
  addEventListener("pagehide", hangUp);
  document.addEventListener("visibilitychange", seen);
  open().catch((error) => {
    const known = error instanceof NoAudio || error instanceof Refused;
    const told = error instanceof Unreachable ? error.told : null;
    end(known ? error.message : (told ?? texts.call_failed));
  });
  return {
    hangUp,
    mute(/** @type {boolean} */ muted) {
      isMuted = muted;
      audio?.mute(muted);
    },
    press: (/** @type {string} */ digit) => send({ type: "key", digit }),
  };
}

/**
 * The agent's texts, the newest last, without their unheard end and with a dash where it broke off; "" for those of which
 * nothing was heard.
 * @param {readonly string[]} texts
 * @param {string} unheard
 */
export function withoutUnheard(texts, unheard) {
  const cut = [...texts];
  let rest = unheard;
  for (let at = cut.length - 1; at >= 0 && rest !== ""; at--) {
    const text = /** @type {string} */ (cut[at]);
    if (text.endsWith(rest) && text !== rest) {
      cut[at] = `${text.slice(0, -rest.length).trimEnd()} —`;
      break;
    }
    if (!rest.endsWith(text)) break;
    cut[at] = "";
    rest = rest.slice(0, -text.length).trimEnd();
  }
  return cut;
}
