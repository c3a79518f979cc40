/** A limit of attempts at once, and how long each holds its place. */
export type ConcurrencyLimit = { most: number; hold_ms: number };

/** Null: there is none. `agent`: of the calls that the campaign's agent makes. */
export type AttemptLimits = { campaign: ConcurrencyLimit | null; agent: ConcurrencyLimit | null };

/** A list of people that waits: when it is looked at next. */
type Waiting = { next: number };

/** The attempts that a forecast has under way. */
export class AttemptsAtOnce {
  #campaign: Places | null;
  #agent: Places | null;
  /** The longest first. Only the first has a time, so that a place that becomes free wakes one and not all. */
  #waiting: { list: Waiting; is_agents: boolean }[] = [];

  constructor({ campaign, agent }: AttemptLimits) {
    this.#campaign = campaign && new Places(campaign);
    this.#agent = agent && new Places(agent);
  }

  /** When another attempt may start; never before `now`. `is_agents`: it is a call of the campaign's agent. */
  freeAt(now: Date, is_agents: boolean): Date {
    const at = this.#campaign?.freeAt(now) ?? now;
    return (is_agents ? this.#agent?.freeAt(at) : null) ?? at;
  }

  start(now: Date, is_agents: boolean): void {
    this.#campaign?.start(now);
    if (is_agents) this.#agent?.start(now);
  }

  wait(list: Waiting, is_agents: boolean): void {
    list.next = Number.POSITIVE_INFINITY;
    this.#waiting.push({ list, is_agents });
  }

  /** It is being looked at. */
  leave(list: Waiting): void {
    if (this.#waiting[0]?.list === list) this.#waiting.shift();
  }

  /** After each look, which may have taken a place or left one. */
  wakeNext(now: Date): void {
    const [first] = this.#waiting;
    if (first) first.list.next = this.freeAt(now, first.is_agents).getTime();
  }
}

/** All hold their place for the same time, so the first to start ends first. */
class Places {
  #limit: ConcurrencyLimit;
  #ends: number[] = [];
  #first = 0;

  constructor(limit: ConcurrencyLimit) {
    this.#limit = limit;
  }

  freeAt(now: Date): Date {
    while (this.#first < this.#ends.length && (this.#ends[this.#first] as number) <= now.getTime())
      this.#first++;
    const busy = this.#ends.length - this.#first;
    if (busy < this.#limit.most) return now;
    return new Date(this.#ends[this.#ends.length - this.#limit.most] as number);
  }

  start(now: Date): void {
    this.#ends.push(now.getTime() + this.#limit.hold_ms);
  }
}
