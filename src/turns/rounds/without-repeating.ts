import { countMeaningful, spaced, wordStarts } from "../../base/writing/words.ts";
import type { LanguageModel, ModelPart, ModelRequest } from "../../llm/model.ts";

/** Fewer words that the last answer ended with may come again by chance, or because they are said twice. */
const FEWEST_WORDS = 3;
/** A model begins anew, or says its last sentences again. */
const MOST_WORDS = 100;

/** The model that goes on where its answer broke off: what it says again of `said` is left out. */
export function withoutRepeating(model: LanguageModel, said: string): LanguageModel {
  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const repeated = new Repeated(said);
    const text = (delta: string): ModelPart[] => (delta === "" ? [] : [{ type: "text", delta }]);
    try {
      for await (const part of model.stream(request)) {
        if (part.type === "text") yield* text(repeated.pass(part.delta));
        else {
          yield* text(repeated.rest());
          yield part;
        }
      }
    } catch (error) {
      yield* text(repeated.rest());
      throw error;
    }
  }
  return { ...model, stream };
}

/**
 * Takes the pieces of an answer as they come, and gives out what the person has not heard yet. A model that is told to go on
 * may begin its answer anew, or the sentence that broke off.
 */
export class Repeated {
  readonly #said: string;
  /** Where in `#said` the answer may have begun again; null once that is decided. */
  #begins: number[] | null;
  #held = "";

  constructor(said: string) {
    this.#said = said.trim();
    this.#begins = [
      0,
      ...wordStarts(this.#said)
        .slice(1)
        .slice(-MOST_WORDS)
        .filter((at) => isEnough(this.#ending(at))),
    ];
  }

  /** What can be given out now; empty while all of it was said before. */
  pass(piece: string): string {
    if (this.#begins === null) return piece;
    this.#held = `${this.#held}${piece}`.trimStart();
    const possible = this.#begins.filter((at) => this.#ending(at).startsWith(this.#held));
    if (possible.length > 0) return "";
    const again = this.#begins.find((at) => this.#held.startsWith(this.#ending(at)));
    return this.#give(again === undefined ? 0 : this.#ending(again).length);
  }

  /** What was held back when the answer is over. */
  rest(): string {
    if (this.#begins === null) return "";
    const isAgain = this.#said.startsWith(this.#held) || isEnough(this.#held);
    return this.#give(isAgain ? this.#held.length : 0);
  }

  #ending = (at: number): string => this.#said.slice(at);

  #give(from: number): string {
    const held = this.#held.slice(from);
    this.#begins = null;
    this.#held = "";
    return from > 0 ? held.trimStart() : held;
  }
}

const isEnough = (text: string): boolean =>
  countMeaningful(spaced(text).trim().split(/\s+/)) >= FEWEST_WORDS && /\p{L}/u.test(text);
