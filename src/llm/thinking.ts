const OPENS = "<think>";
const CLOSES = "</think>";

/**
 * Whether the server of a model writes the opening tag into the question itself, so that an answer begins within a thought
 * and only the closing tag comes; null: it has not answered yet. One of a model, shared by its answers. Decision 0263.
 */
export type ThinkingHabit = { opens_itself: boolean | null };

/**
 * Takes the pieces of an answer as they come, and gives out of each what is for the person. Models of one's own write what
 * they think before they answer between these tags, and not every server tells it apart from the answer. Decision 0267.
 */
export class Thinking {
  readonly #habit: ThinkingHabit;
  /** `unopened`: what comes may be a thought, which the next closing tag tells. */
  #state: "unopened" | "undecided" | "thinking" | "answering";
  #hasThought = false;
  #held = "";
  /** The end of what was given out, where a tag may have begun. */
  #given = "";

  constructor(habit: ThinkingHabit = { opens_itself: false }) {
    this.#habit = habit;
    this.#state = habit.opens_itself === false ? "undecided" : "unopened";
  }

  /** What can be given out now; empty while it thinks, or may have begun to. */
  pass(piece: string): string {
    this.#held += piece;
    while (this.#state !== "answering") {
      if (!this.#goesOn()) return "";
    }
    return this.#take();
  }

  /** The server sends thoughts in a field of their own. */
  toldApart(): void {
    this.#habit.opens_itself = false;
    if (this.#state === "unopened") this.#state = "undecided";
  }

  /**
   * What was held back when the answer is over: the beginning of a tag that did not become one, or all of an answer without
   * a thought. `is_cut`: it ended at a limit, perhaps within its thought.
   */
  rest(is_cut = false): string {
    if (this.#state === "unopened") {
      if (this.#habit.opens_itself && is_cut) return "";
      if (!is_cut) this.#habit.opens_itself ??= false;
      return this.#take();
    }
    return this.#state === "thinking" ? "" : this.#take();
  }

  /** False where more has to come before anything can be said. */
  #goesOn(): boolean {
    if (this.#state === "unopened" && !this.#isOpened()) return false;
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

  /** Whether a tag has arrived that shows where the thought begins or ends. */
  #isOpened(): boolean {
    if (this.#held.trimStart().startsWith(OPENS)) {
      this.#habit.opens_itself = false;
      this.#state = "undecided";
    } else if (this.#held.includes(CLOSES)) {
      this.#habit.opens_itself = true;
      this.#state = "thinking";
    }
    return this.#state !== "unopened";
  }

  #take(): string {
    const held = this.#held;
    this.#held = "";
    // Too late for this answer, not for the next.
    this.#given = `${this.#given}${held}`.slice(-held.length - CLOSES.length);
    if (!this.#hasThought && this.#given.includes(CLOSES) && !this.#given.includes(OPENS))
      this.#habit.opens_itself = true;
    return held;
  }
}
