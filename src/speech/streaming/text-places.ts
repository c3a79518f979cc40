/**
 * Where a service's words or characters are in the text that it was given. A service may write them anew (a number spelled
 * out), so that some are not found: they have no place of their own, and the next one that is found goes on.
 */
export class TextPlaces {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = inPlace(text);
  }

  /** The place of the next word or character; null: it isn't in the text nearby. */
  next(piece: string, reach: number): { from: number; to: number } | null {
    if (piece === "") return null;
    const found = this.#text.indexOf(inPlace(piece), this.#at);
    if (found < 0 || found > this.#at + reach) return null;
    this.#at = found + piece.length;
    return { from: found, to: this.#at };
  }
}

/** In small letters, each at its place and whatever follows it: an İ alone would become two, and a Σ one of two. */
const inPlace = (text: string): string =>
  text.replaceAll(/\p{Lu}/gu, (letter) => letter.toLowerCase().slice(0, letter.length));
