import { FRAME_MS, frameLength } from "../audio/frames.ts";
import type { Playout } from "../audio/playout.ts";
import type { Clock } from "../base/clock.ts";
import type { AudioLine } from "./audio-line.ts";

/** Interval of marks, which report what was played. */
const MARK_MS = 200;
/** When a line returns no marks, audio counts as played this long after it should have been. */
const MARKS_LOST_MS = 2000;

type Parts = { clock: Clock; line: AudioLine; playout: Playout };

/**
 * Tracks how much of the audio sent to a line has been played, by the marks the line returns and, between marks, by the
 * clock. Reports it to `Playout`, which knows the words.
 */
export class PlayClock {
  readonly #clock: Clock;
  readonly #line: AudioLine;
  readonly #playout: Playout;
  readonly #frame: number;
  /** When the audio that is being played began, and at which sample. */
  #run: { at: number; sample: number } | null = null;
  /** Part of each mark's name: marks from before an interruption are told apart by it. */
  #interruptions = 0;
  #marked = 0;
  #markedAt = 0;

  constructor({ clock, line, playout }: Parts) {
    this.#clock = clock;
    this.#line = line;
    this.#playout = playout;
    this.#frame = frameLength(line.rate);
  }

  /** How much audio was sent and, by the clock, not played yet. */
  get ahead_ms(): number {
    if (!this.#run) return 0;
    const sent_ms = ((this.#playout.sent - this.#run.sample) * 1000) / this.#line.rate;
    return sent_ms - (this.#now() - this.#run.at);
  }

  /** Before a frame is sent: where nothing plays any more, it is heard at once. */
  begin(): void {
    if (this.ahead_ms <= 0) this.#run = { at: this.#now(), sample: this.#playout.sent };
  }

  /** After a frame was sent. */
  markIfDue(): void {
    if ((this.#playout.sent / this.#frame) % (MARK_MS / FRAME_MS) === 0) this.mark();
  }

  mark(): void {
    this.#line.mark(`${this.#interruptions}:${this.#playout.sent}`);
  }

  /** A mark came back. False: one from before an interruption, which tells nothing any more. */
  marked(name: string): boolean {
    const [, interruptions, position] = /^(\d+):(\d+)$/.exec(name) ?? [];
    if (Number(interruptions) !== this.#interruptions) return false;
    this.#marked = Number(position);
    this.#markedAt = this.#now();
    this.#playout.play(this.#marked);
    return true;
  }

  /** Between two marks the clock tells what was played; where marks are lost, it tells everything. */
  catchUp(): void {
    if (!this.#run) return;
    const { rate } = this.#line;
    const samples = (ms: number) => Math.floor((ms * rate) / 1000);
    const by_clock = this.#run.sample + samples(this.#now() - this.#run.at);
    const since_mark_ms = this.#now() - Math.max(this.#markedAt, this.#run.at);
    const from = Math.max(this.#marked, this.#run.sample);
    const by_mark = from + samples(Math.min(since_mark_ms, MARK_MS)) - this.#frame;
    // The last frames are known to be heard by their mark alone.
    if (by_mark < this.#playout.sent) this.#playout.play(Math.min(by_mark, by_clock));
    if (since_mark_ms > MARKS_LOST_MS) this.#playout.play(by_clock - samples(MARKS_LOST_MS));
  }

  /** What was sent and not played never is. */
  interrupt(): void {
    this.#interruptions++;
    this.#run = null;
  }

  /** All that was sent was played. */
  rest(): void {
    this.#run = null;
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
