import fc from "fast-check";
import { expect, test } from "vitest";
import { isOver } from "../../src/channels/request-status.ts";
import { isSuccess } from "../../src/planning/cadences/cadence.ts";
import { contactChannelOf } from "../../src/planning/contact-hours.ts";
import { retryWait_s } from "../../src/planning/retry-interval.ts";
import { rounds } from "../harness/seed.ts";
import { isLegalBy, openBy } from "./by-the-book.ts";
import {
  addressOf,
  busyHistory,
  cadenceHistory,
  contactHistory,
  type History,
  history,
  ownersHistory,
  PEOPLE,
} from "./history.ts";
import { Model, type ModelAttempt, type PlantedFaults, wasTried } from "./model.ts";
import { checkOneAtATime, checkPersonCaps, forbids } from "./people-promises.ts";

const OUTSIDE = "contacted outside the person's own hours";

/** Each of the runs is a history of its own; a failure prints the seed and the path that replay it. */
const RUNS = Number(process.env.HISTORIES ?? rounds(1_000));
/** Those of people with several addresses, which take longer. */
const CONTACT_RUNS = Number(process.env.HISTORIES ?? rounds(400));

test(`what the engine promises holds in ${RUNS} random histories`, () => {
  const seen: Record<string, number> = {};
  const wanted = [
    ...["called_back", "by_rule", "skipped", "dials", "retries", "waited", "settled", "refused"],
    ...["on_own_clock", "capped", "on_purpose_rows"],
  ];
  fc.assert(
    fc.property(history(60), (told) => play(told, seen)),
    { numRuns: RUNS },
  );
  // The histories are worth something: all that the promises are about happens in them.
  for (const what of wanted) expect(seen[what], what).toBeGreaterThan(RUNS / 100);
  expect(seen.held_by_holidays, "held_by_holidays").toBeGreaterThan(RUNS / 500);
});

test.each<[string, PlantedFaults, string | RegExp]>([
  ["forgets whom others call", { forgets_addresses: true }, "two live attempts to one address"],
  ["reads a person's hours on the campaign's clock", { forgets_zones: true }, OUTSIDE],
  ["reads the hours of all purposes alone", { forgets_purposes: true }, OUTSIDE],
  ["knows no holidays", { forgets_holidays: true }, OUTSIDE],
  ["reads one of the zones that a number may be in", { reads_one_zone: true }, OUTSIDE],
  [
    "counts what one batch alone has tried",
    { forgets_other_batches: true },
    "contacted more often than a cap",
  ],
  [
    "asks for opt-outs before a first attempt only",
    { forgets_opt_outs_later: true },
    /after (the|an) opt-out/,
  ],
  ["asks for consents before a first attempt only", { forgets_consent_later: true }, "without a consent"],
  ["calls back before the time that was asked for", { calls_back_early: true }, "before the time asked for"],
])("a dialer that %s is found out", (_, faults, complaint) => {
  // Only what the fault is about can fail: everything else is checked above.
  const histories = fc.property(fc.oneof(history(60), busyHistory(25)), (told) => play(told, {}, faults));
  const found = fc.check(histories, { numRuns: Math.max(RUNS, 3_000), endOnFailure: true });
  expect(String(found.errorInstance)).toMatch(complaint);
});

test(`what the engine promises of the steps of a campaign holds in ${RUNS} random histories`, () => {
  const seen: Record<string, number> = {};
  const wanted = ["steps", "last_steps", "steps_skipped", "stopped", "answered", "two_in_a_row"];
  fc.assert(
    fc.property(cadenceHistory(25), (told) => play(told, seen)),
    { numRuns: RUNS },
  );
  for (const what of wanted) expect(seen[what], what).toBeGreaterThan(RUNS / 100);
});

test.each<[string, PlantedFaults, string | RegExp]>([
  ["goes on with its steps after an answer", { forgets_answers: true }, "a step after the person answered"],
  [
    "hears an opt-out on its own channel alone",
    { forgets_other_addresses: true },
    "a step after an opt-out on any channel",
  ],
  ["goes on after a success", { goes_on_after_success: true }, "after the person was reached"],
  [
    "tries a step again",
    { repeats_steps: true },
    /a step was tried twice|more attempts than the campaign allows/,
  ],
  ["tries a step before its wait is over", { skips_waits: true }, "a step before its wait was over"],
  ["has each step at its own pace", { steps_at_once: true }, "too close"],
  ["reads no hours for steps", { forgets_hours_of_steps: true }, OUTSIDE],
  ["counts no caps for steps", { forgets_caps_of_steps: true }, "contacted more often than a cap"],
])("a dialer that %s is found out", (_, faults, complaint) => {
  const histories = fc.property(cadenceHistory(25), (told) => play(told, {}, faults));
  const found = fc.check(histories, { numRuns: Math.max(RUNS, 3_000), endOnFailure: true });
  expect(String(found.errorInstance)).toMatch(complaint);
});

