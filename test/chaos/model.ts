import { NOBODY_KNOWN, type Persons } from "../../src/address-book/persons.ts";
import { patch } from "../../src/base/patch.ts";
import type { StatusChange } from "../../src/batches/status-change.ts";
import type { ChannelStatus } from "../../src/channels/channel-status.ts";
import type { AttemptEvent } from "../../src/dialing/attempt-event.ts";
import { addressesOfCandidate } from "../../src/dialing/cadences/candidate-addresses.ts";
import { afterSkip } from "../../src/dialing/cadences/skip-steps.ts";
import type { Candidate } from "../../src/dialing/candidates.ts";
import type { DueBatch } from "../../src/dialing/due-batches.ts";
import { type AttemptRow, type BatchContext, idOf, type RequestRow } from "../../src/dialing/settled-rows.ts";
import { Settlement } from "../../src/dialing/settlement.ts";
import { notShown, placedNotShown, placedUnasked } from "../../src/dialing/unsettled.ts";
import { HAND_OVER_ms, LEASE_ms, type Mode } from "../../src/planning/attempt.ts";
import { statusAt } from "../../src/planning/batch-state.ts";
import type { CadenceStep } from "../../src/planning/cadences/cadence.ts";
import { chooseNext } from "../../src/planning/choose-next.ts";
import { contactChannelOf } from "../../src/planning/contact-hours.ts";
import {
  type NumberCheck,
  numberCheck,
  reassignedIssue,
  sinceDate,
} from "../../src/planning/numbers/reassigned-number.ts";
import { lastStart, rateOf } from "../../src/planning/pacing.ts";
import { type PersonLimit, tooOften } from "../../src/planning/per-person.ts";
import { type OutreachRules, type PersonState, personState } from "../../src/planning/person-hold.ts";
import { leadsFurther } from "../../src/planning/progress.ts";
import type { Decision } from "../../src/planning/settle.ts";
import { batchStep } from "../../src/planning/steps/batch-step.ts";
import type { EligibilityIssue, RequestView, SkipReason } from "../../src/planning/steps/request-step.ts";
import { Book } from "./book.ts";
import {
  addressOf,
  type Fate,
  type Happening,
  type History,
  mailOf,
  numberOrMail,
  PEOPLE,
} from "./history.ts";
import { type LookUp, NumberOwners } from "./number-owners.ts";
import { forbids, type Suppression } from "./people-promises.ts";

/**
 * The engine with its rows in memory: every decision is the program's own (`batchStep`, `chooseNext`, `Settlement`), only
 * the statements that read and write are replaced. Thousands of histories a second go through it.
 */
export type Batch = {
  key: number;
  status: "ACTIVE" | "PAUSED" | "CANCELED";
  expires_on: Date | null;
  call_rate: number | null;
  last_at: Date | null;
};
export type ModelAttempt = AttemptRow & { counted_on: string | null; process: number };
/** Mistakes that a dialer could make, so that the promises can be seen to notice them. */
export type PlantedFaults = {
  forgets_addresses?: boolean;
  /** Reads each person's hours on the campaign's clock. */
  forgets_zones?: boolean;
  /** Reads hours for all purposes alone; knows no holidays. */
  forgets_purposes?: boolean;
  forgets_holidays?: boolean;
  /** Asks no carrier whether a number is somebody else's; takes an old answer, or none, for a good one. */
  forgets_owners?: boolean;
  trusts_old_answers?: boolean;
  goes_on_unanswered?: boolean;
  /** Knows nothing of a number's owner in steps. */
  forgets_owners_of_steps?: boolean;
  /** Reads only the first zone that a number may be in. */
  reads_one_zone?: boolean;
  /** Counts the attempts of one batch alone. */
  forgets_other_batches?: boolean;
  /** Asks for opt-outs and consents before a first attempt only. */
  forgets_opt_outs_later?: boolean;
  forgets_consent_later?: boolean;
  /** Makes the call that somebody asked for as soon as it can. */
  calls_back_early?: boolean;
  /** Of steps: goes on after an answer, or after an opt-out on another channel. */
  forgets_answers?: boolean;
  forgets_other_addresses?: boolean;
  /** Goes on after a success; tries a step again; tries one beside another; tries one before its wait is over. */
  goes_on_after_success?: boolean;
  repeats_steps?: boolean;
  steps_at_once?: boolean;
  skips_waits?: boolean;
  /** Reads no contact hours, and counts no caps, for steps. */
  forgets_hours_of_steps?: boolean;
  forgets_caps_of_steps?: boolean;
  /** Of contacts: counts attempts to each address alone; hears opt-outs of each address alone; reads the links once. */
  counts_addresses_alone?: boolean;
  hears_addresses_alone?: boolean;
  remembers_links?: boolean;
  /** Reads the zone of the number where a contact has one. */
  forgets_zones_of_contacts?: boolean;
  /** Knows of attempts under way at the same address alone. */
  calls_two_addresses?: boolean;
  /** Deletes what belongs to the one address that was named. */
  erases_one_address?: boolean;
};
/** What really happened outside, which no row can lie about. */
export type Dial = { attempt: ModelAttempt; at: Date };

