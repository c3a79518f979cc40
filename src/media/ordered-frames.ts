import { InOrder } from "../audio/in-order.ts";

/**
 * A number further off than this is not of the same count: a second of frames of 20 ms. It also bounds how much silence
 * one frame can bring with it.
 */
export const MOST_MISSING = 50;

/**
 * Numbered frames of audio in their order, without holes: what is missing once `window` later frames have come is
 * replaced by as much silence, so that what follows keeps its time. Doubled and late frames are dropped.
 */
export class OrderedFrames {
  readonly #window: number;
  #order: InOrder<{ number: number; samples: Int16Array }>;
  #next: number;
  /** Frames in a row whose number is far off. As many as the window holds: the carrier counts anew. */
  #strays = 0;

  constructor({ first, window }: { first: number; window: number }) {
    this.#window = window;
    this.#next = first;
    this.#order = new InOrder({ first, window });
  }

  /** The frames whose turn it is now. */
  push(number: number, samples: Int16Array): Int16Array[] {
    if (Math.abs(number - this.#next) > MOST_MISSING) {
      if (++this.#strays < this.#window) return [];
      this.#next = number;
      this.#order = new InOrder({ first: number, window: this.#window });
    }
    this.#strays = 0;
    return this.#order.push(number, { number, samples }).flatMap((frame) => {
      // A carrier's frames are of one length, so a missing one was as long as the one that follows it.
      const silence = Array.from(
        { length: frame.number - this.#next },
        () => new Int16Array(frame.samples.length),
      );
      this.#next = frame.number + 1;
      return [...silence, frame.samples];
    });
  }
}
