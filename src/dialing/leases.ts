import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import { HAND_OVER_ms, LEASE_ms, RENEW_ms } from "../planning/attempt.ts";

/** A moment on both clocks of the machine: one stands still while it sleeps, the other may be set. */
type Moment = { running_ms: number; at: Date };

/**
 * The attempts that this process is about to hand over, or is handing over. A process may be stopped anywhere for any
 * time (garbage, a busy machine, a suspended one) and not know it: so it hands nothing over unless it said, less than
 * `HAND_OVER_ms` ago by either clock, that an attempt is its own. Others take it over once `LEASE_ms` are past.
 */
export class Leases {
  #db: Db;
  #clock: Clock;
  #owner: string;
  /** When each was last said to be ours: before the statement that said so was sent. */
  #said = new Map<string, Moment>();
  #renewing: Promise<void> | null = null;

  constructor({ db, clock, owner }: { db: Db; clock: Clock; owner: string }) {
    this.#db = db;
    this.#clock = clock;
    this.#owner = owner;
  }

  moment = (): Moment => ({ running_ms: performance.now(), at: this.#clock.now() });

  take(key: string, said: Moment): void {
    this.#said.set(key, said);
  }

  drop(key: string): void {
    this.#said.delete(key);
  }

  /** Whether an attempt may be handed over at this very moment. */
  holds(key: string): boolean {
    const said = this.#said.get(key);
    return said !== undefined && this.#age_ms(said) < HAND_OVER_ms;
  }

  /** The same, after saying so again where that was too long ago. */
  async holdOn(key: string): Promise<boolean> {
    if (this.holds(key)) return true;
    if (this.#said.has(key)) await this.#renew([key]);
    return this.holds(key);
  }

  /** Says of all that it was some time ago; one at a time. Rejects while the database is away. */
  renew(): Promise<void> {
    const due = [...this.#said].flatMap(([key, said]) => (this.#age_ms(said) >= RENEW_ms ? [key] : []));
    this.#renewing ??= this.#renew(due).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  #age_ms({ running_ms, at }: Moment): number {
    return Math.max(performance.now() - running_ms, this.#clock.now().getTime() - at.getTime());
  }

  /** What another process has taken over meanwhile is ours no more. By primary key. */
  async #renew(keys: string[]): Promise<void> {
    if (keys.length === 0) return;
    const said = this.moment();
    const lease_end = new Date(said.at.getTime() + LEASE_ms).toISOString();
    const { rows } = await sql<{ key: string }>`
      update attempts set check_at = ${lease_end}::timestamptz
      where key = any(${keys}::text[]) and state = 'CLAIMED' and lease_owner = ${this.#owner}
      returning key`.execute(this.#db);
    const ours = new Set(rows.map(({ key }) => key));
    for (const key of keys) {
      if (!this.#said.has(key)) continue;
      if (ours.has(key)) this.#said.set(key, said);
      else this.#said.delete(key);
    }
  }
}