/** So long a carrier of the histories hides what it took: a little less than it is waited for. */
const SHOWN_AFTER_ms = 6_000;

/** False where the carrier did not take it. */
export const wasTried = ({ state, channel_status }: AttemptRow): boolean =>
  state !== "ENDED" || channel_status !== "PENDING";

const personOf = (reference: string) => PEOPLE[addressOf(reference)] as (typeof PEOPLE)[string];
const numberOf = (reference: string): string => personOf(reference).number;

/** As `takeUnsettled`. */
const handedOverBy = ({ check_at }: AttemptRow): string =>
  new Date(Date.parse(check_at as string) - (LEASE_ms - HAND_OVER_ms)).toISOString();

/** A month. */
export const beforeHistory = ({ from }: Pick<History, "from">): Date =>
  new Date(from.getTime() - 30 * 86_400_000);

const NO_LINKS = new Book();

/** As far as the histories know: somebody was heard. */
const hasTalked = ({ answerer }: AttemptRow): boolean => answerer === "HUMAN";

export class Model {
  now: Date;
  batches: Batch[];
  requests: RequestRow[] = [];
  references = new Map<RequestRow, string>();
  attempts: ModelAttempt[] = [];
  reached = new Map<string, number>();
  stepsSkipped = 0;
  stepsAnswered = 0;
  heldByLinks = 0;
  optOutsByLinks = 0;
  heldByHolidays = 0;
  skippedAsGivenAway = 0;
  /** Calls that carriers really made. */
  dials: Dial[] = [];
  /** With the attempt by which each came about. */
  told: (StatusChange & { teller: string })[] = [];
  campaign: History["campaign"];
  /** By person, whatever references they have. */
  readonly withdrew = new Set<string>();
  readonly suppressions: Suppression[] = [];
  readonly book = new Book();
  readonly owners = new NumberOwners();
  /** When people called or wrote, and from where. */
  readonly answers: { address: string; at: Date }[] = [];
  /** All addresses of people whose erasure was asked for, as they were linked then. */
  readonly erasures: { asked_of: string[]; addresses: string[]; is_done: boolean }[] = [];
  /** Attempts that are deleted. */
  readonly erased = new Set<ModelAttempt>();
  /** The times that people asked for, by the attempt in which they did. */
  readonly callBacks = new Map<string, Date>();
  #zone: string;
  #perPerson: PersonLimit | null;
  #rules: OutreachRules | null;
  #atCarrier = new Map<string, { status: ChannelStatus; since_ms: number }>();
  /** Time as it really passes, whatever clocks are set to. */
  #passed_ms = 0;
  /** Attempts whose process stands still between the claim and the call. */
  #heldUp: { attempt: ModelAttempt; said: { at: Date; passed_ms: number } }[] = [];
  /** Attempts of which it was concluded that the carrier never had them. */
  #givenUp = new Set<string>();

  #faults: PlantedFaults;

  constructor(history: History, faults: PlantedFaults = {}) {
    this.#faults = faults;
    this.now = history.from;
    this.#zone = history.zone;
    this.#perPerson = history.per_person;
    this.#rules = history.rules;
    this.campaign = { ...history.campaign };
    for (const person of history.given_away) this.owners.give(numberOf(person), beforeHistory(history));
    this.batches = history.batches.map(({ call_rate, expires_h }, key) => ({
      key,
      status: "ACTIVE",
      expires_on: expires_h === null ? null : new Date(history.from.getTime() + expires_h * 3_600_000),
      call_rate,
      last_at: null,
    }));
    for (const [batch_key, { people }] of history.batches.entries()) {
      for (const person of people) this.#addRequest(batch_key, person);
    }
  }