test(`what the engine promises of people with several addresses holds in ${CONTACT_RUNS} random histories`, () => {
  const seen: Record<string, number> = {};
  const wanted = ["linked_dials", "held_by_links", "linked_opt_outs", "erased", "steps", "skipped"];
  fc.assert(
    fc.property(contactHistory(16), (told) => play(told, seen)),
    { numRuns: CONTACT_RUNS },
  );
  for (const what of wanted) expect(seen[what], what).toBeGreaterThan(CONTACT_RUNS / 100);
});

const OVER_A_CAP = /a person was (contacted more often than a cap|tried too often)/;
test.each<[string, PlantedFaults, string | RegExp]>([
  ["counts what each address alone was tried", { counts_addresses_alone: true }, OVER_A_CAP],
  ["reads the links once, when its process begins", { remembers_links: true }, OVER_A_CAP],
  ["hears an opt-out at its own address alone", { hears_addresses_alone: true }, "after the opt-out"],
  ["reads the zone of the number where the contact has one", { forgets_zones_of_contacts: true }, OUTSIDE],
  [
    "knows of calls at the same address alone",
    { calls_two_addresses: true },
    "a person was reached at two addresses at once",
  ],
  ["erases the one address that was named", { erases_one_address: true }, "somebody who was erased"],
])("a dialer that %s is found out", (_, faults, complaint) => {
  const histories = fc.property(contactHistory(16), (told) => play(told, {}, faults));
  const found = fc.check(histories, { numRuns: Math.max(RUNS, 3_000), endOnFailure: true });
  expect(String(found.errorInstance)).toMatch(complaint);
});

test(`what the engine promises of numbers that change hands holds in ${CONTACT_RUNS} random histories`, () => {
  const seen: Record<string, number> = {};
  const wanted = ["owners_asked", "given_away", "steps"];
  fc.assert(
    fc.property(ownersHistory(16), (told) => play(told, seen)),
    { numRuns: CONTACT_RUNS },
  );
  for (const what of wanted) expect(seen[what], what).toBeGreaterThan(CONTACT_RUNS / 100);
});

test.each<[string, PlantedFaults, string | RegExp]>([
  ["does not ask whose a number is", { forgets_owners: true }, "without an answer of the carrier"],
  [
    "calls while the carrier can't be asked",
    { goes_on_unanswered: true },
    "without an answer of the carrier",
  ],
  ["takes an answer for good", { trusts_old_answers: true }, "without an answer of the carrier"],
  [
    "asks before a first attempt only, and texts who was not called",
    { forgets_owners_of_steps: true },
    /is somebody else's|without an answer/,
  ],
])("a dialer that %s is found out", (_, faults, complaint) => {
  const histories = fc.property(ownersHistory(16), (told) => play(told, {}, faults));
  const found = fc.check(histories, { numRuns: Math.max(RUNS, 3_000), endOnFailure: true });
  expect(String(found.errorInstance)).toMatch(complaint);
});

