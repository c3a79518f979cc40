import type { TraceEntry } from "../events/trace.ts";

/** What a channel does to a turn that runs. */
export class TurnControl {
  readonly #cut = new AbortController();
  #asides: { text: string; at: Date }[] = [];
  #seen: TraceEntry[] = [];

  /**
   * The person speaks: the model's answer is broken off and it isn't asked again. A tool that runs is brought to its end,
   * since what it does can't be undone, and what came of it is stored.
   */
  interrupt(): void {
    this.#cut.abort();
  }

  get interrupted(): AbortSignal {
    return this.#cut.signal;
  }

  /** Something was said meanwhile to fill the wait: it is in the transcript, and the model doesn't read it back. */
  aside(text: string, at: Date): void {
    this.#asides.push({ text, at });
  }

  /** The channel saw something that belongs into the trace. */
  see(...entries: TraceEntry[]): void {
    this.#seen.push(...entries);
  }

  takeSeen(): TraceEntry[] {
    return this.#seen.splice(0);
  }

  takeAsides(): { text: string; at: Date }[] {
    const asides = this.#asides;
    this.#asides = [];
    return asides;
  }
}
