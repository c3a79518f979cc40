import type { TraceEntry } from "../events/trace.ts";

/** How a channel controls a running turn. */
export class TurnControl {
  readonly #cut = new AbortController();
  #asides: { text: string; at: Date }[] = [];
  #seen: TraceEntry[] = [];

  /**
   * The person speaks: the model's answer is aborted and it isn't asked again. A running tool finishes, since its effects
   * can't be undone, and its result is stored.
   */
  interrupt(): void {
    this.#cut.abort();
  }

  get interrupted(): AbortSignal {
    return this.#cut.signal;
  }

  /** A phrase filled the wait: it belongs to the transcript, but not to the model's history. */
  aside(text: string, at: Date): void {
    this.#asides.push({ text, at });
  }

  /** The channel adds an entry to the trace. */
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