function play(told: History, seen: Record<string, number>, faults: PlantedFaults = {}): void {
  const model = new Model(told, faults);
  const results = new Map<object, string>();
  for (const happening of told.happenings) {
    const before = { dials: model.dials.length, attempts: model.attempts.length };
    const paused = model.batches.map(({ status }) => status);
    model.happen(happening);
    for (const attempt of model.attempts.slice(before.attempts)) checkStart(told, model, attempt, paused);
    checkLive(model);
    expect(model.mistaken, "called although it counted as never called").toEqual([]);
    checkForward(model, results);
    seen.dials = (seen.dials ?? 0) + model.dials.length - before.dials;
  }
  checkPace(told, model);
  checkRetries(told, model);
  checkPerPerson(told, model);
  checkCaps(told, model);
  checkTold(model);
  checkSteps(told, model);
  const steps = model.attempts.filter(({ step }) => step > 0);
  const over = model.requests.filter((r) => r.attempt_count > 0 && r.step_log === null);
  seen.steps = (seen.steps ?? 0) + steps.length;
  seen.last_steps =
    (seen.last_steps ?? 0) + steps.filter(({ step }) => step === told.campaign.cadence.length).length;
  seen.two_in_a_row =
    (seen.two_in_a_row ?? 0) + steps.filter(({ decision }) => decision?.kind === "step").length;
  seen.steps_skipped = (seen.steps_skipped ?? 0) + model.stepsSkipped;
  seen.stopped = (seen.stopped ?? 0) + over.filter((r) => r.request_status === "SKIPPED").length;
  seen.answered = (seen.answered ?? 0) + model.stepsAnswered;
  const decisions = model.attempts.map(({ decision }) => decision);
  seen.called_back = (seen.called_back ?? 0) + decisions.filter((d) => d?.kind === "call-back").length;
  seen.by_rule =
    (seen.by_rule ?? 0) +
    decisions.filter(
      (d) => d?.kind === "retry" && told.campaign.retry_rules?.some(({ outcome }) => outcome === d.status),
    ).length;
  seen.skipped = (seen.skipped ?? 0) + model.requests.filter((r) => r.request_status === "SKIPPED").length;
  seen.retries = (seen.retries ?? 0) + model.attempts.filter((a) => a.attempt_number > 1).length;
  seen.waited = (seen.waited ?? 0) + model.requests.filter((r) => r.request_status === "PENDING").length;
  seen.settled = (seen.settled ?? 0) + model.requests.filter((r) => isOver(r.request_status)).length;
  seen.on_own_clock = (seen.on_own_clock ?? 0) + (told.rules?.person_clock ? model.dials.length : 0);
  seen.capped = (seen.capped ?? 0) + (told.rules?.caps.length ? model.dials.length : 0);
  const isFor = ({ purpose }: { purpose?: string | null }) => purpose === told.campaign.purpose;
  seen.on_purpose_rows =
    (seen.on_purpose_rows ?? 0) +
    (told.rules?.person_clock && told.rules.contact_hours.some(isFor) ? model.dials.length : 0);
  seen.held_by_holidays = (seen.held_by_holidays ?? 0) + model.heldByHolidays;
  seen.owners_asked =
    (seen.owners_asked ?? 0) + (told.campaign.check_reassigned && !isSetBack(told) ? model.dials.length : 0);
  seen.given_away = (seen.given_away ?? 0) + model.skippedAsGivenAway;
  seen.erased = (seen.erased ?? 0) + model.erased.size;
  seen.linked_dials =
    (seen.linked_dials ?? 0) +
    model.dials.filter(({ attempt }) => model.book.isLinked(attempt.target)).length;
  seen.held_by_links = (seen.held_by_links ?? 0) + model.heldByLinks;
  seen.linked_opt_outs = (seen.linked_opt_outs ?? 0) + model.optOutsByLinks;
  seen.refused = (seen.refused ?? 0) + model.requests.filter((r) => r.refusals > 0).length;
}

type Attempt = ModelAttempt;

const requestOf = ({ requests }: Model, { request_id }: Attempt) =>
  requests[request_id] as Model["requests"][number];

