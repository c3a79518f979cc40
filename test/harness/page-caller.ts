import { type CallWords, SocketCaller } from "../../src/commands/call-socket.ts";
import { spokenText } from "../../src/simulator/caller-audio.ts";
import type { Speaking } from "../../src/speech/speaking.ts";
import { WAITING } from "./waiting.ts";

/** Somebody who calls from a page, in real time, and speaks with this mouth. */
export class PageCaller {
  readonly words: CallWords[];
  readonly #line: SocketCaller;
  readonly #mouth: Speaking;

  static async call(
    url: string,
    call: { call_id: string; token: string },
    mouth: Speaking,
  ): Promise<PageCaller> {
    const words: CallWords[] = [];
    const line = new SocketCaller(url, call, (said) => words.push(said));
    await line.connected();
    return new PageCaller(line, mouth, words);
  }

  private constructor(line: SocketCaller, mouth: Speaking, words: CallWords[]) {
    this.#line = line;
    this.#mouth = mouth;
    this.words = words;
  }

  /** Frame by frame, at the same moments: what went into the microphone, and what came out of the loudspeaker. */
  get sent(): readonly Int16Array[] {
    return this.#line.sent;
  }

  get heard(): readonly Int16Array[] {
    return this.#line.heard;
  }

  /** How often what was sent was thrown away unheard. */
  get cleared(): number {
    return this.#line.cleared;
  }

  get isHearing(): boolean {
    return this.#line.isHearing;
  }

  get transcript(): string[] {
    return this.words.filter(({ final }) => final).map(({ role, text }) => `${role}: ${text}`);
  }

  /** Resolves once it was said. */
  async say(text: string, voice = "rms"): Promise<void> {
    await this.play(await speech(this.#mouth, text, voice));
  }

  /** Samples at 16 kHz into the microphone; resolves once they went out. */
  async play(samples: Int16Array): Promise<void> {
    await this.#line.say(samples);
  }

  async until(holds: () => boolean): Promise<void> {
    await this.#line.until(holds, WAITING.timeout);
    if (!holds()) throw new Error(`waited in vain; heard ${JSON.stringify(this.words.slice(-4))}`);
  }

  async agentSays(part: string): Promise<void> {
    await this.until(() => this.words.some(({ role, text }) => role === "agent" && text.includes(part)));
  }

  hangUp(): void {
    this.#line.hangUp();
  }
}

/** What a voice of the mouth makes of a text, at 16 kHz. */
export const speech = (mouth: Speaking, text: string, voice = "rms"): Promise<Int16Array> =>
  spokenText(mouth, text, { voice });
