import type { Aligned } from "../audio/playout.ts";

/** Something to say, in a voice's own name for itself; null stands for the engine's choice. */
export type Utterance = {
  text: string;
  /** BCP 47. */
  language: string;
  voice: string | null;
  /** 1 is the voice's own pace. */
  speed: number | null;
};

/** A part of what is said, in the order it sounds. Alignment counts from the first sample of the whole utterance. */
export type SpokenAudio = {
  samples: Int16Array;
  aligned: Aligned[];
  /** Made before, and kept (`kept-speech.ts`): it costs nothing now. */
  isKept?: true;
};

/** An engine that speaks: text in, audio out as it is made. Throws a Fault where it can't; `signal` ends it early. */
export type Speaking = {
  name: string;
  /** US dollars for a minute of audio, 0 for an engine of this machine; left out: not known. */
  minute_usd?: number;
  /** US dollars for a thousand characters, of engines that charge by text. */
  thousand_characters_usd?: number;
  /** Samples a second of what it gives. */
  rate: number;
  speak(utterance: Utterance, signal: AbortSignal): AsyncIterable<SpokenAudio>;
  /** What was made once is kept (`kept-speech.ts`), so it may be made before it is known to be said. */
  keeps?: true;
  /** Speech that is made before any line asks for it, such as a greeting (`kept-speech.ts`). */
  beforehand?: {
    has(utterance: Utterance): boolean;
    /** Rejects as `speak` does. */
    make(utterance: Utterance): Promise<void>;
  };
  /** Connects for what is said next, so that the first words need not wait for it. */
  prepare?(utterance: Omit<Utterance, "text">): void;
};