/** 1. Inside the window; 2. under the cap; never of a batch on hold, over or deleted, nor of somebody who was reached. */
function checkStart(told: History, model: Model, attempt: Attempt, statuses: string[]): void {
  const at = new Date(attempt.started_at);
  const days = openBy(model.campaign, told.zone, at);
  const channel = contactChannelOf(attempt.mode);
  const { purpose } = model.campaign;
  if (told.rules?.person_clock)
    expect(isLegalBy(told.rules, placesOf(model, attempt), at, { channel, purpose }), OUTSIDE).toBe(true);
  expect(days.length, "an attempt started outside the window").toBeGreaterThan(0);
  const batch = model.batches[attempt.batch_key];
  expect(statuses[attempt.batch_key], "an attempt of a batch that is not active").toBe("ACTIVE");
  if (batch?.expires_on) expect(at < batch.expires_on, "an attempt after its batch expired").toBe(true);
  const name = addressOf(attempt.reference_id);
  expect(forbids(model.suppressions, attempt, model.book), "an attempt after the opt-out").toBe(false);
  checkPersonStart(told, model, attempt);
  checkStepStart(model, attempt);
  const lacksConsent = purpose === "marketing" && model.withdrew.has(name);
  expect(lacksConsent, "an attempt without a consent").toBe(false);
  if (model.campaign.check_reassigned && attempt.mode !== "email" && !isSetBack(told))
    model.owners.checkStart(attempt.target, at, attempt.attempt_number === 1);
  const since = sinceCallBack(model, attempt);
  const asked = model.attempts.find(
    (a) =>
      a.request_id === attempt.request_id && a.attempt_number === since && a.decision?.kind === "call-back",
  );
  const asked_for = asked && model.callBacks.get(asked.key);
  if (asked_for && !isSetBack(told))
    expect(at >= asked_for, "a call-back before the time asked for").toBe(true);
  const reached = model.attempts.filter(
    (a) =>
      a.request_id === attempt.request_id &&
      a.attempt_number > since &&
      a.channel_status === "COMPLETED" &&
      a.answerer !== "MACHINE",
  );
  expect(reached, "an attempt after the person was reached").toEqual([]);
  if (attempt.counted_on === null) return;
  const cap = days.find(({ date }) => date === attempt.counted_on)?.cap;
  expect(cap, "counted on a day that is not open").not.toBeUndefined();
  const firsts = new Set(
    model.attempts.filter((a) => a.counted_on === attempt.counted_on).map((a) => a.reference_id),
  );
  if (cap != null) expect(firsts.size, "more first attempts than the day's cap").toBeLessThanOrEqual(cap);
}

const isSetBack = ({ happenings }: History): boolean => happenings.some((h) => h.kind === "pass" && h.ms < 0);

/** Where the attempt's person is: by their contact's zone, unless the request has one. */
function placesOf(model: Model, attempt: Attempt) {
  const { reference_id, target } = attempt;
  const person = PEOPLE[addressOf(reference_id)] as (typeof PEOPLE)[string];
  const own = model.ownAddressesOf(requestOf(model, attempt));
  const noted = [target, ...own]
    .map((address) => model.book.timezoneOf(address))
    .find((zone) => zone !== null);
  return person.timezone === undefined && noted !== undefined ? { ...person, zones: [noted] } : person;
}

/** 8. and 11. for the person at all their addresses, as they are linked now; nobody is reached who was erased. */
function checkPersonStart(told: History, model: Model, attempt: Attempt): void {
  const { number } = PEOPLE[addressOf(attempt.reference_id)] as (typeof PEOPLE)[string];
  const gone = model.erasures.some(({ is_done, asked_of }) => is_done && asked_of.includes(number));
  expect(gone, "an attempt to somebody who was erased").toBe(false);
  const live = model.attempts.filter((other) => other !== attempt && other.holds_slot);
  if (attempt.holds_slot) checkOneAtATime(attempt, live, model.book);
  if (told.happenings.some((h) => h.kind === "pass" && h.ms < 0)) return;
  const own = model.ownAddressesOf(requestOf(model, attempt));
  const before = model.attempts
    .slice(0, model.attempts.indexOf(attempt))
    .filter((a) => wasTried(a) && !model.erased.has(a));
  checkPersonCaps(attempt, { own, before, book: model.book }, told);
}

/** How many attempts the request had before the call that its person asked for. */
const sinceCallBack = ({ requests }: Model, { request_id }: Pick<Attempt, "request_id">): number =>
  requests[request_id]?.call_back_after ?? 0;

/** 5. One live attempt for a reference, and to an address. What a carrier has at once is bounded by that, too. */
function checkLive(model: Model): void {
  const live = model.attempts.filter((a) => a.state !== "ENDED").map((a) => a.reference_id);
  expect(new Set(live).size, "two live attempts for one reference").toBe(live.length);
  const ringing = model.attempts.filter((a) => a.holds_slot).map((a) => a.target);
  expect(new Set(ringing).size, "two live attempts to one address").toBe(ringing.length);
  for (const request of model.requests) {
    const underWay = model.attempts.filter(
      (a) => a.request_id === request.request_id && a.state !== "ENDED",
    ).length;
    if (request.request_status === "PENDING") expect(underWay, "waits while it is being reached").toBe(0);
  }
}

