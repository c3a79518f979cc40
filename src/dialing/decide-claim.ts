import type { Persons } from "../address-book/persons.ts";
import { type Choice, chooseNext } from "../planning/choose-next.ts";
import { interval_ms } from "../planning/pacing.ts";
import type { Tried } from "../planning/per-person.ts";
import { type HeldPerson, personState } from "../planning/person-hold.ts";
import { isOpen } from "../planning/schedule.ts";
import type { DayCap } from "../planning/steps/batch-step.ts";
import type { EligibilityIssue } from "../planning/steps/request-step.ts";
import { addressesOfPerson, clockTarget, contactTimezone } from "./cadences/candidate-addresses.ts";
import { laneName } from "./cadences/lanes.ts";
import { type Candidate, requestView } from "./candidates.ts";
import type { CountryHolds } from "./country-hold.ts";
import { contactKindOf, type DueBatch } from "./due-batches.ts";
import type { Contacts } from "./known/read-contacts.ts";
import type { LacksTemplate } from "./known/read-templates.ts";
import type { Lines } from "./lines.ts";
import type { ClaimNumbers } from "./numbers/claim-numbers.ts";
import { placeOf } from "./places/place.ts";
import type { AbsentContender } from "./places/place-queue.ts";
import type { Skipped } from "./skip-requests.ts";
import { newStart, type Start } from "./start-attempts.ts";

/** A batch under examination, with the decision: its next wake time, and when its last attempt started. */
export type ClaimPlan = {
  batch: DueBatch;
  rate: number | null;
  last_at: Date | null;
  rated_at: Date | null;
  wake_at: Date | null;
  /** When the batch started an attempt, in whichever of its lanes (cadences/lanes.ts): they share its pace. */
  pace: { started: Date | null };
};

/** A batch that may start an attempt now. */
export type Open = { plan: ClaimPlan; batch: DueBatch; days: DayCap[] };

/** What the decision reads. Each decision is added to it, so that the batches decided after it take it into account. */
export type ClaimKnown = {
  lines: Lines;
  numbers: ClaimNumbers;
  /** By `laneName`, in the order in which they are tried. */
  candidates: Map<string, Candidate[]>;
  /** Which addresses beside a candidate's own are the same person's. */
  persons: Persons;
  tried: Tried;
  contacts: Contacts;
  countries: CountryHolds;
  /** Addresses that batches decided earlier start an attempt to; people with a live attempt are no candidates. */
  busy: BusyAddresses;
  firsts: FirstAttempts;
  lacksTemplate: LacksTemplate;
  eligibilityIssue(batch: DueBatch, candidate: Candidate): EligibilityIssue | null;
};

/** First attempts of campaigns by day. */
export class FirstAttempts {
  #counts: Map<string, number>;

  constructor(rows: { campaign_id: number; day: string; n: number }[]) {
    this.#counts = new Map(rows.map(({ campaign_id, day, n }) => [`${campaign_id} ${day}`, n]));
  }

  on({ campaign }: DueBatch, date: string): number {
    return this.#counts.get(`${campaign.id} ${date}`) ?? 0;
  }

  add(batch: DueBatch, date: string): void {
    this.#counts.set(`${batch.campaign.id} ${date}`, this.on(batch, date) + 1);
  }
}

/** Keys of organization and address that have an attempt under way. */
export class BusyAddresses {
  #names = new Set<string>();

  has({ organization_id }: DueBatch, target: string): boolean {
    return this.#names.has(`${organization_id} ${target}`);
  }

  add({ organization_id }: DueBatch, target: string): void {
    this.#names.add(`${organization_id} ${target}`);
  }
}

/** What has to be stored. `idle`: batches none of whose candidates may be tried. */
export type Decided = {
  starts: Start[];
  skipped: Skipped[];
  put_off: { lane: string; batch_key: number; request_id: number; due_at: Date }[];
  idle: { plan: ClaimPlan; batch: DueBatch; seen: Candidate[] }[];
};

/** No line was free, or the only request that waits is being changed: worth another look soon. */
const SOON_ms = 1_000;

export const soonAfter = (now: Date): Date => new Date(now.getTime() + SOON_ms);

/**
 * At most one start of each batch, in the order in which places are given. Pure, except that it updates `known` and the
 * plans.
 */
