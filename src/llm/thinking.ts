const OPENS = "<think>";
const CLOSES = "</think>";

/**
 * Takes the pieces of an answer as they come, and gives out of each what is for the person. Models of one's own write what
 * they think before they answer between these tags, and not every server tells it apart from the answer. Decision 0267.
 */
export class Thinking {
  #state: "undecided" | "thinking" | "answering" = "undecided";
  #hasThought = false;
  #held = "";

  /** What can be given out now; empty while it thinks, or may have begun to. */
  pass(piece: string): string {
    this.#held += piece;
    while (this.#state !== "answering") {
      if (!this.#goesOn()) return "";
    }
    return this.#take();
  }

  /** What was held back when the answer is over: the beginning of a tag that did not become one. */
  rest(): string {
    return this.#state === "thinking" ? "" : this.#take();
  }

  /** False where more has to come before anything can be said. */
  #goesOn(): boolean {
    if (this.#state === "thinking") {
      const at = this.#held.indexOf(CLOSES);
      this.#held = at < 0 ? this.#held.slice(-(CLOSES.length - 1)) : this.#held.slice(at + CLOSES.length);
      if (at < 0) return false;
      this.#state = "undecided";
      this.#hasThought = true;
    }
    const begun = this.#held.trimStart();
    // The blanks between a thought and the answer belong to neither.
    if (this.#hasThought) this.#held = begun;
    if (begun.startsWith(OPENS)) {
      this.#state = "thinking";
      this.#held = begun.slice(OPENS.length);
      return true;
    }
    if (OPENS.startsWith(begun)) return false;
    this.#state = "answering";
    return true;
  }

  #take(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}
