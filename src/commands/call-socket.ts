import { bytesOf, Framer, samplesOf } from "../audio/frames.ts";
import { Fault } from "../base/errors.ts";
import { HEARING_RATE } from "../speech/hearing.ts";

const FRAME_MS = 20;
const SILENCE = new Int16Array((HEARING_RATE * FRAME_MS) / 1000);
const CONNECT_MS = 15_000;

export type CallWords = { role: "user" | "agent"; text: string; final: boolean };

/**
 * A caller without a loudspeaker: sends frames and plays what comes at the pace of the clock, as a page does, and keeps
 * both sides. `said` is told of each text of either side.
 */
export class SocketCaller {
  /** Frame by frame, at the same moments. */
  readonly sent: Int16Array[] = [];
  readonly heard: Int16Array[] = [];
  problem = "";
  isOver = false;
  /** When the agent was last heard, or its words came; of `performance.now()`. */
  lastHeard = performance.now();
  answers = 0;
  /** What was said last was recognized, and the agent answered after that: what it said before is no answer to it. */
  isAnswered = false;
  /** How often what was sent was thrown away unheard: the agent was interrupted. */
  cleared = 0;
  readonly #socket: WebSocket;
  readonly #said: (words: CallWords) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #toSay: Int16Array[] = [];
  /** When the line was open: what was due before it is not sent all at once. */
  #began = performance.now();
  #playing: (Int16Array | string)[] = [];
  #isReady = false;
  #isRecognized = false;
  #changed = Promise.withResolvers<void>();

  constructor(baseUrl: string, call: { call_id: string; token: string }, said: (words: CallWords) => void) {
    this.#said = said;
    this.#socket = new WebSocket(`${baseUrl.replace(/^http/, "ws")}/chat/v1/calls/socket`);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("open", () =>
      this.#socket.send(JSON.stringify({ type: "start", call_id: call.call_id, token: call.token })),
    );
    this.#socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.#take(data);
      else this.#playing.push(samplesOf(new Uint8Array(data as ArrayBuffer)));
    });
    this.#socket.addEventListener("close", () => this.#end());
    this.#socket.addEventListener("error", () => this.#end());
    this.#timer = setInterval(() => this.#tick(), FRAME_MS / 2);
  }

  async connected(): Promise<void> {
    await this.until(() => this.#isReady, CONNECT_MS);
    if (this.#isReady) return;
    this.hangUp();
    throw new Fault("unavailable", this.problem || "The call can't be connected.");
  }

  /** Samples at 16 kHz; resolves once they were sent, or the call is over. */
  async say(samples: Int16Array): Promise<void> {
    this.isAnswered = false;
    this.#isRecognized = false;
    this.#toSay.push(...new Framer(HEARING_RATE).push(samples));
    await this.until(() => this.#toSay.length === 0, Number.POSITIVE_INFINITY);
  }

  /** Resolves when it holds, when the call is over, or after so long. */
  async until(holds: () => boolean, within_ms: number): Promise<void> {
    const deadline = performance.now() + within_ms;
    while (!holds() && !this.isOver && performance.now() < deadline) await this.#changed.promise;
  }

  get isHearing(): boolean {
    return this.#playing.some((entry) => typeof entry !== "string");
  }

  hangUp(): void {
    this.#send(JSON.stringify({ type: "hangup" }));
    this.#end();
  }

  #take(text: string): void {
    const message = JSON.parse(text);
    if (message.type === "ready") {
      this.#isReady = true;
      this.#began = performance.now();
    } else if (message.type === "mark") this.#playing.push(message.name);
    else if (message.type === "clear") {
      this.cleared++;
      this.#playing = [];
    } else if (message.type === "error") this.problem = message.message;
    else if (message.type === "words") {
      if (message.role === "agent") {
        this.answers++;
        this.isAnswered = this.#isRecognized;
        this.lastHeard = performance.now();
      } else if (message.final) this.#isRecognized = true;
      this.#said(message);
    }
  }

  #tick(): void {
    while (this.#isReady && this.sent.length * FRAME_MS < performance.now() - this.#began) {
      const spoken = this.#toSay.shift() ?? SILENCE;
      this.sent.push(spoken);
      this.#send(bytesOf(spoken));
      this.#returnMarks();
      const frame = this.#playing.shift();
      if (frame) this.lastHeard = performance.now();
      this.heard.push(frame instanceof Int16Array ? frame : SILENCE);
      this.#returnMarks();
    }
    this.#wake();
  }

  #returnMarks(): void {
    while (typeof this.#playing[0] === "string") {
      this.#send(JSON.stringify({ type: "marked", name: this.#playing.shift() }));
    }
  }

  #send(data: Buffer<ArrayBufferLike> | string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data as string);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #end(): void {
    this.isOver = true;
    clearInterval(this.#timer);
    this.#socket.close();
    this.#wake();
  }
}