  #addRequest(batch_key: number, person: string): void {
    const request: RequestRow = {
      batch_key,
      request_id: this.requests.length,
      request_status: "PENDING",
      channel_status: "PENDING",
      attempt_count: 0,
      refusals: 0,
      call_back_after: null,
      due_at: this.now.toISOString(),
      sent_at: null,
      sid: null,
      session_id: null,
      conversation_id: null,
      answered_by: null,
      voicemail_left: null,
      step: 0,
      step_target: null,
      step_log: null,
    };
    this.requests.push(request);
    this.references.set(request, person);
  }

  happen(happening: Happening): void {
    this.#erase();
    if (happening.kind === "tick") this.#tick(happening.process, happening.fates);
    else if (happening.kind === "pass") this.#pass(happening.ms);
    else if (happening.kind === "go-on") this.#goOn();
    else if (happening.kind === "told") this.#tellOf(happening);
    else if (happening.kind === "ask") this.#ask(happening.answers);
    else if (happening.kind === "asked") this.#callBackAsked(happening);
    else if (happening.kind === "opt-out") this.#optOut(numberOf(happening.person));
    else if (happening.kind === "withdraw") this.withdrew.add(happening.person);
    else if (happening.kind === "given-away") this.owners.give(numberOf(happening.person), this.now);
    else if (happening.kind === "agrees") this.owners.agree(numberOf(happening.person), this.now);
    else if (happening.kind === "look-ahead") this.#lookAhead(happening.answers);
    else if (happening.kind === "opt-out-by-mail") this.#optOut(mailOf(happening.person));
    else if (happening.kind === "answers")
      this.answers.push({ address: numberOf(happening.person), at: this.now });
    else if (happening.kind === "suppress")
      this.suppressions.push({ ...happening, address: numberOrMail(happening.address) });
    else if (happening.kind === "link")
      this.book.link(numberOrMail(happening.address), numberOrMail(happening.other));
    else if (happening.kind === "unlink") this.book.unlink(numberOrMail(happening.address));
    else if (happening.kind === "zone") this.book.note(numberOrMail(happening.address), happening.timezone);
    else if (happening.kind === "keyed")
      this.book.takeKeys(
        happening.incoming.map(({ key, address }) => ({ key, address: numberOrMail(address) })),
      );
    else if (happening.kind === "erase") this.#askToErase(numberOrMail(happening.address));
    else if (happening.kind === "cap") this.campaign = { ...this.campaign, max_daily_calls: happening.cap };
    else if ("batch" in happening) this.#change(happening.kind, this.batches[happening.batch]);
  }

  /** As the list of suppressions is written to: on all channels. */
  #optOut(address: string | null): void {
    if (address !== null) this.suppressions.push({ address, scope: "all", how: "noted" });
  }

  /** As `personToErase`: as the addresses are linked when it is asked for. */
  #askToErase(address: string): void {
    const asked_of = this.book.peersOf(address);
    const addresses = this.#faults.erases_one_address ? [address] : asked_of;
    this.erasures.push({ asked_of, addresses, is_done: false });
  }

  /** As `runErasure`, which waits for whoever is being reached. */
  #erase(): void {
    for (const erasure of this.erasures) {
      const { addresses } = erasure;
      if (erasure.is_done) continue;
      const isTheirs = ({ target, reference_id }: ModelAttempt) =>
        addresses.includes(target) || addresses.includes(numberOf(reference_id));
      const theirs = this.attempts.filter(isTheirs);
      if (theirs.some(({ state }) => state !== "ENDED")) continue;
      erasure.is_done = true;
      for (const attempt of theirs) this.erased.add(attempt);
      this.#gone = new Set([
        ...this.#gone,
        ...this.requests.filter((r) => addresses.includes(numberOf(this.references.get(r) as string))),
      ]);
      this.book.remove(addresses);
    }
  }
  #gone = new Set<RequestRow>();

  #pass(ms: number): void {
    this.now = new Date(this.now.getTime() + ms);
    this.#passed_ms += Math.max(0, ms);
  }

  /** Calls that were made for attempts of which the opposite was concluded: each may have reached somebody twice. */
  get mistaken(): Dial[] {
    return this.dials.filter(({ attempt }) => this.#givenUp.has(attempt.key));
  }

  /** Processes that were held up go on: as `Leases`, on both clocks. */
  #goOn(): void {
    for (const { attempt, said } of this.#heldUp.splice(0)) {
      const age_ms = Math.max(this.#passed_ms - said.passed_ms, this.now.getTime() - said.at.getTime());
      if (age_ms >= HAND_OVER_ms) {
        if (attempt.state !== "CLAIMED") continue;
        attempt.check_at = new Date(this.now.getTime() + LEASE_ms).toISOString();
      }
      this.#place(attempt, "taken");
    }
  }

  /** What the carrier says of a key when it is asked; it doesn't show at once what it took. */
  #shownBy(key: string): ChannelStatus | null {
    const call = this.#atCarrier.get(key);
    return call && this.#passed_ms - call.since_ms >= SHOWN_AFTER_ms ? call.status : null;
  }

  #tellOf({ back, status, is_transient, times }: Extract<Happening, { kind: "told" }>): void {
    const attempt = this.attempts.at(-1 - back);
    if (!attempt || !this.#atCarrier.has(attempt.key) || this.erased.has(attempt)) return;
    const word: AttemptEvent = { ...this.#word(attempt.key, status), is_transient };
    for (let i = 0; i < times; i++) this.#applyEvents([word]);
  }

  #word = (key: string, status: ChannelStatus) =>
    ({ kind: "status", key, status, is_transient: null, at: this.now, sid: `sid-${key}` }) as const;

  /** As `call_backs` and `readCallBacks`: what an attempt that is under way finds when it ends. */
  #callBackAsked({ back, wait_ms }: Extract<Happening, { kind: "asked" }>): void {
    const attempt = this.attempts.at(-1 - back);
    if (attempt?.state !== "PLACED") return;
    const at = new Date(this.now.getTime() + wait_ms);
    this.callBacks.set(attempt.key, at);
    attempt.call_back_at = (this.#faults.calls_back_early ? this.now : at).toISOString();
  }

  #change(to: "pause" | "resume" | "delete", batch: Batch | undefined): void {
    if (!batch || batch.status === "CANCELED") return;
    if (to === "delete") this.#cancel(batch);
    else batch.status = to === "pause" ? "PAUSED" : "ACTIVE";
  }

  #cancel(batch: Batch): void {
    batch.status = "CANCELED";
    for (const request of this.requests) {
      if (request.batch_key !== batch.key || request.request_status !== "PENDING") continue;
      patch(request, { request_status: "CANCELED", channel_status: "CANCELED", due_at: null });
    }
  }

  /** As `claimDue`: one request of each batch at most, retries first, then who waits longest. */
  #tick(process: number, fates: Fate[]): void {
    const hours = { schedule: this.campaign, zone: this.#zone };
    const claimed: ModelAttempt[] = [];
    this.#persons = this.#readLinks(process);
    for (const batch of this.batches) {
      const rate = rateOf({ hourly_rate: this.campaign.hourly_rate, call_rate: batch.call_rate }, null);
      const step = batchStep(
        {
          status: statusAt(batch, this.now),
          source: "+15125550100",
          hours,
          rate,
          last_at: lastStart(batch.last_at, this.now),
          source_paused_until: null,
          source_refusal: null,
          stopped: null,
          spending: null,
          numbers: null,
          confirmation: null,
          silent: null,
          campaign_limit: null,
          agent_limit: null,
          free_lines: { source: 1, organization: 1 },
        },
        this.now,
      );
      if (step.kind !== "start") continue;
      // As `lanesOf`: steps first, and one start between them.
      for (const lane of [...this.campaign.cadence.keys().map((index) => index + 1), 0]) {
        const candidates = this.#candidates(batch, lane);
        const views = candidates.map((request) => this.#view(request));
        const reached = (date: string) => this.reached.get(date) ?? 0;
        const { start, put_off, skips } = chooseNext(views, step.days, reached, hours, this.now);
        for (const { index, until } of put_off) {
          (candidates[index] as RequestRow).due_at = until.toISOString();
        }
        this.#noteLinks(put_off, skips, candidates);
        for (const { index, ...skip } of skips) this.#skip(batch, candidates[index] as RequestRow, skip);
        if (!start) continue;
        batch.last_at = this.now;
        claimed.push(this.#claim(process, candidates[start.index] as RequestRow, start.counts_on));
        if (!this.#faults.steps_at_once) break;
      }
    }
    for (const [index, attempt] of claimed.entries())
      this.#place(attempt, fates[index % fates.length] as Fate);
  }

  /** How often links mattered, so that histories are seen to be about them. */
  #noteLinks(
    put_off: readonly { index: number }[],
    skips: readonly { index: number; reason: SkipReason }[],
    candidates: RequestRow[],
  ): void {
    const isLinked = ({ index }: { index: number }) =>
      this.book.isLinked(this.#targetOf(candidates[index] as RequestRow));
    this.heldByLinks += put_off.filter(isLinked).length;
    this.optOutsByLinks += skips.filter(
      (skip) => skip.reason === "suppressed" && isLinked(skip) && !this.#isListed(candidates[skip.index]),
    ).length;
  }

  #isListed = (request: RequestRow | undefined): boolean =>
    request !== undefined && this.suppressions.some(({ address }) => address === this.#targetOf(request));

  #persons: Persons = this.book.persons();
  #remembered = new Map<number, Persons>();
  #readLinks(process: number): Persons {
    const persons = (this.#faults.remembers_links && this.#remembered.get(process)) || this.book.persons();
    if (!persons.isEmpty) this.#remembered.set(process, persons);
    return persons;
  }

  /** As `skipSteps` and `skipRequests`. */
  #skip(
    batch: Batch,
    request: RequestRow,
    skip: { status: ChannelStatus; reason: SkipReason; text: string },
  ): void {
    const skipped = { batch: this.#dueBatch(batch), candidate: this.#candidate(request), ...skip };
    const after = this.campaign.cadence.length === 0 ? null : afterSkip(skipped, this.now);
    if (after === null) {
      patch(request, { request_status: "SKIPPED", channel_status: skip.status, due_at: null });
      return;
    }
    const { next } = after.choice;
    if (skip.reason === "answered") this.stepsAnswered += 1;
    else this.stepsSkipped += 1;
    patch(request, after.over ?? { request_status: "PENDING" });
    patch(request, { due_at: next?.at.toISOString() ?? null });
    if (next) patch(request, { step: next.step, step_target: next.target });
  }

  #dueBatch = ({ key }: Batch) => ({ batch_key: key, cadence: this.campaign.cadence }) as unknown as DueBatch;

  #candidate = (request: RequestRow): Candidate => ({
    ...(request as unknown as Candidate),
    request_target: numberOf(this.references.get(request) as string),
    target: this.#targetOf(request),
    request_variables: this.#variables(this.references.get(request) as string),
  });

  /** All that a request may reach, its step's address first. Kept, because numbers take long to read. */
  ownAddressesOf(request: RequestRow): string[] {
    const name = `${request.request_id} ${this.#targetOf(request)}`;
    const known = this.#ownAddresses.get(name);
    if (known) return known;
    const own = addressesOfCandidate({ cadence: this.campaign.cadence }, this.#candidate(request));
    this.#ownAddresses.set(name, own);
    return own;
  }
  #ownAddresses = new Map<string, string[]>();

  #targetOf = (request: RequestRow): string =>
    request.step_target ?? numberOf(this.references.get(request) as string);

  #variables(reference: string): Record<string, string> {
    const mail = mailOf(addressOf(reference));
    return mail === null ? {} : { email: mail };
  }

  #modeOf = ({ step }: { step: number }): Mode =>
    step === 0 ? "voice" : (this.campaign.cadence[step - 1] as CadenceStep).mode;

  #candidates({ key }: Batch, lane: number): RequestRow[] {
    const waiting = this.requests
      .filter(
        (r) =>
          r.batch_key === key &&
          r.step === lane &&
          r.request_status === "PENDING" &&
          !this.#gone.has(r) &&
          !this.#isLive(r),
      )
      .toSorted((a, b) => Date.parse(a.due_at ?? "") - Date.parse(b.due_at ?? ""));
    if (lane > 0) return waiting.slice(0, 3);
    const found = [
      waiting.find((r) => r.call_back_after === r.attempt_count),
      waiting.find((r) => r.attempt_count > 0),
      waiting.find((r) => r.attempt_count === 0),
    ];
    return [...new Set(found.filter((r) => r !== undefined))];
  }

  #isLive(request: RequestRow): boolean {
    const reference = this.references.get(request) as string;
    const target = this.#targetOf(request);
    const person = this.#faults.calls_two_addresses ? [target] : this.book.peersOf(target);
    const isAddressLive = (a: ModelAttempt) => a.holds_slot && person.includes(a.target);
    return this.attempts.some(
      (a) =>
        (a.reference_id === reference && a.state !== "ENDED") ||
        (this.#faults.forgets_addresses !== true && isAddressLive(a)),
    );
  }

  #view(request: RequestRow): RequestView {
    const reference = this.references.get(request);
    return {
      ...request,
      retry_count: this.campaign.retry_count,
      due_at: new Date(request.due_at as string),
      counted_on: this.attempts
        .filter((a) => a.reference_id === reference && a.counted_on !== null)
        .map((a) => a.counted_on as string),
      is_reached_elsewhere: false,
      is_address_busy: false,
      country: null,
      person: this.#person(request, reference as string),
      too_often: this.#perPerson && tooOften(this.#tried(this.#targetOf(request)), this.#perPerson),
      issue: this.#issue(request, reference as string),
    };
  }

  /** As `readReachIssues`. */
  #issue(request: RequestRow, reference: string): EligibilityIssue | null {
    const { attempt_count, step } = request;
    const { forgets_opt_outs_later, forgets_consent_later } = this.#faults;
    const person = addressOf(reference);
    const sign = this.#stopSign(request);
    if (sign !== null) return sign;
    const start = { target: this.#targetOf(request), mode: this.#modeOf({ step }) };
    const isHeard = forbids(
      this.suppressions,
      start,
      this.#faults.hears_addresses_alone ? NO_LINKS : this.book,
    );
    // Of mails it always asked.
    const isForgottenLater = forgets_opt_outs_later && attempt_count > 0 && start.mode !== "email";
    if (isHeard && !isForgottenLater)
      return { kind: "suppressed", status: "PRIOR_UNSUBSCRIBED", text: "opted out" };
    const isForgotten = forgets_consent_later && attempt_count > 0;
    if (this.campaign.purpose === "marketing" && this.withdrew.has(person) && !isForgotten)
      return { kind: "no-consent", status: "CANCELED", text: "no consent" };
    const issue = this.#faults.forgets_owners ? null : reassignedIssue(this.#numberCheck(request));
    if (issue?.kind === "reassigned") this.skippedAsGivenAway += 1;
    return this.#faults.goes_on_unanswered && issue?.kind === "lookup" ? null : issue;
  }

  /** As `readNumberChecks`: before the first attempt to a number, and later where it is known to be somebody else's. */
  #numberCheck(request: RequestRow): NumberCheck | null {
    if (!this.campaign.check_reassigned || this.#modeOf(request) === "email") return null;
    if (this.#faults.forgets_owners_of_steps && request.step > 0) return null;
    const check = this.#standing(this.#targetOf(request));
    const isGivenAway = check.kind === "answered" && check.answer === "yes";
    return request.attempt_count === 0 || isGivenAway ? check : null;
  }

  #standing(number: string): NumberCheck {
    const said = this.owners.said.get(number)?.at(-1);
    const at = this.#faults.trusts_old_answers ? this.now : said?.at;
    const known = said && at ? { ...said, error_code: null, at } : null;
    return numberCheck(sinceDate(this.owners.agreedOn(number), {}, this.now), known, this.now);
  }

  /** As `checkNumbers`: each number that is reached next is asked of once. */
  #lookAhead(answers: LookUp[]): void {
    let asked = 0;
    for (const request of this.requests) {
      if (request.request_status !== "PENDING") continue;
      const check = this.#numberCheck(request);
      if (check?.kind !== "to-ask") continue;
      const how = answers[asked++ % answers.length] as LookUp;
      this.owners.ask(this.#targetOf(request), check.since, how, this.now);
    }
  }

  /** As `readStopSigns` and `stepIssue`. */
  #stopSign(request: RequestRow) {
    const { attempt_count, step, request_id, call_back_after } = request;
    if (this.campaign.cadence.length === 0 || call_back_after !== null || attempt_count + step === 0)
      return null;
    const { forgets_answers, forgets_other_addresses, forgets_opt_outs_later } = this.#faults;
    // By the links of now: what a fault forgets of links is about caps.
    const addresses = this.book.persons().addressesOf(1, this.ownAddressesOf(request));
    const optedOut = this.suppressions.some(({ address }) => addresses.includes(address));
    if (optedOut && !forgets_other_addresses && !forgets_opt_outs_later)
      return { kind: "suppressed", status: "PRIOR_UNSUBSCRIBED", text: "opted out" } as const;
    const first = this.attempts.find((a) => a.request_id === request_id);
    const answered = this.answers.some(
      (a) => addresses.includes(a.address) && first && a.at >= new Date(first.started_at),
    );
    return answered && !forgets_answers
      ? ({ kind: "answered", status: "COMPLETED", text: "answered" } as const)
      : null;
  }

  /** As `addressesOfPerson`. */
  #addressesOfPerson(request: RequestRow): string[] {
    const persons = this.#faults.counts_addresses_alone ? NOBODY_KNOWN : this.#persons;
    return persons.addressesOf(1, this.ownAddressesOf(request));
  }

  /** As `readContacts`, and what follows from it. */
  #person(request: RequestRow, reference: string): PersonState {
    const { timezone, zones } = personOf(reference);
    const { forgets_zones, reads_one_zone, forgets_other_batches } = this.#faults;
    const wrong = forgets_zones ? this.#zone : reads_one_zone ? zones[0] : undefined;
    const named = wrong ?? timezone;
    const { step } = request;
    const channel = contactChannelOf(this.#modeOf({ step }));
    const isForgotten = step > 0 && this.#faults.forgets_caps_of_steps;
    const addresses = this.#addressesOfPerson(request);
    const own = this.ownAddressesOf(request);
    const past = this.attempts
      .filter(
        (a) =>
          addresses.includes(a.target) &&
          !this.erased.has(a) &&
          !isForgotten &&
          wasTried(a) &&
          (!forgets_other_batches || a.batch_key === request.batch_key),
      )
      .map((a) => ({
        channel: contactChannelOf(a.mode),
        at: new Date(a.started_at),
        talked_until: hasTalked(a) && a.ended_at !== null ? new Date(a.ended_at) : null,
      }));
    const request_variables: Record<string, string> = named === undefined ? {} : { timezone: named };
    const person = {
      target: own.find((address) => !address.includes("@")) as string,
      channel,
      purpose: this.campaign.purpose,
      request_variables,
      campaign_zone: this.#zone,
      contact_timezone: this.#faults.forgets_zones_of_contacts
        ? null
        : this.book.persons().timezoneOf(1, own),
      past,
      is_asked_for: request.call_back_after === request.attempt_count,
    };
    const state = personState(this.#rules && this.#rulesRead(this.#rules, step), person, this.now);
    if (state.hold?.reason === "holiday") this.heldByHolidays += 1;
    return state;
  }

  #rulesRead(rules: OutreachRules, step: number): OutreachRules {
    const { forgets_hours_of_steps, forgets_purposes, forgets_holidays } = this.#faults;
    return {
      ...rules,
      ...(step > 0 && forgets_hours_of_steps && { person_clock: false }),
      ...(forgets_purposes && { contact_hours: rules.contact_hours.filter(({ purpose }) => !purpose) }),
      ...(forgets_holidays && { holidays: [] }),
    };
  }

  /** As `readTried`. */
  #tried(target: string): Date[] {
    const since_ms = this.now.getTime() - (this.#perPerson?.window_ms ?? 0);
    const persons = this.#faults.counts_addresses_alone ? NOBODY_KNOWN : this.#persons;
    const addresses = persons.addressesOf(1, [target]);
    const isRecent = (a: ModelAttempt) => Date.parse(a.started_at) > since_ms && !this.erased.has(a);
    return this.attempts
      .filter((a) => addresses.includes(a.target) && isRecent(a) && wasTried(a))
      .map((a) => new Date(a.started_at))
      .toSorted((a, b) => b.getTime() - a.getTime());
  }

  #claim(process: number, request: RequestRow, counted_on: string | null): ModelAttempt {
    if (counted_on !== null) this.reached.set(counted_on, (this.reached.get(counted_on) ?? 0) + 1);
    request.request_status = "INITIATED";
    request.attempt_count += 1;
    request.due_at = null;
    const attempt: ModelAttempt = {
      key: String(this.attempts.length),
      organization_id: 1,
      sub_organization_id: 1,
      campaign_id: 1,
      batch_key: request.batch_key,
      request_id: request.request_id,
      reference_id: this.references.get(request) as string,
      attempt_number: request.attempt_count,
      mode: this.#modeOf(request),
      source: "+15125550100",
      target: this.#targetOf(request),
      step: request.step,
      state: "CLAIMED",
      channel_status: "PENDING",
      answerer: null,
      provider_status: null,
      error_code: null,
      sid: null,
      session_id: null,
      conversation_id: null,
      started_at: this.now.toISOString(),
      placed_at: null,
      ended_at: null,
      check_at: new Date(this.now.getTime() + LEASE_ms).toISOString(),
      checks: 0,
      handed_over_by: null,
      decision: null,
      hang_up_at: null,
      holds_slot: true,
      voicemail_left: false,
      has_spoken: false,
      call_back_at: null,
      earlier: [],
      was_reached_before: false,
      is_tried_elsewhere: false,
      counted_on,
      number_day: null,
      process,
    };
    this.attempts.push(attempt);
    return attempt;
  }

  #place(attempt: ModelAttempt, fate: Fate): void {
    const { key } = attempt;
    if (fate === "held-up") {
      this.#heldUp.push({ attempt, said: { at: this.now, passed_ms: this.#passed_ms } });
      return;
    }
    if (fate === "taken" || fate === "lost" || fate === "dies-after") {
      this.dials.push({ attempt, at: this.now });
      this.#atCarrier.set(key, { status: "QUEUED", since_ms: this.#passed_ms });
    }
    const news: Record<Exclude<Fate, "held-up">, AttemptEvent | null> = {
      taken: this.#word(key, "QUEUED"),
      refused: { ...this.#word(key, "SIP_NOT_FOUND"), is_transient: false },
      "not-sent": { kind: "not-taken", key, retry_after_s: null, why: "busy" },
      lost: { kind: "unknown", key, why: "no answer", from: "handing-over" },
      "never-got-it": { kind: "unknown", key, why: "no answer", from: "handing-over" },
      "dies-before": null,
      "dies-after": null,
    };
    if (news[fate]) this.#applyEvents([news[fate]]);
  }

  /** As `takeUnsettled` and `askCarrier`. */
  #ask(answers: ("as-it-is" | "none" | "unreachable")[]): void {
    const due = this.attempts.filter(
      (a) => a.state !== "ENDED" && a.check_at !== null && new Date(a.check_at) <= this.now,
    );
    for (const [index, attempt] of due.entries()) {
      const { key } = attempt;
      if (attempt.state === "CLAIMED")
        patch(attempt, { state: "UNCERTAIN", handed_over_by: handedOverBy(attempt) });
      const isPlaced = attempt.state === "PLACED";
      const known = this.#shownBy(key);
      const answer = answers[index % answers.length];
      if (answer === "unreachable") {
        this.#applyEvents([
          isPlaced
            ? placedUnasked(attempt, this.now)
            : { kind: "unknown", key, why: "unreachable", from: "asking" },
        ]);
      } else if (known === null) {
        const news = isPlaced
          ? placedNotShown({ ...attempt, is_talking: false }, this.now)
          : notShown(attempt, this.now);
        if (news.kind === "not-taken") this.#givenUp.add(key);
        this.#applyEvents([news]);
      } else if (isPlaced && !leadsFurther(attempt.channel_status, known)) {
        this.#applyEvents([{ kind: "goes-on", key, is_shown: true }]);
      } else {
        this.#applyEvents([
          { kind: "status", key, status: known, is_transient: null, at: this.now, sid: `sid-${key}` },
        ]);
      }
    }
  }

  #applyEvents(news: AttemptEvent[]): void {
    const attempts = new Map<string, AttemptRow>();
    const requests = new Map<string, RequestRow>();
    const around = new Map<string, BatchContext>();
    for (const { key } of news) {
      const attempt = this.attempts[Number(key)] as ModelAttempt;
      const request = this.requests[attempt.request_id] as RequestRow;
      const since = request.call_back_after ?? 0;
      const before = this.attempts.filter(
        (a) =>
          a.request_id === attempt.request_id &&
          a.attempt_number > since &&
          a.attempt_number < attempt.attempt_number &&
          a.decision !== null,
      );
      attempt.earlier = before.map(({ decision, started_at }) => ({
        outcome: (decision as Decision).status,
        started_at: new Date(started_at),
      }));
      attempt.was_reached_before = this.attempts.some(
        (a) =>
          a.attempt_number > since &&
          a !== attempt &&
          a.batch_key === attempt.batch_key &&
          a.reference_id === attempt.reference_id &&
          a.channel_status === "COMPLETED" &&
          a.answerer !== "MACHINE",
      );
      attempts.set(key, attempt);
      requests.set(idOf(attempt), request);
      const batch = this.batches[attempt.batch_key] as Batch;
      around.set(key, {
        batch_id: String(batch.key),
        batch_status: batch.status,
        expires_on: batch.expires_on?.toISOString() ?? null,
        retry_count: this.campaign.retry_count,
        retry_interval: this.campaign.retry_interval,
        preference: null,
        by_outcome: this.campaign.retry_rules && {
          rules: this.campaign.retry_rules,
          hours: { schedule: this.campaign, zone: this.#zone },
        },
        cadence:
          this.campaign.cadence.length === 0
            ? null
            : {
                steps: this.campaign.cadence,
                person: {
                  target: numberOf(attempt.reference_id),
                  variables: this.#variables(attempt.reference_id),
                },
              },
      });
    }
    const settlement = new Settlement(this.now, attempts, requests, around);
    const { status_changes } = settlement.changed;
    for (const each of news) {
      const before = status_changes.length;
      settlement.take(each);
      this.told.push(...status_changes.slice(before).map((change) => ({ ...change, teller: each.key })));
    }
    this.#plant([...settlement.changed.requests], [...settlement.changed.attempts] as ModelAttempt[]);
  }

  /** What a settlement would do that has one of these faults. */
  #plant(requests: RequestRow[], attempts: ModelAttempt[]): void {
    const { goes_on_after_success, repeats_steps, skips_waits } = this.#faults;
    for (const request of requests) {
      const attempt = attempts.find((a) => a.request_id === request.request_id);
      if (
        goes_on_after_success &&
        request.request_status === "COMPLETED" &&
        attempt?.decision?.kind === "done" &&
        attempt.mode === "voice" &&
        attempt.ended_at === this.now.toISOString()
      )
        if (this.campaign.cadence.length > request.step)
          patch(request, {
            request_status: "PENDING",
            step: request.step + 1,
            due_at: this.now.toISOString(),
          });
      if (attempt?.decision?.kind !== "step" || request.request_status !== "PENDING") continue;
      if (repeats_steps && attempt.step > 0)
        patch(request, { step: attempt.step, step_target: attempt.target });
      if (skips_waits) request.due_at = this.now.toISOString();
    }
  }
}
