import { setImmediate } from "node:timers/promises";
import type { Mode } from "./attempt.ts";
import type { CadenceStep } from "./cadences/cadence.ts";
import { type AttemptLimits, AttemptsAtOnce } from "./forecasts/attempts-at-once.ts";
import { Book, type Forecast } from "./forecasts/forecast-book.ts";
import { type NumberCap, NumberDays } from "./forecasts/number-days.ts";
import { autoRate, nextSlot, openHours, rateOf } from "./pacing.ts";
import { decideRetry, type RetryRules } from "./retry.ts";
import { retryWait_s } from "./retry-interval.ts";
import type { Schedule } from "./schedule.ts";
import { type BatchView, batchStep } from "./steps/batch-step.ts";
import { requestStep } from "./steps/request-step.ts";

/**
 * What would happen: the dialer's own decisions (`batchStep`, `requestStep`, `decideRetry`) on a clock that moves from
 * one to the next, with people of whom a given share answers. Shares are spread evenly, not drawn: the same question has
 * the same answer. Lines of numbers, outages and people who are on two lists are left out.
 */
export type ForecastInput = {
  campaign: Schedule & RetryRules & { hourly_rate: number };
  zone: string;
  mode: Mode;
  /** After the campaign's own; none and left out: it has no further ones. */
  cadence?: readonly CadenceStep[];
  from: Date;
  until: Date;
  batches: ForecastBatch[];
  /** Left out: neither campaign nor agent has one. */
  limits?: AttemptLimits;
  /** Steps of the cadence whose calls the campaign's agent makes; those of the campaign itself are its own. */
  agents_steps?: ReadonlySet<number>;
  /** Of the number group that the campaign's own step sends from. Null and left out: nothing bounds it. */
  number_cap?: NumberCap | null;
  /** Share of attempts that reach their person, 0 to 1. */
  answer_rate: number;
  /** Share of people who are skipped, 0 to 1. */
  skip_rate: number;
  /** First attempts of the first day so far. */
  reached_before: Record<string, number>;
};

/** `step`: of the campaign's cadence; 0 and left out: a retry of its own step. */
type Waiting = { due_at: Date; attempt_count: number; step?: number };

export type ForecastBatch = {
  /** People who wait for their first attempt. */
  requests: number;
  /** Retries and steps that wait already, by when they are due. */
  retries: Waiting[];
  call_rate: number | null;
  auto_call_rate: boolean;
  baseline: number | null;
  expires_on: Date | null;
};

/** More than a week of one batch at the highest rate; takes about two seconds. */
export const MAX_ATTEMPTS = 500_000;
/** Other work of the program gets its turn after so many steps, with an attempt or without: some 15 ms. */
const TURN = 2_000;

const LIMITLESS = {
  source_paused_until: null,
  silent: null,
  source_refusal: null,
  stopped: null,
  spending: null,
  confirmation: null,
  numbers: null,
  campaign_limit: null,
  agent_limit: null,
  free_lines: { source: Number.POSITIVE_INFINITY, organization: Number.POSITIVE_INFINITY },
};

/** One list of people as the calculation goes on. */
type ForecastLine = {
  batch: ForecastBatch;
  rate: number | null;
  last_at: Date | null;
  firsts: number;
  /** In the order in which they are due. Apart, because what holds back the campaign's own step holds back no other. */
  retries: Waiting[];
  steps: Waiting[];
  next: number;
};

/** What all lists share. */
type Shared = { book: Book; at_once: AttemptsAtOnce; numbers: NumberDays };

export async function forecast(input: ForecastInput): Promise<Forecast> {
  const lines = input.batches.map((batch) => newLine(input, batch));
  const book = new Book(input);
  const at_once = new AttemptsAtOnce(input.limits ?? { campaign: null, agent: null });
  const shared = { book, at_once, numbers: new NumberDays(input.number_cap ?? null) };
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
    at_once.leave(line);
    if (step(input, line, shared, now)) attempts++;
    at_once.wakeNext(now);
    if (steps % TURN === 0) await setImmediate();
  }
  const left = lines.reduce(
    (sum, { firsts, retries, steps }) => sum + firsts + retries.length + steps.length,
    0,
  );
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
    retries: byDue(batch.retries.filter(({ step = 0 }) => step === 0)),
    steps: byDue(batch.retries.filter(({ step = 0 }) => step > 0)),
    next: from.getTime(),
  };
}

const byDue = (some: Waiting[]): Waiting[] =>
  some.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime());

