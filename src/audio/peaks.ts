/** The loudest sample of each stretch, for a picture of a recording: 0 is silence, 100 full scale. */
export class Peaks {
  readonly #length: number;
  #current = 0;
  #seen = 0;
  readonly #columns: number[] = [];

  /** `length`: samples that make a column. */
  constructor(length: number) {
    this.#length = Math.max(1, length);
  }

  push(sample: number): void {
    this.#current = Math.max(this.#current, Math.abs(sample));
    if (++this.#seen === this.#length) this.#close();
  }

  columns(): number[] {
    if (this.#seen > 0) this.#close();
    return this.#columns;
  }

  #close(): void {
    this.#columns.push(Math.round((this.#current * 100) / 32_768));
    this.#current = 0;
    this.#seen = 0;
  }
}
