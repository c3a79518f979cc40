import type { Clock } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";

/** A moment on both clocks of the machine: one stands still while it sleeps, the other may be set. */
export type Moment = { running_ms: number; at: Date };

/** What a room says of its own rows. Each has an owner, and an end after which anybody may take it over. */
export type LeasedRows<Item> = {
  /** For the log: "sessions". */
  of: string;
  lease_ms: number;
  /** A lease is extended once it is this old, and again soon when that failed. */
  renew_ms: number;
  /** One statement. Moves the end of those that are still held, and answers with them; the others are lost. */
  extend(items: Item[], end: Date): Promise<Iterable<Item>>;
  /** Before each round of the timer; only tests hand one in, to let it stand still. */
  beforeRound?(): void | Promise<void>;
};

/** A hold: `lost` is raised once somebody else has the row, or when whoever holds it is to stop. */
type Hold = { said: Moment; lost: AbortController; isGivenUp: boolean };

/** Looks in a `renew_ms`, so that a lease is extended little later than it should be. */
const LOOKS = 4;

export class LeaseLost extends Error {
  constructor(of: string) {
    super(`a lease was lost: ${of}`);
    this.name = "LeaseLost";
  }
}

/**
 * The rows of one kind that this process holds. A process may die anywhere: what it no longer extends is free when its
 * lease ends. It may also be stopped anywhere for any time (garbage, a busy machine, a suspended one) and not know it:
 * `holds` says by both clocks whether a row is still ours. How a row is taken, given back and freed differs from room to
 * room and is their SQL: a row is taken in the statement that also reads or writes what the work begins with.
 */
export class Leases<Item> {
  #rows: LeasedRows<Item>;
  #clock: Clock;
  #log: Log;
  #holds = new Map<Item, Hold>();
  #timer: NodeJS.Timeout | null = null;
  #lookedAt = -Infinity;

  constructor(rows: LeasedRows<Item>, { clock, log }: { clock: Clock; log: Log }) {
    this.#rows = rows;
    this.#clock = clock;
    this.#log = log;
  }

  get size(): number {
    return this.#holds.size;
  }

  items(): Item[] {
    return [...this.#holds.keys()];
  }

  moment = (): Moment => ({ running_ms: performance.now(), at: this.#clock.now() });

  /** When a lease ends that is taken at `at`. */
  end = (at: Date): Date => new Date(at.getTime() + this.#rows.lease_ms);

  /** From now on it is extended. `said`: before the statement that took it was sent. */
  hold(item: Item, said: Moment = this.moment()): AbortSignal {
    const lost = new AbortController();
    this.#holds.set(item, { said, lost, isGivenUp: false });
    this.#timer ??= setInterval(() => this.#look(), this.#rows.renew_ms / LOOKS).unref();
    return lost.signal;
  }

  /** The work is over, and its row given back or not; it is not extended any more. */
  drop(item: Item): void {
    this.#holds.delete(item);
    if (this.#holds.size === 0) this.stop();
  }

  /** Whether it was said to be ours less than `within_ms` ago. */
  holds(item: Item, within_ms = this.#rows.lease_ms): boolean {
    const hold = this.#holds.get(item);
    return hold !== undefined && !isOver(hold) && this.#age_ms(hold.said) < within_ms;
  }

  /** The same, after saying so again where that was too long ago. */
  async stillHolds(item: Item, within_ms = this.#rows.lease_ms): Promise<boolean> {
    if (this.holds(item, within_ms)) return true;
    const hold = this.#holds.get(item);
    if (hold && !isOver(hold)) await this.#extend([[item, hold]]);
    return this.holds(item, within_ms);
  }

  /** A round: extends all that are due. The timer calls it, one at a time. Rejects while the database is away. */
  async renew(): Promise<void> {
    const due = [...this.#holds].filter(
      ([, hold]) => !isOver(hold) && this.#age_ms(hold.said) >= this.#rows.renew_ms,
    );
    await this.#extend(due);
  }

  /** None is extended any more from here on: a row given back now is not taken for lost. */
  giveUp(): Item[] {
    for (const hold of this.#holds.values()) hold.isGivenUp = true;
    return this.items();
  }

  /** Whoever works on what is held here stops. */
  cutOff(reason?: unknown): void {
    for (const { lost } of this.#holds.values()) lost.abort(reason);
  }

  /** No round begins any more, whatever is held. */
  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #age_ms({ running_ms, at }: Moment): number {
    return Math.max(performance.now() - running_ms, this.#clock.now().getTime() - at.getTime());
  }

  /** One at a time; but a statement that is not answered, as on a connection that broke, holds up none for long. */
  async #look(): Promise<void> {
    const at = performance.now();
    if (at - this.#lookedAt < this.#rows.renew_ms) return;
    this.#lookedAt = at;
    try {
      await this.#rows.beforeRound?.();
      await this.renew();
    } catch (error) {
      // The database is away for a moment: a lease outlives a few missed rounds, and every write checks it.
      this.#log.warn({ error: errorText(error), of: this.#rows.of }, "leases could not be renewed");
    } finally {
      if (this.#lookedAt === at) this.#lookedAt = -Infinity;
    }
  }

  async #extend(held: [Item, Hold][]): Promise<void> {
    if (held.length === 0) return;
    const said = this.moment();
    const items = held.map(([item]) => item);
    const kept = new Set(await this.#rows.extend(items, this.end(said.at)));
    for (const [item, hold] of held) {
      if (kept.has(item)) {
        if (said.running_ms > hold.said.running_ms) hold.said = said;
      } else if (this.#holds.get(item) === hold && !isOver(hold)) {
        hold.lost.abort(new LeaseLost(this.#rows.of));
      }
    }
  }
}

const isOver = ({ lost, isGivenUp }: Hold): boolean => isGivenUp || lost.signal.aborted;
