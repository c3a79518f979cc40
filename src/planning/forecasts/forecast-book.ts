import { openDays, type Schedule } from "../schedule.ts";

export type AttemptForecast = {
  first_attempts: number;
  retries: number;
  /** Of the campaign's cadence, after its own step. */
  steps: number;
  completed: number;
  given_up: number;
  skipped: number;
};

export type Forecast = {
  totals: AttemptForecast;
  /** Those with an attempt; `at` begins an hour of UTC. */
  hours: (AttemptForecast & { at: Date })[];
  days: (AttemptForecast & { date: string; cap: number | null })[];
  /** When the last person was reached or given up; null: not all are by the end. */
  ends_at: Date | null;
  /** People still waiting at the end, for a first attempt or a retry. */
  left: number;
  /** The calculation stopped here after so many attempts as it makes at most; null: it did not. */
  stopped_at: Date | null;
};

type BookInput = {
  campaign: Schedule;
  zone: string;
  answer_rate: number;
  skip_rate: number;
  reached_before: Record<string, number>;
};

const nothing = (): AttemptForecast => ({
  first_attempts: 0,
  retries: 0,
  steps: 0,
  completed: 0,
  given_up: 0,
  skipped: 0,
});

/** Counts by hour and by day of the agent's calendar. */
export class Book {
  #input: BookInput;
  #totals = nothing();
  #hours = new Map<number, AttemptForecast>();
  #days = new Map<string, AttemptForecast & { cap: number | null }>();
  #firsts = new Map<string, number>();
  #answered: number;
  #skipped: number;
  #last: Date | null = null;

  constructor(input: BookInput) {
    this.#input = input;
    // Half a person ahead, so that rounding favours neither side.
    this.#answered = 0.5;
    this.#skipped = 0.5;
    for (const [date, n] of Object.entries(input.reached_before)) this.#firsts.set(date, n);
  }

  reached = (date: string): number => this.#firsts.get(date) ?? 0;

  /** Whether the next person is one whom filters skip. */
  skips(now: Date): boolean {
    this.#skipped += this.#input.skip_rate;
    if (this.#skipped < 1) return false;
    this.#skipped -= 1;
    this.#count(now, "skipped");
    return true;
  }

  /** Whether the person answers; `what`: how the attempt is counted. */
  attempt(what: "first_attempts" | "retries" | "steps", counts_on: string | null, now: Date): boolean {
    if (counts_on !== null) this.#firsts.set(counts_on, this.reached(counts_on) + 1);
    this.#count(now, what, counts_on);
    this.#answered += this.#input.answer_rate;
    if (this.#answered < 1) return false;
    this.#answered -= 1;
    this.#count(now, "completed", counts_on);
    return true;
  }

  /** A text or a mail of a step: nobody is taken to answer it. */
  message(counts_on: string | null, now: Date): void {
    if (counts_on !== null) this.#firsts.set(counts_on, this.reached(counts_on) + 1);
    this.#count(now, "steps", counts_on);
  }

  complete(now: Date): void {
    this.#count(now, "completed");
  }

  giveUp(now: Date): void {
    this.#count(now, "given_up");
  }

  /** `counts_on`: the day whose cap is used; where the night of one day reaches into the next, either may be. */
  #count(now: Date, what: keyof AttemptForecast, counts_on: string | null = null): void {
    const hour = Math.floor(now.getTime() / 3_600_000);
    const days = openDays(this.#input.campaign, this.#input.zone, now);
    const open = days.find(({ date }) => date === counts_on) ?? days[0];
    const day = open ?? { date: now.toISOString().slice(0, 10), cap: null };
    const ofHour = this.#hours.get(hour) ?? nothing();
    const ofDay = this.#days.get(day.date) ?? { ...nothing(), cap: day.cap };
    this.#hours.set(hour, ofHour);
    this.#days.set(day.date, ofDay);
    for (const tally of [this.#totals, ofHour, ofDay]) tally[what]++;
    this.#last = now;
  }

  close(left: number, stopped_at: Date | null): Forecast {
    return {
      totals: this.#totals,
      // In order: the clock of a forecast only goes forward.
      hours: Array.from(this.#hours, ([hour, tally]) => ({ at: new Date(hour * 3_600_000), ...tally })),
      days: [...this.#days]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([date, tally]) => ({ date, ...tally })),
      ends_at: left === 0 ? this.#last : null,
      left,
      stopped_at,
    };
  }
}
