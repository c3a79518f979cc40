/** Engines that hear are given frames of 20 ms at this rate. */
export const HEARING_RATE = 16_000;

/** What a line's audio holds. Moments are milliseconds of audio since the ear was opened, and not of the clock. */
export type Heard =
  /** Somebody began to speak, so it seems: words confirm it. */
  | { type: "speech_started"; at_ms: number }
  /** `words_follow`: a `final` will come, also where nothing was understood, however long the engine takes. */
  | { type: "speech_stopped"; at_ms: number; words_follow?: boolean }
  /** The words of this utterance so far; the next may correct them. */
  | { type: "partial"; text: string }
  /**
   * The words of an utterance, to its end. Empty: it had none after all. `words_follow`: the next one has begun already, and
   * has a `final` of its own.
   */
  | { type: "final"; text: string; words_follow?: boolean }
  /**
   * What an engine that judges turns itself says of the caller's: probably over; not over after all; over. The last comes
   * after the turn's final words.
   */
  | { type: "turn"; is: "probably_over" | "resumed" | "over" }
  /** The engine went deaf for good: the sentence is for the log. */
  | { type: "fault"; message: string };

export type ListeningFor = {
  /** BCP 47. */
  language: string;
  /** What is likely to be said: the agent's own words, names, choices. */
  expected: readonly string[];
};

/** One line's audio is pushed in frames, in order; `close` ends it, and nothing is told after it. */
export type Ear = {
  push(frame: Int16Array): void;
  /** The turn was taken with the words told so far: they are not told again. */
  endTurn?(): void;
  close(): void;
};

/** An engine that hears. */
export type Hearing = {
  name: string;
  /** US dollars for a minute of audio, 0 for an engine of this machine; left out: not known. */
  minute_usd?: number;
  open(listening: ListeningFor, tell: (heard: Heard) => void): Ear;
};
