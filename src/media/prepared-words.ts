import type { Speaking, Utterance } from "../speech/speaking.ts";

/** Makes the audio of words that will probably be said next, where the engine keeps it. One text at a time. */
export class PreparedWords {
  readonly #speaking: Speaking;
  #making: AbortController | null = null;

  constructor(speaking: Speaking) {
    this.#speaking = speaking;
  }

  prepare(utterance: Utterance): void {
    if (this.#making || !this.#speaking.keeps) return;
    this.#making = new AbortController();
    void this.#drain(utterance, this.#making.signal);
  }

  /** They are said now: what is made of them goes on. */
  used(): void {
    this.#making = null;
  }

  drop(): void {
    this.#making?.abort();
    this.#making = null;
  }

  /** Where it fails, it fails again when it is said, and is told then. */
  async #drain(utterance: Utterance, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of this.#speaking.speak(utterance, signal)) if (signal.aborted) return;
    } catch {}
  }
}
