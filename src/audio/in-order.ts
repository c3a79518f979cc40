/**
 * Puts numbered things into their order. What is missing is waited for until `window` others have come after it; what
 * comes twice, or too late, is left out.
 */
export class InOrder<T> {
  readonly #window: number;
  #waiting = new Map<number, T>();
  #next: number;

  constructor({ first, window }: { first: number; window: number }) {
    this.#next = first;
    this.#window = window;
  }

  /** Those whose turn it is now. */
  push(number: number, item: T): T[] {
    if (number < this.#next || this.#waiting.has(number)) return [];
    this.#waiting.set(number, item);
    const due = this.#takeDue();
    if (this.#waiting.size < this.#window) return due;
    this.#next = Math.min(...this.#waiting.keys());
    return [...due, ...this.#takeDue()];
  }

  #takeDue(): T[] {
    const due: T[] = [];
    while (this.#waiting.has(this.#next)) {
      due.push(this.#waiting.get(this.#next) as T);
      this.#waiting.delete(this.#next++);
    }
    return due;
  }
}
