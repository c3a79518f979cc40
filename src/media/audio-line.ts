/**
 * A line as audio: what a carrier or a browser gives us of a call, and what it is given. An adapter turns its wire
 * messages into these. Frames are 20 ms of 16-bit samples.
 */
export type AudioLine = {
  /** Samples a second, both ways. */
  rate: number;
  play(frame: Int16Array): void;
  /** Told again, by `AudioInput.marked`, once everything played before it was heard or thrown away. */
  mark(name: string): void;
  /** Throws away what was played and not heard yet. */
  clear(): void;
  close(): void;
};

/** What the line tells, in order. */
export type AudioInput = {
  hear(frame: Int16Array): void;
  /** A key that the carrier has found; keys inside the audio are found by `MediaLine`. */
  key(digit: string): void;
  marked(name: string): void;
  fault(message: string): void;
  /** `lost`: nobody meant it. */
  closed(lost?: boolean): void;
};
