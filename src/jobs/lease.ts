import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { RepeatedFault } from "./repeated-fault.ts";

/** A moment on both clocks of the machine: the monotonic one stops during sleep, the wall clock may be set. */
export type Moment = { running_ms: number; at: Date };

/** How a room leases its own rows. Each row has an owner and an expiry, after which any process may take it over. */
type LeasedRows<Item> = {
  /** For the log: "sessions". */
  of: string;
  lease_ms: number;
  /** A lease is extended once it is this old, and again soon when that failed. */
  renew_ms: number;
  /** One statement. Extends the leases that still hold and returns them; the others are lost. */
  extend(items: Item[], end: Date): Promise<Iterable<Item>>;
  /** Called before each round of the timer; tests pass one to pause it. */
  beforeRound?(): void | Promise<void>;
};

/** A lease held here: `lost` is aborted once another process has the row, or when the work is to stop. */
type Hold = { said: Moment; lost: AbortController; isGivenUp: boolean };

/** Rounds per `renew_ms`, so that a lease is extended soon after it is due. */
const LOOKS = 4;

export class LeaseLost extends Error {
  constructor(of: string) {
    super(`a lease was lost: ${of}`);
    this.name = "LeaseLost";
  }
}

/**
 * The leases of one kind that this process holds. A process may die anywhere; its leases then expire. It may also pause
 * anywhere for any time (garbage collection, a busy or suspended machine) without noticing, so `holds` checks by both
 * clocks whether a row is still ours. Taking, releasing and freeing rows is the SQL of each room, because a row is taken
 * in the statement that also reads or writes what the work begins with.
 */
export class Leases<Item> {
  #rows: LeasedRows<Item>;
  #clock: Clock;
  #holds = new Map<Item, Hold>();
  #timer: NodeJS.Timeout | null = null;
  #lookedAt = -Infinity;
  #fault: RepeatedFault;

  constructor(rows: LeasedRows<Item>, { clock, log }: { clock: Clock; log: Log }) {
    this.#rows = rows;
    this.#clock = clock;
    this.#fault = new RepeatedFault((error) =>
      log.warn({ error, of: rows.of }, "leases could not be renewed"),
    );
  }

  get size(): number {
    return this.#holds.size;
  }

  items(): Item[] {
    return [...this.#holds.keys()];
  }

  moment = (): Moment => ({ running_ms: performance.now(), at: this.#clock.now() });

  /** The expiry of a lease taken at `at`. */
  end = (at: Date): Date => new Date(at.getTime() + this.#rows.lease_ms);

  /** Extends it from now on. `said`: the time before the statement that took it was sent. */
  hold(item: Item, said: Moment = this.moment()): AbortSignal {
    const lost = new AbortController();
    this.#holds.set(item, { said, lost, isGivenUp: false });
    this.#timer ??= setInterval(() => this.#look(), this.#rows.renew_ms / LOOKS).unref();
    return lost.signal;
  }

  /** The work has finished, so its lease is no longer extended, whether its row was released or not. */
  drop(item: Item): void {
    this.#holds.delete(item);
    if (this.#holds.size === 0) this.stop();
  }

  /** Whether its lease was taken or extended less than `within_ms` ago. */
  holds(item: Item, within_ms = this.#rows.lease_ms): boolean {
    const hold = this.#holds.get(item);
    return hold !== undefined && !isOver(hold) && this.#age_ms(hold.said) < within_ms;
  }

  /** The same, but extends the lease first when that was too long ago. */
  async stillHolds(item: Item, within_ms = this.#rows.lease_ms): Promise<boolean> {
    if (this.holds(item, within_ms)) return true;
    const hold = this.#holds.get(item);
    if (hold && !isOver(hold)) await this.#extend([[item, hold]]);
    return this.holds(item, within_ms);
  }

  /** One round of the timer: extends all leases that are due. Rejects while the database can't be reached. */
  async renew(): Promise<void> {
    const due = [...this.#holds].filter(
      ([, hold]) => !isOver(hold) && this.#age_ms(hold.said) >= this.#rows.renew_ms,
    );
    await this.#extend(due);
  }

  /** Extends none of these from here on, so that a row released now is not reported as lost. */
  giveUp(): Item[] {
    for (const hold of this.#holds.values()) hold.isGivenUp = true;
    return this.items();
  }

  /** Stops all work on rows that are held here. */
  cutOff(reason?: unknown): void {
    for (const { lost } of this.#holds.values()) lost.abort(reason);
  }

  /** Ends the timer, whatever is still held. */
  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  #age_ms({ running_ms, at }: Moment): number {
    return Math.max(performance.now() - running_ms, this.#clock.now().getTime() - at.getTime());
  }

  /** Rounds run one at a time, but one that gets no answer, as on a broken connection, delays the next only briefly. */
  async #look(): Promise<void> {
    const at = performance.now();
    if (at - this.#lookedAt < this.#rows.renew_ms) return;
    this.#lookedAt = at;
    try {
      await this.#rows.beforeRound?.();
      await this.renew();
      this.#fault.worked();
    } catch (error) {
      // The database can't be reached: a lease outlives a few missed rounds, and every write checks it.
      this.#fault.failed(error);
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
