import type { Clock } from "../base/clock.ts";

type FirstSound = { making_ms: number; mouth_to_ear_ms: number | null };

/** How long the caller waits for the first sound of an answer, a greeting among them. */
export class AnswerLatency {
  readonly #clock: Clock;
  /** The answer that is to come: since when the caller is silent, and since when its first words are known. */
  #answer: { silent_since: number | null; words_at: number | null } | null = {
    silent_since: null,
    words_at: null,
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The caller has finished, and was silent for so long by then. */
  turnEnded(silence_ms: number): void {
    this.#answer = { silent_since: this.#now() - silence_ms, words_at: null };
  }

  /** Words are given to be said; the first of an answer count. */
  words(): void {
    if (this.#answer) this.#answer.words_at ??= this.#now();
  }

  /** Something of ours begins to sound; null where it is no answer's first. */
  firstSound(): FirstSound | null {
    const { silent_since = null, words_at = null } = this.#answer ?? {};
    if (words_at === null) return null;
    this.#answer = null;
    const now = this.#now();
    return {
      making_ms: now - words_at,
      mouth_to_ear_ms: silent_since === null ? null : now - silent_since,
    };
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}
