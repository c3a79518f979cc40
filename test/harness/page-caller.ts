import WebSocket from "ws";
import { bytesOf, Framer, samplesOf } from "../../src/audio/frames.ts";
import { join } from "../../src/audio/level.ts";
import type { VoiceEngines } from "../../src/media/voice-engines.ts";
import { HEARING_RATE } from "../../src/speech/hearing.ts";

const FRAME_MS = 20;
const SILENCE = new Int16Array(HEARING_RATE / 50);

type Words = { role: "user" | "agent"; text: string; final: boolean; at: number };

/**
 * Somebody who calls from a page, in real time: a microphone that never stops, and a loudspeaker that plays what it is
 * sent and returns its marks.
 */
export class PageCaller {
  readonly words: Words[] = [];
  readonly problems: string[] = [];
  /** Frame by frame, at the same moments: what went into the microphone, and what came out of the loudspeaker. */
  readonly sent: Int16Array[] = [];
  readonly heard: Int16Array[] = [];
  cleared = 0;
  isOver = false;
  readonly #socket: WebSocket;
  readonly #mouth: VoiceEngines["speaking"];
  #toSay: Int16Array[] = [];
  #playing: (Int16Array | string)[] = [];
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  readonly #began = performance.now();

  static async call(url: string, call: { call_id: string; token: string }, mouth: VoiceEngines["speaking"]) {
    const socket = new WebSocket(`${url.replace("http", "ws")}/chat/v1/calls/socket`);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const caller = new PageCaller(socket, mouth);
    socket.send(JSON.stringify({ type: "start", ...call }));
    await caller.until(() => caller.#isReady || caller.isOver);
    return caller;
  }

  #isReady = false;

  private constructor(socket: WebSocket, mouth: VoiceEngines["speaking"]) {
    this.#socket = socket;
    this.#mouth = mouth;
    socket.on("message", (data, isBinary) =>
      isBinary ? this.#playing.push(samplesOf(data as Buffer)) : this.#take(String(data)),
    );
    socket.on("close", () => this.#end());
    this.#timer = setInterval(() => this.#tick(), FRAME_MS / 2);
  }

  #take(text: string): void {
    const message = JSON.parse(text);
    if (message.type === "ready") this.#isReady = true;
    else if (message.type === "mark") this.#playing.push(message.name);
    else if (message.type === "clear") {
      this.cleared++;
      this.#playing = [];
    } else if (message.type === "words") this.words.push({ ...message, at: performance.now() });
    else if (message.type === "error") this.problems.push(message.message);
  }

  /** As many frames as the clock wants, both ways. */
  #tick(): void {
    for (; this.#sent * FRAME_MS < performance.now() - this.#began; this.#sent++) {
      const spoken = this.#toSay.shift() ?? SILENCE;
      this.sent.push(spoken);
      this.#send(bytesOf(spoken));
      this.#returnMarks();
      const frame = this.#playing.shift();
      this.heard.push(frame instanceof Int16Array ? frame : SILENCE);
      this.#returnMarks();
    }
  }

  #returnMarks(): void {
    while (typeof this.#playing[0] === "string") {
      this.#send(JSON.stringify({ type: "marked", name: this.#playing.shift() }));
    }
  }

  #send(data: Buffer | string): void {
    if (this.#isReady && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data);
  }

  /** Resolves once it was said. */
  async say(text: string, voice = "rms"): Promise<void> {
    await this.play(await speech(this.#mouth, text, voice));
  }

  /** Samples at 16 kHz into the microphone; resolves once they went out. */
  async play(samples: Int16Array): Promise<void> {
    this.#toSay.push(...new Framer(HEARING_RATE).push(samples));
    await this.until(() => this.#toSay.length === 0);
  }

  async until(holds: () => boolean): Promise<void> {
    const deadline = performance.now() + 45_000;
    while (!holds()) {
      if (performance.now() > deadline)
        throw new Error(`waited in vain; heard ${JSON.stringify(this.words.slice(-4))}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async agentSays(part: string): Promise<void> {
    await this.until(() => this.words.some(({ role, text }) => role === "agent" && text.includes(part)));
  }

  get isHearing(): boolean {
    return this.#playing.some((entry) => typeof entry !== "string");
  }

  get transcript(): string[] {
    return this.words.filter(({ final }) => final).map(({ role, text }) => `${role}: ${text}`);
  }

  hangUp(): void {
    this.#send(JSON.stringify({ type: "hangup" }));
    this.#end();
  }

  #end(): void {
    this.isOver = true;
    clearInterval(this.#timer);
    this.#socket.close();
  }
}

/** What a voice of the mouth makes of a text, at 16 kHz. */
export async function speech(
  mouth: VoiceEngines["speaking"],
  text: string,
  voice = "rms",
): Promise<Int16Array> {
  const given = { text, language: "en-US", voice, speed: null };
  const pieces: Int16Array[] = [];
  for await (const { samples } of mouth.speak(given, new AbortController().signal)) pieces.push(samples);
  return join(pieces);
}
