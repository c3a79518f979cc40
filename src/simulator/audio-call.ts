import { setImmediate } from "node:timers/promises";
import { FRAME_MS, Framer, frameLength } from "../audio/frames.ts";
import { join } from "../audio/level.ts";
import { silence } from "../audio/tones.ts";
import { type MovedClock, movedClock } from "../base/clock.ts";
import type { CallInput } from "../channels/call-socket.ts";
import type { MediaReport } from "../media/line-report.ts";
import { MediaLine } from "../media/media-line.ts";
import { HEARING_RATE } from "../speech/hearing.ts";
import type { LocalHearing } from "../speech/local/local-hearing.ts";
import type { Speaking } from "../speech/speaking.ts";
import { isLoud } from "./caller-ear.ts";

type AudioCallParts = {
  hearing: LocalHearing;
  speaking: Speaking;
  /** Sentences that may be said by the caller. */
  expected: readonly string[];
  /** What the agent answers to what it heard; null: nothing. */
  answer(text: string): string | null;
  /** Samples a second of the line. */
  rate?: number;
  /** The agent has called, and finds out who answered. */
  finds_answerer?: boolean;
  /** Told of everything the line tells. */
  told?(input: CallInput): void;
};

/**
 * A call as audio, on a clock of its own: the media line, the offline engines and a caller, frame by frame. A frame is only
 * over once everything in it was heard and made, so a loaded machine hears and decides the same as an idle one; what the
 * engines' work costs in real time is therefore not in it.
 */
export class AudioCall {
  /** Frame by frame, at the same moments. */
  readonly sent: Int16Array[] = [];
  readonly heard: Int16Array[] = [];
  readonly inputs: CallInput[] = [];
  readonly reports: MediaReport[] = [];
  /** What the agent was given to say, as it was written. */
  readonly written: string[] = [];
  readonly #parts: AudioCallParts;
  readonly #clock: MovedClock = movedClock("2026-01-01T00:00:00Z");
  readonly #line: MediaLine;
  readonly #rate: number;
  #queue: (Int16Array | string)[] = [];
  #making = 0;
  #fault = "";

  constructor(parts: AudioCallParts) {
    this.#parts = parts;
    this.#rate = parts.rate ?? HEARING_RATE;
    this.#line = new MediaLine({
      clock: this.#clock,
      line: {
        rate: this.#rate,
        play: (frame) => void this.#queue.push(frame),
        mark: (name) => void this.#queue.push(name),
        // As a page does, which returns no marks of what it threw away.
        clear: () => void this.#queue.splice(0),
        close: () => {},
      },
      hearing: parts.hearing,
      detection: null,
      speaking: { ...parts.speaking, speak: (utterance, signal) => this.#speak(utterance, signal) },
      voice: {
        languages: [{ code: "en-US", provider: null, voice: "slt", speed: null, pitch: null }],
        interruptible_by: "all",
        hints: [...parts.expected],
        finds_answerer: parts.finds_answerer ?? false,
      },
      soundAt: () => null,
      findsKeys: true,
      tell: (input) => this.#take(input),
      report: (report) => void this.reports.push(report),
      ended: () => {},
    });
  }

  get line(): MediaLine {
    return this.#line;
  }

  /** The agent speaks. */
  say(text: string): void {
    this.written.push(text);
    this.#line.send({ type: "say", text, last: true, lang: null, interruptible: true });
  }

  /** These samples go into the microphone. Returns the first frame of them. */
  async play(samples: Int16Array): Promise<number> {
    const from = this.sent.length;
    const framer = new Framer(this.#rate);
    const frames = framer.push(samples);
    const rest = framer.flush();
    for (const frame of rest ? [...frames, rest] : frames) await this.#frame(frame);
    return from;
  }

  async wait(ms: number): Promise<void> {
    await this.play(silence(this.#rate, ms));
  }

  /** In silence, until it holds; false: it did not within so long. */
  async until(holds: () => boolean, within_ms: number): Promise<boolean> {
    for (let ms = 0; ms < within_ms && !holds(); ms += FRAME_MS) await this.wait(FRAME_MS);
    return holds();
  }

  /** Nothing of the agent has sounded for so long. */
  isQuietFor(ms: number): boolean {
    const frames = ms / FRAME_MS;
    return this.heard.length >= frames && !this.heard.slice(-frames).some(isLoud) && this.#queue.length === 0;
  }

  heardSince(frame: number): Int16Array {
    return join(this.heard.slice(frame));
  }

  close(): void {
    this.#line.closed();
  }

  async #frame(frame: Int16Array): Promise<void> {
    this.sent.push(frame);
    this.#returnMarks();
    const next = this.#queue.shift();
    this.heard.push(next instanceof Int16Array ? next : new Int16Array(frameLength(this.#rate)));
    this.#returnMarks();
    this.#line.hear(frame);
    await this.#parts.hearing.caughtUp();
    await this.#settled();
    this.#clock.advance(FRAME_MS);
    await this.#settled();
    if (this.#fault !== "") throw new Error(this.#fault);
  }

  #returnMarks(): void {
    while (typeof this.#queue[0] === "string") this.#line.marked(this.#queue.shift() as string);
  }

  /** What the voice was asked for is made. */
  async #settled(): Promise<void> {
    do await setImmediate();
    while (this.#making > 0);
  }

  async *#speak(...[utterance, signal]: Parameters<Speaking["speak"]>): ReturnType<Speaking["speak"]> {
    this.#making++;
    try {
      yield* this.#parts.speaking.speak(utterance, signal);
    } finally {
      this.#making--;
    }
  }

  #take(input: CallInput): void {
    this.inputs.push(input);
    this.#parts.told?.(input);
    if (input.type === "fault" || input.type === "deaf") this.#fault = input.message;
    if (input.type !== "speech" || !input.final) return;
    const answer = this.#parts.answer(input.text);
    if (answer !== null) this.say(answer);
  }
}