export function decideClaim(
  turns: (Open | AbsentContender)[],
  known: ClaimKnown,
  isStillOpen: (plan: ClaimPlan) => boolean,
  now: Date,
): Decided {
  const decided: Decided = { starts: [], skipped: [], put_off: [], idle: [] };
  for (const turn of turns) {
    if (!("plan" in turn)) {
      known.numbers.setAside(turn);
      continue;
    }
    const { plan, batch, days } = turn;
    // A batch decided earlier may have taken the last line, and another lane of this one its turn.
    if (plan.pace.started !== null || !isStillOpen(plan)) continue;
    const seen = known.candidates.get(laneName(batch)) ?? [];
    const choice = choose({ plan, batch, days }, seen, known, now);
    noteThoseBefore(decided, batch, seen, choice);
    if (choice.start === null) {
      plan.wake_at = choice.looks_soon ? earlier(choice.look_at, soonAfter(now)) : choice.look_at;
      decided.idle.push({ plan, batch, seen });
      continue;
    }
    const { index, counts_on } = choice.start;
    const next = seen[index] as Candidate;
    const sends = known.numbers.take(batch, next.target, known.countries);
    const isOpenAt = openFor(batch, next, known);
    decided.starts.push(newStart(sends.batch, next, { counts_on, isOpenAt, number: sends.number }, now));
    known.tried.add({ ...batch, target: next.target }, now);
    known.contacts.add(batch, next.target, contactKindOf(batch).channel, now);
    known.busy.add(batch, next.target);
    if (counts_on !== null) known.firsts.add(batch, counts_on);
    known.lines.take(placeOf(sends.batch));
    plan.pace.started = now;
    plan.wake_at = new Date(now.getTime() + interval_ms(plan.rate as number));
  }
  return decided;
}

function choose({ batch, days }: Open, seen: Candidate[], known: ClaimKnown, now: Date): Choice {
  // Checked one at a time, because most batches start their first candidate.
  const views = seen.values().map((candidate) => ({
    ...requestView(
      candidate,
      batch.campaign.retry_count,
      known.eligibilityIssue(batch, candidate),
      known.tried.tooOften(batch, known.persons.addressesOf(batch.sub_organization_id, [candidate.target])),
      known.numbers.countryHold(batch, candidate.target, known.countries),
      personState(known.lines.rulesOf(batch), heldPerson(batch, candidate, known), now),
    ),
    is_address_busy: known.persons
      .addressesOf(batch.sub_organization_id, [candidate.target])
      .some((address) => known.busy.has(batch, address)),
  }));
  const hours = { schedule: batch.campaign, zone: batch.timezone as string };
  return chooseNext(views, days, (date) => known.firsts.on(batch, date), hours, now);
}

const heldPerson = (batch: DueBatch, candidate: Candidate, known: ClaimKnown): HeldPerson => ({
  ...candidate,
  target: clockTarget(batch, candidate),
  ...contactKindOf(batch),
  campaign_zone: batch.timezone as string,
  contact_timezone: contactTimezone(batch, candidate, known.persons),
  past: addressesOfPerson(batch, candidate, known.persons).flatMap((address) => [
    ...known.contacts.with(batch, address),
  ]),
  is_asked_for: candidate.call_back_after === candidate.attempt_count,
  lacks_template: known.lacksTemplate(batch, candidate),
});

/**
 * Whether somebody who may be tried now still may be when the attempt is handed over, by the campaign's hours and their
 * own: the first words of a text take up to a minute to write.
 */
function openFor(batch: DueBatch, candidate: Candidate, known: ClaimKnown): (at: Date) => boolean {
  const [rules, person] = [known.lines.rulesOf(batch), heldPerson(batch, candidate, known)];
  const { campaign, timezone } = batch;
  return (at) => {
    const { hold, too_late } = personState(rules, person, at);
    return hold === null && too_late === null && isOpen(campaign, timezone as string, at);
  };
}

/** The candidates before the one that starts: skipped for good, or postponed. */
function noteThoseBefore(
  decided: Decided,
  batch: DueBatch,
  seen: Candidate[],
  { skips, put_off }: Choice,
): void {
  for (const { index, ...why } of skips)
    decided.skipped.push({ batch, candidate: seen[index] as Candidate, ...why });
  for (const { index, until } of put_off) {
    const { request_id } = seen[index] as Candidate;
    decided.put_off.push({
      lane: laneName(batch),
      batch_key: batch.batch_key,
      request_id,
      due_at: until,
    });
  }
}

export const earlier = (at: Date | null, other: Date): Date => (at === null || at > other ? other : at);
