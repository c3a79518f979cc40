import type { FileHandle } from "node:fs/promises";
import { bytesOf } from "../../audio/frames.ts";
import { Resampler } from "../../audio/resample.ts";
import { SETTLED_MS, TwoSides } from "../../audio/two-sides.ts";
import { type Clock, steadyClock } from "../../base/clock.ts";
import type { LineRecorder } from "../../media/media-line.ts";

/** The telephone's sample rate: 115 MB an hour. */
export const RECORDED_RATE = 8000;
const WRITE_MS = 1000;
/** Recording stops when the disk is this far behind. */
const MOST_WAITING_BYTES = 4 * 2 ** 20;

/** Writes both sides of a line to a file, sealed, a second at a time. `ended` is given the end of its writing. */
export class SidesRecorder implements LineRecorder {
  readonly #clock: Clock;
  readonly #file: FileHandle;
  readonly #seal: (bytes: Uint8Array) => Buffer;
  readonly #sides = new TwoSides(RECORDED_RATE);
  readonly #began: number;
  readonly #caller: Resampler | null;
  #agent: Resampler | null;
  readonly #line_rate: number;
  readonly #ended: (closed: Promise<void>) => void;
  #wake: (() => void) | null = null;
  #writing: Promise<void> = Promise.resolve();
  #waiting = 0;
  #failure: Error | null = null;
  #isOver = false;

  constructor(
    clock: Clock,
    { file, seal }: { file: FileHandle; seal: (bytes: Uint8Array) => Buffer },
    line_rate: number,
    ended: (closed: Promise<void>) => void,
  ) {
    this.#clock = steadyClock(clock);
    this.#file = file;
    this.#seal = seal;
    this.#line_rate = line_rate;
    this.#began = this.#clock.now().getTime();
    this.#caller = this.#resampler();
    this.#agent = this.#resampler();
    this.#ended = ended;
    this.#setAlarm();
  }

  caller(frame: Int16Array): void {
    this.#sides.caller(this.#caller?.push(frame) ?? frame, this.#now());
  }

  agent(frame: Int16Array): void {
    this.#sides.agent(this.#agent?.push(frame) ?? frame, this.#now());
  }

  clear(): void {
    this.#sides.clear(this.#now());
    this.#agent = this.#resampler();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wake?.();
    this.#write(this.#now());
    this.#ended(this.#close());
  }

  async #close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
    if (this.#failure) throw this.#failure;
  }

  #resampler(): Resampler | null {
    return this.#line_rate === RECORDED_RATE ? null : new Resampler(this.#line_rate, RECORDED_RATE);
  }

  #now(): number {
    return this.#clock.now().getTime() - this.#began;
  }

  #setAlarm(): void {
    this.#wake = this.#clock.wakeAt(new Date(this.#clock.now().getTime() + WRITE_MS), () => {
      this.#write(this.#now() - SETTLED_MS);
      if (!this.#isOver) this.#setAlarm();
    });
  }

  /** Writes run one after the other and never delay the call. */
  #write(until_ms: number): void {
    const bytes = bytesOf(this.#sides.take(until_ms));
    if (this.#failure || bytes.length === 0) return;
    this.#waiting += bytes.length;
    if (this.#waiting > MOST_WAITING_BYTES) this.#fail(new Error("the disk is too slow"));
    this.#writing = this.#writing
      .then(async () => {
        await this.#file.write(this.#seal(bytes));
        this.#waiting -= bytes.length;
      })
      .catch((error) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  }
}