/** What is over stays so, but for a failure that turns out to have reached its person. */
function checkForward(model: Model, before: Map<object, string>): void {
  for (const request of model.requests) {
    const was = before.get(request);
    const is = request.request_status;
    if (was === "COMPLETED" || was === "CANCELED" || was === "SKIPPED")
      expect(is, `${was} went back`).toBe(was);
    if (was === "FAILED") expect(["FAILED", "COMPLETED"]).toContain(is);
    before.set(request, is);
  }
}

/** 12. Each step once and in order, after its wait; none after an answer, an opt-out on any channel, or a success. */
function checkSteps({ campaign, happenings }: History, model: Model): void {
  const wasSetBack = happenings.some((h) => h.kind === "pass" && h.ms < 0);
  for (const { request_id } of model.requests) {
    const all = model.attempts.filter((a) => a.request_id === request_id);
    const counted = all.filter((a) => !(a.state === "ENDED" && a.decision === null && !wasTried(a)));
    // Of calls that were asked for there may be more.
    if (all.some(({ decision }) => decision?.kind === "call-back")) continue;
    const steps = counted.map(({ step }) => step).filter((step) => step > 0);
    expect(new Set(steps).size, "a step was tried twice").toBe(steps.length);
    for (const [i, attempt] of counted.entries()) {
      const later = counted[i + 1];
      if (!later || later.step === attempt.step || wasSetBack) continue;
      expect(later.step, "a step back").toBeGreaterThan(attempt.step);
      if (attempt.decision?.kind !== "step") continue;
      const wait = campaign.cadence[attempt.decision.step - 2]?.wait ?? null;
      const ended_ms = Date.parse(attempt.ended_at as string);
      expect(Date.parse(later.started_at), "a step before its wait was over").toBeGreaterThanOrEqual(
        ended_ms + retryWait_s(wait) * 1000,
      );
      expect(isSuccess(attempt.mode, attempt.decision.status), "a step after a success").toBe(false);
    }
  }
}

/** As of the start of a step: nobody who answered or opted out meanwhile. */
function checkStepStart(model: Model, attempt: Attempt): void {
  if (model.campaign.cadence.length === 0 || sinceCallBack(model, attempt) > 0) return;
  const first = model.attempts.find((a) => a.request_id === attempt.request_id) as Attempt;
  // One that its carrier did not take is followed by its like.
  if (attempt.attempt_number === 1 && attempt.step === 0) return;
  const own = model.ownAddressesOf(requestOf(model, attempt));
  const theirs = own.flatMap((address) => model.book.peersOf(address));
  const since = new Date(first.started_at);
  const answered =
    first !== attempt && model.answers.some((a) => theirs.includes(a.address) && a.at >= since);
  expect(answered, "a step after the person answered").toBe(false);
  const optedOut = model.suppressions.some(({ address }) => theirs.includes(address));
  expect(optedOut, "a step after an opt-out on any channel").toBe(false);
}

/** 3. Never closer than the interval, unless somebody set the clock back in between. */
function checkPace({ happenings, campaign, batches }: History, model: Model): void {
  if (happenings.some((h) => h.kind === "pass" && h.ms < 0)) return;
  for (const [key, { call_rate }] of batches.entries()) {
    const rate = call_rate ?? campaign.hourly_rate;
    const starts = model.attempts.filter((a) => a.batch_key === key).map((a) => Date.parse(a.started_at));
    for (const [i, start] of starts.entries()) {
      const previous = starts[i - 1];
      if (previous !== undefined)
        expect(start - previous, "too close").toBeGreaterThanOrEqual(3_600_000 / rate);
      const hourBefore = starts[i - rate];
      if (hourBefore !== undefined)
        expect(start - hourBefore, "too many in an hour").toBeGreaterThanOrEqual(3_600_000);
    }
  }
}

