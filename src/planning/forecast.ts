import { setImmediate } from "node:timers/promises";
import type { Mode } from "./attempt.ts";
import { type BatchView, batchStep, requestStep } from "./next-step.ts";
import { autoRate, nextSlot, openHours, rateOf } from "./pacing.ts";
import { decideRetry, type RetryRules } from "./retry.ts";
import { openDays, type Schedule } from "./schedule.ts";

/**
 * What would happen: the dialer's own decisions (`batchStep`, `requestStep`, `decideRetry`) on a clock that moves from
 * one to the next, with people of whom a given share answers. Shares are spread evenly, not drawn: the same question has
 * the same answer. Lines, outages and people who are on two lists are left out.
 */
export type ForecastInput = {
  campaign: Schedule & RetryRules & { hourly_rate: number };
  zone: string;
  mode: Mode;
  from: Date;
  until: Date;
  batches: ForecastBatch[];
  /** Share of attempts that reach their person, 0 to 1. */
  answer_rate: number;
  /** Share of people who are skipped, 0 to 1. */
  skip_rate: number;
  /** First attempts of the first day so far. */
  reached_before: Record<string, number>;
};

export type ForecastBatch = {
  /** People who wait for their first attempt. */
  requests: number;
  /** Retries that wait already, by when they are due. */
  retries: { due_at: Date; attempt_count: number }[];
  call_rate: number | null;
  auto_call_rate: boolean;
  baseline: number | null;
  expires_on: Date | null;
};

type AttemptForecast = {
  first_attempts: number;
  retries: number;
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

/** More than a week of one batch at the highest rate; takes about two seconds. */
export const MAX_ATTEMPTS = 500_000;
/** Other work of the program gets its turn after so many steps, with an attempt or without: some 15 ms. */
const TURN = 2_000;

const LIMITLESS = {
  source_paused_until: null,
  source_refusal: null,
  stopped: null,
  free_lines: { source: Number.POSITIVE_INFINITY, organization: Number.POSITIVE_INFINITY },
};

/** One list of people as the calculation goes on. */
type ForecastLine = {
  batch: ForecastBatch;
  rate: number | null;
  last_at: Date | null;
  firsts: number;
  /** In the order in which they are due. */
  retries: { due_at: Date; attempt_count: number }[];
  next: number;
};

export async function forecast(input: ForecastInput): Promise<Forecast> {
  const lines = input.batches.map((batch) => newLine(input, batch));
  const book = new Book(input);
  let attempts = 0;
  let stopped_at: Date | null = null;
  for (let steps = 1; ; steps++) {
    const line = lines.reduce(
      (first, each) => (each.next < first.next ? each : first),
      lines[0] as ForecastLine,
    );
    if (!line || line.next >= input.until.getTime()) break;
    const now = new Date(line.next);
    if (attempts >= MAX_ATTEMPTS) {
      stopped_at = now;
      break;
    }
    if (step(input, line, book, now)) attempts++;
    if (steps % TURN === 0) await setImmediate();
  }
  const left = lines.reduce((sum, { firsts, retries }) => sum + firsts + retries.length, 0);
  return book.close(left, stopped_at);
}

function newLine(input: ForecastInput, batch: ForecastBatch): ForecastLine {
  const { campaign, zone, from } = input;
  const auto =
    batch.auto_call_rate && batch.expires_on
      ? autoRate({
          requests: batch.requests + batch.retries.length,
          open_hours: openHours(campaign, zone, from, batch.expires_on),
          baseline: batch.baseline,
        })
      : null;
  return {
    batch,
    rate: batch.auto_call_rate
      ? (auto?.rate ?? null)
      : rateOf({ ...campaign, call_rate: batch.call_rate }, null),
    last_at: null,
    firsts: batch.requests,
    retries: batch.retries.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime()),
    next: from.getTime(),
  };
}

