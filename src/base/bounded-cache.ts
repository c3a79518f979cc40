/** Keeps the entries used last; the one unused longest goes first. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string, make: () => V): V {
    const kept = this.#entries.get(key);
    const value = kept ?? make();
    if (kept !== undefined) this.#entries.delete(key);
    else if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value!);
    this.#entries.set(key, value);
    return value;
  }
}