/** Decides about one list at one instant, and when it is looked at next. True: somebody was tried. */
function step(
  input: ForecastInput,
  line: ForecastLine,
  { book, at_once, numbers }: Shared,
  now: Date,
): boolean {
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
  const waits: (Date | null)[] = [];
  let isBlocked: { is_agents: boolean } | null = null;
  for (const candidate of candidatesOf(line, input.from)) {
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
    const { step = 0 } = candidate;
    const number_at = step === 0 ? numbers.freeAt(now) : now;
    if (number_at === null || number_at > now) {
      waits.push(number_at);
      continue;
    }
    const is_agents = isAgentsCall(input, step);
    if (at_once.freeAt(now, is_agents) > now) {
      isBlocked ??= { is_agents };
      continue;
    }
    take(line, candidate);
    if (candidate.attempt_count === 0 && step === 0 && book.skips(now)) return false;
    at_once.start(now, is_agents);
    if (step === 0) numbers.use(now);
    tryOne(input, line, book, { ...candidate, counts_on: next.counts_on }, now);
    return true;
  }
  if (isBlocked !== null) {
    at_once.wait(line, isBlocked.is_agents);
    return false;
  }
  const known = waits.filter((wait) => wait !== null);
  return sleep(line, known.length === 0 ? null : new Date(Math.min(...known.map((at) => at.getTime()))));
}

/** The retry and the step that are due first, the earlier of them before the other, then somebody who waits for a first attempt. */
function candidatesOf({ retries, steps, firsts }: ForecastLine, from: Date): Waiting[] {
  const again = byDue([retries[0], steps[0]].filter((each) => each !== undefined));
  return firsts > 0 ? [...again, { due_at: from, attempt_count: 0 }] : again;
}

function take(line: ForecastLine, candidate: Waiting): void {
  if (candidate === line.retries[0]) line.retries.shift();
  else if (candidate === line.steps[0]) line.steps.shift();
  else line.firsts--;
}

const isAgentsCall = ({ mode, cadence, agents_steps }: ForecastInput, step: number): boolean =>
  step === 0 ? mode === "voice" : cadence?.[step - 1]?.mode === "voice" && agents_steps?.has(step) === true;

const sleep = (line: ForecastLine, until: Date | null): false => {
  line.next = until?.getTime() ?? Number.POSITIVE_INFINITY;
  return false;
};

function tryOne(
  input: ForecastInput,
  line: ForecastLine,
  book: Book,
  { attempt_count, step = 0, counts_on }: Omit<Waiting, "due_at"> & { counts_on: string | null },
  now: Date,
): void {
  const { campaign, mode, cadence = [] } = input;
  const attempt_number = attempt_count + 1;
  line.last_at = now;
  line.next = nextSlot(now, line.rate as number).getTime();
  if (step > 0) {
    tryStep(cadence, line, book, { attempt_count: attempt_number, step, counts_on }, now);
    return;
  }
  const answered = book.attempt(attempt_number === 1 ? "first_attempts" : "retries", counts_on, now);
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
  if (retry.kind === "retry") insert(line.retries, { due_at: retry.at, attempt_count: attempt_number });
  else if (!goOn(cadence, line, { attempt_count: attempt_number, step: 0 }, now)) book.giveUp(now);
}

/** A call is answered as often as any; a text or a mail by nobody, so that the next step follows it. */
function tryStep(
  cadence: readonly CadenceStep[],
  line: ForecastLine,
  book: Book,
  { attempt_count, step, counts_on }: { attempt_count: number; step: number; counts_on: string | null },
  now: Date,
): void {
  const isCall = cadence[step - 1]?.mode === "voice";
  if (isCall && book.attempt("steps", counts_on, now)) return;
  if (!isCall) book.message(counts_on, now);
  if (goOn(cadence, line, { attempt_count, step }, now)) return;
  if (isCall) book.giveUp(now);
  else book.complete(now);
}

/** Every step is taken to have an address, and to come after what the one before it met. */
function goOn(
  cadence: readonly CadenceStep[],
  line: ForecastLine,
  { attempt_count, step }: { attempt_count: number; step: number },
  now: Date,
): boolean {
  const next = cadence[step];
  if (!next) return false;
  const due_at = new Date(now.getTime() + retryWait_s(next.wait) * 1000);
  insert(line.steps, { due_at, attempt_count, step: step + 1 });
  return true;
}

/** Behind those that are due earlier: with rules by outcome, and from step to step, the waits differ. */
function insert(some: Waiting[], one: Waiting): void {
  const place = some.findLastIndex(({ due_at }) => due_at <= one.due_at) + 1;
  some.splice(place, 0, one);
}