/** Decides about one list at one instant, and when it is looked at next. True: somebody was tried. */
function step(input: ForecastInput, line: ForecastLine, book: Book, now: Date): boolean {
  const hours = { schedule: input.campaign, zone: input.zone };
  const isOver = line.batch.expires_on !== null && line.batch.expires_on <= now;
  const view: BatchView = {
    status: isOver ? "EXPIRED" : "ACTIVE",
    source: "",
    hours,
    rate: line.rate,
    last_at: line.last_at,
    ...LIMITLESS,
  };
  const first = batchStep(view, now);
  if (first.kind !== "start") return sleep(line, first.kind === "wait" ? first.until : null);
  const retry = line.retries[0];
  const waits: (Date | null)[] = [];
  for (const candidate of [retry, line.firsts > 0 ? { due_at: input.from, attempt_count: 0 } : undefined]) {
    if (!candidate) continue;
    const request = {
      ...candidate,
      retry_count: input.campaign.retry_count,
      channel_status: "NO-ANSWER" as const,
      refusals: 0,
      call_back_after: null,
      counted_on: [],
      is_reached_elsewhere: false,
      is_address_busy: false,
      too_often: null,
      country: null,
      person: { hold: null, too_late: null },
      issue: null,
    };
    const next = requestStep(request, first.days, book.reached, hours, now);
    if (next.kind === "wait") {
      waits.push(next.until);
      continue;
    }
    if (next.kind === "skip") continue;
    if (candidate === retry) line.retries.shift();
    else line.firsts--;
    if (candidate !== retry && book.skips(now)) return false;
    tryOne(input, line, book, { ...candidate, counts_on: next.counts_on }, now);
    return true;
  }
  const known = waits.filter((wait) => wait !== null);
  return sleep(line, known.length === 0 ? null : new Date(Math.min(...known.map((at) => at.getTime()))));
}

const sleep = (line: ForecastLine, until: Date | null): false => {
  line.next = until?.getTime() ?? Number.POSITIVE_INFINITY;
  return false;
};

function tryOne(
  { campaign, mode }: ForecastInput,
  line: ForecastLine,
  book: Book,
  { attempt_count, counts_on }: { attempt_count: number; counts_on: string | null },
  now: Date,
): void {
  const attempt_number = attempt_count + 1;
  line.last_at = now;
  line.next = nextSlot(now, line.rate as number).getTime();
  const answered = book.attempt(attempt_number, counts_on, now);
  if (answered) return;
  const status = mode === "voice" ? ("NO-ANSWER" as const) : ("UNDELIVERED" as const);
  const missed = {
    mode,
    status,
    is_transient: true,
    attempt_number,
    ended_at: now,
    earlier: Array.from({ length: attempt_count }, () => ({ outcome: status, started_at: now })),
  };
  const retry = decideRetry(missed, campaign);
  if (retry.kind === "retry") addRetry(line, { due_at: retry.at, attempt_count: attempt_number });
  else book.giveUp(now);
}

/** Behind those that are due earlier: with rules by outcome the waits differ. */
function addRetry({ retries }: ForecastLine, retry: ForecastLine["retries"][number]): void {
  const place = retries.findLastIndex(({ due_at }) => due_at <= retry.due_at) + 1;
  retries.splice(place, 0, retry);
}

const nothing = (): AttemptForecast => ({
  first_attempts: 0,
  retries: 0,
  completed: 0,
  given_up: 0,
  skipped: 0,
});

/** Counts by hour and by day of the agent's calendar. */
class Book {
  #input: ForecastInput;
  #totals = nothing();
  #hours = new Map<number, AttemptForecast>();
  #days = new Map<string, AttemptForecast & { cap: number | null }>();
  #firsts = new Map<string, number>();
  #answered: number;
  #skipped: number;
  #last: Date | null = null;

  constructor(input: ForecastInput) {
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

  /** Whether the person answers. */
  attempt(attempt_number: number, counts_on: string | null, now: Date): boolean {
    if (counts_on !== null) this.#firsts.set(counts_on, this.reached(counts_on) + 1);
    this.#count(now, attempt_number === 1 ? "first_attempts" : "retries", counts_on);
    this.#answered += this.#input.answer_rate;
    if (this.#answered < 1) return false;
    this.#answered -= 1;
    this.#count(now, "completed", counts_on);
    return true;
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
      hours: [...this.#hours]
        .toSorted(([a], [b]) => a - b)
        .map(([hour, tally]) => ({ at: new Date(hour * 3_600_000), ...tally })),
      days: [...this.#days]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([date, tally]) => ({ date, ...tally })),
      ends_at: left === 0 ? this.#last : null,
      left,
      stopped_at,
    };
  }
}
