import { wallClock } from "../wall-clock.ts";

/** What the numbers of a group may send on each day of its clock, all together, and what of it is used up on one day. */
export type NumberCap = { zone: string; per_day: number; used: { at: Date; attempts: number } };

/** The numbers of a forecast. Which of them is chosen does not matter: each is used up to its cap. */
export class NumberDays {
  #cap: NumberCap | null;
  /** By day of the group's clock. */
  #used = new Map<number, number>();

  constructor(cap: NumberCap | null) {
    this.#cap = cap;
    if (cap !== null) this.#used.set(this.#dayOf(cap.used.at), cap.used.attempts);
  }

  /** When a number is free: now, or when the day ends. Null: never. */
  freeAt(now: Date): Date | null {
    if (this.#cap === null) return now;
    if (this.#cap.per_day === 0) return null;
    if ((this.#used.get(this.#dayOf(now)) ?? 0) < this.#cap.per_day) return now;
    const { zone } = this.#cap;
    const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
    return new Date(today.add({ days: 1 }).startOfDay().epochMilliseconds);
  }

  use(now: Date): void {
    if (this.#cap === null) return;
    const day = this.#dayOf(now);
    this.#used.set(day, (this.#used.get(day) ?? 0) + 1);
  }

  #dayOf = (at: Date): number => wallClock((this.#cap as NumberCap).zone, at.getTime()).day;
}