/** 4. At most retry_count more, and never after the person was reached, declined, or the batch was over. */
function checkRetries({ campaign }: History, model: Model): void {
  for (const request of model.requests) {
    const counted = model.attempts.filter(
      (a) =>
        a.request_id === request.request_id &&
        !(a.state === "ENDED" && a.decision === null && a.channel_status === "PENDING"),
    );
    // Each call that was asked for begins anew.
    const rules = campaign.retry_rules ?? [];
    const by_rules = rules.reduce((sum, { max_retries }) => sum + max_retries, 0);
    const begun = 1 + counted.filter(({ decision }) => decision?.kind === "call-back").length;
    expect(counted.length, "more attempts than the campaign allows").toBeLessThanOrEqual(
      begun * (campaign.retry_count + by_rules + 1) + campaign.cadence.length,
    );
    const tried = counted.filter(({ attempt_number }) => attempt_number > (request.call_back_after ?? 0));
    for (const { outcome, max_retries } of rules)
      expect(
        tried.filter(({ decision }) => decision?.kind === "retry" && decision.status === outcome).length,
        "more retries than a rule allows",
      ).toBeLessThanOrEqual(max_retries);
    for (const [i, attempt] of counted.entries()) {
      const later = counted[i + 1];
      if (!later) continue;
      expect(attempt.decision, "another attempt without a decision for it").not.toBeNull();
      if (attempt.decision?.kind === "call-back" || attempt.decision?.kind === "step") continue;
      const status = attempt.decision?.kind === "retry" ? attempt.decision.status : attempt.channel_status;
      expect(["DECLINED", "CANCELED", "SIP_NOT_FOUND"], "tried again after a final outcome").not.toContain(
        status,
      );
    }
  }
}

/** 8. Never more often than the installation allows within its window, whichever batch asks. */
function checkPerPerson({ happenings, per_person }: History, model: Model): void {
  if (per_person === null || happenings.some((h) => h.kind === "pass" && h.ms < 0)) return;
  const tried = model.attempts.filter((a) => wasTried(a) && !model.erased.has(a));
  for (const some of Map.groupBy(tried, ({ target }) => target).values()) {
    const starts = some.map(({ started_at }) => Date.parse(started_at)).toSorted((a, b) => a - b);
    for (const [i, start] of starts.entries()) {
      const before = starts[i - per_person.attempts];
      if (before !== undefined)
        expect(start - before, "tried too often").toBeGreaterThanOrEqual(per_person.window_ms);
    }
  }
}

/** 11. Never more contacts than a cap within its days, nor after a conversation before its rest is over. */
function checkCaps({ happenings, rules }: History, model: Model): void {
  if (rules === null || happenings.some((h) => h.kind === "pass" && h.ms < 0)) return;
  const DAY_ms = 86_400_000;
  // In a cadence whatever reaches a person counts, at which address of theirs it may be.
  const counted = model.attempts.filter((a) => wasTried(a) && !model.erased.has(a));
  const tried = Map.groupBy(counted, ({ reference_id }) => addressOf(reference_id));
  for (const some of tried.values())
    for (const { attempts, days, channel } of rules.caps) {
      const starts = some
        .filter(({ mode }) => channel === "any" || contactChannelOf(mode) === channel)
        .map(({ started_at }) => Date.parse(started_at))
        .toSorted((a, b) => a - b);
      for (const [i, start] of starts.entries()) {
        const before = starts[i - attempts];
        if (before !== undefined)
          expect(start - before, "contacted more often than a cap").toBeGreaterThanOrEqual(days * DAY_ms);
      }
    }
}

/**
 * 7. Every change of a status is told, once for an attempt and status; how each attempt ended, too. A status to which two late
 * reports of two attempts bring a request back is told by webhooks once, by an index that only the database has.
 */
function checkTold(model: Model): void {
  const told = model.told.map((c) => `${c.request_id} ${c.attempt_count} ${c.status}`);
  const ids = new Set(told);
  const ofRequests = Map.groupBy(told, (id) => id.split(" ")[0]).values();
  const twice = ofRequests.flatMap((ids) => ids.filter((id, at) => id === ids[at + 1]));
  expect([...twice], "a change was told twice").toEqual([]);
  const ofAttempts = model.told.map((c, at) => `${c.teller} ${told[at]}`);
  expect(new Set(ofAttempts).size, "a change was told twice").toBe(told.length);
  for (const { request_id, attempt_number, attempt_count, decision } of ended(model)) {
    // Who was reached by an attempt that others followed is told of by their number.
    const number = decision.kind === "done" ? attempt_count : attempt_number;
    const either = [`${request_id} ${attempt_number}`, `${request_id} ${number}`];
    expect(
      either.some((id) => ids.has(`${id} ${decision.status}`)),
      `${decision.status} of an attempt was not told`,
    ).toBe(true);
  }
}

const ended = ({ attempts, requests }: Model) =>
  attempts.flatMap(({ request_id, attempt_number, decision }) =>
    decision === null
      ? []
      : [{ request_id, attempt_number, decision, attempt_count: requests[request_id]?.attempt_count }],
  );
