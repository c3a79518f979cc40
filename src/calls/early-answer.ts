import type { TraceEntry } from "../events/trace.ts";
import type { Engine } from "../sessions/engine.ts";
import { SpeculativeTurn } from "../turns/rounds/speculative-turn.ts";
import { NOTHING_UNSPOKEN, speakable } from "./spoken-text.ts";

/**
 * The answer of a call that is begun before its turn: the model writes, the first sentence is made to be spoken, and nothing
 * of it is stored or said. A turn takes it over, or it is dropped and its cost is told.
 */
export class EarlyAnswer {
  readonly #engine: Engine;
  readonly #session_id: number;
  readonly #line: { prepare(text: string): void; observe(entry: TraceEntry): void };
  #begun: SpeculativeTurn | null = null;

  constructor(
    engine: Engine,
    session_id: number,
    line: { prepare(text: string): void; observe(entry: TraceEntry): void },
  ) {
    this.#engine = engine;
    this.#session_id = session_id;
    this.#line = line;
  }

  begin(text: string): void {
    this.forget("other words were heard");
    let unspoken = NOTHING_UNSPOKEN;
    let isPrepared = false;
    const feed = (delta: string) => {
      if (isPrepared) return;
      const { pieces, rest } = speakable(unspoken, delta);
      unspoken = rest;
      const first = pieces.find((piece) => piece.trim() !== "");
      if (first === undefined) return;
      isPrepared = true;
      this.#line.prepare(first.trim());
    };
    // No blank follows the last sentence, so a line end marks its end.
    const words = { feed, pause: () => feed("\n") };
    this.#begun = new SpeculativeTurn(this.#engine, this.#session_id, text, words);
  }

  forget(because: string): void {
    const begun = this.take();
    if (begun) void this.drop(begun, because);
  }

  /** From now on it is the caller's, who runs a turn with it or drops it. */
  take(): SpeculativeTurn | null {
    const begun = this.#begun;
    this.#begun = null;
    return begun;
  }

  /** Tells what an answer cost that no turn took. */
  async drop(speculation: SpeculativeTurn, because: string): Promise<void> {
    try {
      const entry = await speculation.drop(because);
      if (entry) this.#line.observe(entry);
    } catch (error) {
      this.#engine.log.warn({ err: error, session_id: this.#session_id }, "a dropped answer failed");
    }
  }
}
