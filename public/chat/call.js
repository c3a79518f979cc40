// @ts-check
/**
 * A call to the chat's agent: the microphone goes to the server, and its voice to the loudspeaker. The browser cancels
 * the echo, so that the agent does not hear itself.
 *
 * @typedef {"asking" | "connecting" | "talking"} State
 * @typedef {{
 *   state(state: State): void,
 *   words(role: "user" | "agent", text: string, final: boolean): void,
 *   over(why: string): void,
 * }} Listener `over` comes once, and nothing after it
 */
import { openCall } from "./server.js";

const ENDED = "The call has ended.";
const LOST = "The connection was lost and the call has ended. Press Call to start again.";
const UNPLUGGED = "The microphone was disconnected and the call has ended.";

/** Why the microphone can't be had, in words that help. @type {Record<string, string>} */
const NO_MICROPHONE = {
  NotAllowedError:
    "The microphone is blocked. Allow it in your browser's settings for this page, then press Call again.",
  NotFoundError: "No microphone was found. Connect one, then press Call again.",
  NotReadableError: "Another program is using the microphone. Close it there, then press Call again.",
};

export class Call {
  #listener;
  #over = false;
  #muted = false;
  /** What is stopped at the end. @type {(() => void)[]} */
  #open = [];

  /** @param {Listener} listener */
  constructor(listener) {
    this.#listener = listener;
  }

  /** @param {string} target @param {string | null} identity_token */
  async start(target, identity_token) {
    try {
      this.#listener.state("asking");
      const microphone = await askForMicrophone();
      this.#open.push(() => {
        for (const track of microphone.getTracks()) track.stop();
      });
      if (this.#over) return this.#close();
      this.#listener.state("connecting");
      const { call_id, token } = await openCall(target, identity_token);
      if (this.#over) return this.#close();
      await this.#connect(microphone, { call_id, token });
    } catch (error) {
      this.#end(error instanceof Error ? error.message : String(error));
    }
  }

  hangUp() {
    this.#end(ENDED);
  }

  /** @param {boolean} muted */
  mute(muted) {
    this.#muted = muted;
  }

  /** @param {MediaStream} microphone @param {{ call_id: string, token: string }} start */
  async #connect(microphone, start) {
    const audio = new AudioContext();
    this.#open.push(() => void audio.close());
    const file = (/** @type {string} */ name) =>
      audio.audioWorklet.addModule(new URL(name, import.meta.url).href);
    await Promise.all([file("microphone-worklet.js"), file("speaker-worklet.js")]);
    // A page that nobody has touched may not sound; pressing Call was a touch.
    await audio.resume();
    if (this.#over) return this.#close();
    const heard = new AudioWorkletNode(audio, "microphone", { numberOfOutputs: 0 });
    const spoken = new AudioWorkletNode(audio, "speaker", { numberOfInputs: 0 });
    audio.createMediaStreamSource(microphone).connect(heard);
    spoken.connect(audio.destination);

    const url = new URL("/chat/v1/calls/socket", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url.href);
    socket.binaryType = "arraybuffer";
    this.#open.push(() => socket.close());
    let refusal = "";
    let ended = false;
    socket.onopen = () => socket.send(JSON.stringify({ type: "start", ...start }));
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return spoken.port.postMessage(data, [data]);
      const message = JSON.parse(data);
      if (message.type === "ready") this.#listener.state("talking");
      else if (message.type === "mark") spoken.port.postMessage(message.name);
      else if (message.type === "clear") spoken.port.postMessage("clear");
      else if (message.type === "words") this.#listener.words(message.role, message.text, message.final);
      else if (message.type === "end") ended = true;
      else if (message.type === "error") refusal = message.message;
    };
    socket.onclose = () => this.#end(ended ? ENDED : refusal || LOST);
    heard.port.onmessage = ({ data }) => {
      if (socket.readyState === WebSocket.OPEN)
        socket.send(this.#muted ? new ArrayBuffer(data.byteLength) : data);
    };
    spoken.port.onmessage = ({ data: name }) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "marked", name }));
    };
    for (const track of microphone.getAudioTracks()) track.onended = () => this.#end(UNPLUGGED);
  }

  /** @param {string} why */
  #end(why) {
    if (this.#over) return;
    this.#over = true;
    this.#close();
    this.#listener.over(why);
  }

  #close() {
    for (const stop of this.#open.splice(0)) stop();
  }
}

async function askForMicrophone() {
  if (!navigator.mediaDevices) throw new Error("Calls need a secure connection: open this page by https.");
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
    });
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    throw new Error(
      NO_MICROPHONE[name] ?? "The microphone can't be used. Check your browser's settings for this page.",
    );
  }
}
