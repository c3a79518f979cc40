/**
 * What a service that counts turns in its own way tells again of words that were taken already: only what is new is left.
 * Compared without marks and capitals, as a service writes the same words anew when it is sure of them.
 */
export class TakenWords {
  #told = "";
  #taken: string[] = [];

  /** Of the service's running turn, what is new. */
  partial(text: string): string {
    this.#told = text;
    return this.#rest(text);
  }

  /** The service's turn is over; the next begins anew. */
  final(text: string): string {
    const rest = this.#rest(text);
    this.#told = "";
    this.#taken = [];
    return rest;
  }

  /** All that was told until now is taken. */
  take(): void {
    if (this.#told !== "") this.#taken = plain(this.#told);
  }

  get isEmpty(): boolean {
    return this.#told === "";
  }

  #rest(text: string): string {
    if (this.#taken.length === 0) return text;
    const words = text.split(/\s+/).filter((word) => word !== "");
    // As many words as were taken are left out, also where the service has corrected one of them.
    let left = this.#taken.length;
    let at = 0;
    for (; at < words.length && left > 0; at++) left -= plain(words[at] as string).length;
    return words.slice(at).join(" ");
  }
}

const plain = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
