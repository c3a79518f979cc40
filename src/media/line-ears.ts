import { Resampler } from "../audio/resample.ts";
import { type Ear, HEARING_RATE, type Heard, type Hearing } from "../speech/hearing.ts";

/** An engine that tells of a voice later than this has its moments wrong. */
const MOST_LATE_MS = 1500;

/** What was heard, and how long before the last frame the ears were given; only voices have a moment. */
type Told = (heard: Heard, ago_ms: number) => void;

/** The ears of one line: an engine that hears and, where it doesn't tell who speaks when, voice detection beside it. */
export class LineEars {
  readonly #hearing: Hearing;
  readonly #detection: ((tell: (heard: Heard) => void) => Ear) | null;
  readonly #expected: readonly string[];
  readonly #told: Told;
  readonly #resampler: Resampler | null;
  #ears: Ear[] = [];
  /** Samples that the ears were given. */
  #pushed = 0;

  constructor(parts: {
    hearing: Hearing;
    detection: ((tell: (heard: Heard) => void) => Ear) | null;
    expected: readonly string[];
    /** Samples a second of the line. */
    rate: number;
    told: Told;
  }) {
    this.#hearing = parts.hearing;
    this.#detection = parts.detection;
    this.#expected = parts.expected;
    this.#told = parts.told;
    this.#resampler = parts.rate === HEARING_RATE ? null : new Resampler(parts.rate, HEARING_RATE);
  }

  /** What is half said in one language is no beginning of another. */
  listenFor(language: string): void {
    this.close();
    const opened_at = this.#pushed;
    const tell = (heard: Heard) => this.#told(heard, this.#agoOf(heard, opened_at));
    this.#ears = [this.#hearing.open({ language, expected: this.#expected }, tell)];
    if (this.#detection) this.#ears.push(this.#detection(tell));
  }

  push(frame: Int16Array): void {
    const samples = this.#resampler ? this.#resampler.push(frame) : frame;
    this.#pushed += samples.length;
    for (const ear of this.#ears) ear.push(samples);
  }

  endTurn(): void {
    for (const ear of this.#ears) ear.endTurn?.();
  }

  close(): void {
    for (const ear of this.#ears) ear.close();
    this.#ears = [];
  }

  /** The last frame that the ears were given is the present. */
  #agoOf(heard: Heard, opened_at: number): number {
    if (heard.type !== "speech_started" && heard.type !== "speech_stopped") return 0;
    const given_ms = ((this.#pushed - opened_at) * 1000) / HEARING_RATE;
    return Math.min(MOST_LATE_MS, Math.max(0, given_ms - heard.at_ms));
  }
}
