/** A campaign's own limit of attempts at once, and how long each holds its place. */
export type ConcurrencyLimit = { most: number; hold_ms: number };

/** A list of people that waits: when it is looked at next. */
type Waiting = { next: number };

/** The attempts that a forecast has under way. All hold their place for the same time, so the first to start ends first. */
export class AttemptsAtOnce {
  #limit: ConcurrencyLimit | null;
  #ends: number[] = [];
  #first = 0;
  /** The longest first. Only the first has a time, so that a place that becomes free wakes one and not all. */
  #waiting: Waiting[] = [];

  constructor(limit: ConcurrencyLimit | null) {
    this.#limit = limit;
  }

  /** When another attempt may start; never before `now`. */
  freeAt(now: Date): Date {
    if (this.#limit === null) return now;
    while (this.#first < this.#ends.length && (this.#ends[this.#first] as number) <= now.getTime())
      this.#first++;
    const busy = this.#ends.length - this.#first;
    if (busy < this.#limit.most) return now;
    return new Date(this.#ends[this.#ends.length - this.#limit.most] as number);
  }

  start(now: Date): void {
    if (this.#limit !== null) this.#ends.push(now.getTime() + this.#limit.hold_ms);
  }

  wait(list: Waiting): void {
    list.next = Number.POSITIVE_INFINITY;
    this.#waiting.push(list);
  }

  /** It is being looked at. */
  leave(list: Waiting): void {
    if (this.#waiting[0] === list) this.#waiting.shift();
  }

  /** After each look, which may have taken a place or left one. */
  wakeNext(now: Date): void {
    const [first] = this.#waiting;
    if (first) first.next = this.freeAt(now).getTime();
  }
}
