import { UNSPACED } from "../../base/writing/scripts.ts";

/**
 * What a service that counts turns in its own way tells again of words that were taken already: only what is new is left.
 * They are counted without marks and capitals, as a service writes the same words anew when it is sure of them.
 */
export class TakenWords {
  #told = "";
  #taken = 0;

  /** Of the service's running turn, what is new. */
  partial(text: string): string {
    this.#told = text;
    return this.#rest(text);
  }

  /** The service's turn is over; the next begins anew. */
  final(text: string): string {
    const rest = this.#rest(text);
    this.#told = "";
    this.#taken = 0;
    return rest;
  }

  /** All that was told until now is taken. */
  take(): void {
    if (this.#told !== "") this.#taken = countWords(this.#told);
  }

  get isEmpty(): boolean {
    return this.#told === "";
  }

  /** As many words as were taken are left out, also where the service has corrected one of them. */
  #rest(text: string): string {
    return behindWords(text, this.#taken);
  }
}

export const countWords = (text: string): number => words(text).length;

/** What stands behind the first words of a text. */
export function behindWords(text: string, count: number): string {
  if (count === 0) return text;
  const all = words(text);
  const last = all[count - 1];
  if (last === undefined || all.length === count) return "";
  return text.slice(last.index + last[0].length).replace(/^[^\s\p{L}\p{N}]*\s*/u, "");
}

/** Where no blanks stand between words, each sign counts as one. */
const WORD = new RegExp(String.raw`${UNSPACED}\p{M}*|(?:(?!${UNSPACED})[\p{L}\p{N}\p{M}'’])+`, "gv");

const words = (text: string): RegExpExecArray[] => [...text.matchAll(WORD)];
