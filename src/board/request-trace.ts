import { sql } from "kysely";
import { z } from "zod";
import { type Persons, readPersons } from "../address-book/persons.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import { notFound } from "../base/errors.ts";
import { BATCHES } from "../batches/batch.ts";
import { RequestStatus } from "../batches/batch-schema.ts";
import { findKey } from "../batches/batch-store.ts";
import { isOver, isWaiting } from "../channels/request-status.ts";
import { readReachIssues } from "../consent/reach-check.ts";
import type { Db } from "../db/database.ts";
import {
  addressesOfCandidate,
  addressesOfPerson,
  clockTarget,
  contactTimezone,
} from "../dialing/cadences/candidate-addresses.ts";
import { stepIssue } from "../dialing/cadences/step-issue.ts";
import { readStopSigns, stopQuestion } from "../dialing/cadences/stop-signs.ts";
import {
  type Candidate,
  requestView,
  WAITS_FOR_FIRST,
  WAITS_FOR_RETRY,
  waitsForStep,
} from "../dialing/candidates.ts";
import { readCountryHolds } from "../dialing/country-hold.ts";
import { contactKindOf, reachQuestion, timeOf } from "../dialing/due-batches.ts";
import { eligibilityIssue } from "../dialing/eligibility.ts";
import { readContacts } from "../dialing/known/read-contacts.ts";
import { checksOfLane, readStanding } from "../dialing/known/read-number-checks.ts";
import { readLacksTemplate } from "../dialing/known/read-templates.ts";
import { readTried } from "../dialing/known/read-tried.ts";
import type { LineLimits } from "../dialing/lines.ts";
import { statusAt } from "../planning/batch-state.ts";
import { MOST_STEPS } from "../planning/cadences/cadence.ts";
import {
  type ExplainedAttempt,
  explainAttempt,
  explainWaiting,
  MOST_COUNTED,
  type NextStep,
} from "../planning/explain.ts";
import { NUMBER_MATCHES } from "../planning/numbers/local-presence.ts";
import { choiceText, type StoredChoice } from "../planning/numbers/number-choice.ts";
import { personState } from "../planning/person-hold.ts";
import { requestStep } from "../planning/steps/request-step.ts";
import { spoken } from "../planning/steps/step-wait.ts";
import { type BatchLook, lookAtBatch, lookAtLane } from "./batch-look.ts";
import { stepsOf, TracedStep } from "./request-steps.ts";

const Attempt = z
  .object({
    step: z.int().describe("The step of the campaign's cadence, from 1, its own."),
    mode: z.string(),
    attempt_number: z
      .int()
      .describe("1 is the first; one that the carrier did not take is followed by its like."),
    text: z.string().describe("Its outcome, in a sentence."),
    state: z.string(),
    channel_manager_status: z.string(),
    answerer: z.string().nullable().describe("Who was heard: HUMAN, MACHINE or UNKNOWN."),
    provider_status: z.string().nullable().describe("The carrier's own status."),
    error_code: z.string().nullable(),
    channel_manager_sid: z.string().nullable(),
    session_id: z.int().nullable(),
    conversation_id: z.int().nullable(),
    number: z.string().describe("The number or address it came from."),
    number_choice: z
      .object({
        group: z.string(),
        match: z
          .enum(NUMBER_MATCHES)
          .nullable()
          .describe("How near the number is to the person's; null: the group keeps no local presence."),
        use: z.int().describe("Which of the number's uses on that day, from 1."),
        cap: z.int().nullable(),
        text: z.string().describe("The same in a sentence."),
      })
      .meta({ id: "NumberChoice" })
      .nullable()
      .describe("Why this number of the campaign's group was chosen; null: the campaign had none."),
    counted_on: z.string().nullable().describe("The day whose max_daily_calls it counts towards."),
    started_at: timestamp(),
    placed_at: timestamp().nullable(),
    ended_at: timestamp().nullable(),
    decision: z.record(z.string(), z.unknown()).nullable().describe("The decision after its outcome."),
  })
  .meta({ id: "RequestTraceAttempt" });

export const NextStepSchema = z
  .object({
    kind: z.enum(["waiting", "under-way", "over"]),
    reason: z.string().describe("A word for programs, such as closed, rate, retry, cap or filtered."),
    text: z.string().describe("The same in a sentence."),
    until: timestamp().nullable().describe("When it is looked at again; null: when something else changes."),
  })
  .meta({ id: "RequestNextStep" });

const RequestTrace = z
  .object({
    batch_id: z.string(),
    reference_id: z.string(),
    target: z.string(),
    request_status: RequestStatus,
    channel_manager_status: z.string(),
    attempt_count: z.int(),
    at: timestamp().describe("The instant for which this was worked out."),
    next_step: NextStepSchema,
    number_check: z
      .string()
      .nullable()
      .describe(
        "What the carrier says of whether the number was given to somebody else; null: the campaign doesn't ask.",
      ),
    attempts: z.array(Attempt),
    steps: z
      .array(TracedStep)
      .describe("The steps of the campaign's cadence, its own first; none where it has no further ones."),
  })
  .meta({ id: "RequestTrace" });

export type RequestDeps = { db: Db; clock: Clock; limits: LineLimits; destinations: DestinationRules };

/** Why somebody was reached, was not, or waits. */
export function requestTraceRoutes(api: Api, deps: RequestDeps): void {
  api.get(
    `${BATCHES}/:batch_id/requests/:reference_id/trace`,
    {
      summary: "Explain a request's attempts and what it waits for",
      description:
        "Every attempt with its outcome and decision, and the next step, decided now by the dialer's own rules.",
      tag: "outbound",
      permission: "outbound_read",
      params: z.object({ batch_id: z.string(), reference_id: z.string() }),
      response: RequestTrace,
    },
    async ({ caller, params }) => {
      const key = await findKey(deps.db, caller, params.batch_id);
      const request = await findRequest(deps.db, key, params.reference_id);
      if (!request) throw notFound("Request", params.reference_id);
      const now = deps.clock.now();
      const look = await lookAtBatch(deps, key);
      const attempts = await attemptsOf(deps.db, look, request.request_id);
      const next = await nextStepOf(deps, look, request, now);
      const lane = lookAtLane(look, request.step, now).batch;
      const standing = await checksOfLane(deps.db, { batch: lane, people: [request] }, now, readStanding);
      const { status, expires_on } = look.batch;
      const asItStands = {
        batch_status: statusAt({ status, expires_on: timeOf(expires_on) }, now),
        request_status: request.request_status,
        attempt_count: request.attempt_count,
        step_log: request.step_log,
        skipped: request.skip_reason?.text ?? null,
      };
      return {
        batch_id: params.batch_id,
        reference_id: request.reference_id,
        target: request.request_target,
        request_status: request.request_status,
        channel_manager_status: request.channel_status,
        attempt_count: request.attempt_count,
        at: now.toISOString(),
        number_check: standing.get(request.target)?.text ?? null,
        next_step: { ...next, until: next.until?.toISOString() ?? null },
        steps: stepsOf(look.batch, request, attempts, next),
        attempts: attempts.map(({ channel_status, hang_up_at, number_choice, target: _, ...attempt }) => ({
          ...attempt,
          step: attempt.step + 1,
          number_choice: number_choice && {
            ...number_choice,
            text: choiceText(attempt.number, number_choice),
          },
          channel_manager_status: channel_status,
          text: explainAttempt({ ...attempt, channel_status, hang_up_at }, look.zone, now, asItStands),
        })),
      };
    },
  );
}

export type Found = Omit<Candidate, "counted_on" | "due_at"> & {
  request_status: z.output<typeof RequestStatus>;
  due_at: string | null;
  skip_reason: { reason: string; text: string } | null;
};

/** Of several that bear the reference (duplicates, canceled ones) the one that is or was to be tried. */
async function findRequest(db: Db, batch_key: number, reference_id: string): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select ${REQUEST_COLUMNS}
    from requests r where batch_key = ${batch_key} and reference_id = ${reference_id}
    order by request_status in ('DUPLICATE', 'INVALID', 'CANCELED'), id limit 1`.execute(db);
  return rows[0];
}

/** The request whose turn comes first, however long it is put off. Index: `requests_waiting`. */
export async function firstWaiting(db: Db, batch_key: number): Promise<Found | undefined> {
  const { rows } = await sql<Found>`
    select * from (
      (select ${REQUEST_COLUMNS} from requests r where r.batch_key = ${batch_key} and ${WAITS_FOR_RETRY}
        order by r.due_at, r.id limit 1)
      union all
      (select ${REQUEST_COLUMNS} from requests r where r.batch_key = ${batch_key} and ${WAITS_FOR_FIRST}
        order by r.due_at, r.id limit 1)
      union all
      (select step.* from unnest(${STEPS}::integer[]) w (n)
        cross join lateral (
          select ${REQUEST_COLUMNS} from requests r where r.batch_key = ${batch_key} and ${waitsForStep(sql`w.n`)}
          order by r.due_at, r.id limit 1) step)
    ) r order by due_at, request_id limit 1`.execute(db);
  return rows[0];
}

const STEPS = Array.from({ length: MOST_STEPS }, (_, step) => step + 1);
const REQUEST_COLUMNS = sql`
  r.batch_key, r.id as request_id, r.reference_id, coalesce(r.step_target, r.target) as target,
  r.target as request_target, r.step, r.step_log, r.channel_manager_status as channel_status,
  r.attempt_count, r.refusals, r.call_back_after, r.due_at, r.request_variables, r.enrichment,
  r.request_status, r.skip_reason`;

type TracedAttempt = ExplainedAttempt &
  Omit<z.output<typeof Attempt>, "text" | "channel_manager_status" | "number_choice"> & {
    number_choice: StoredChoice | null;
    target: string;
  };

async function attemptsOf(db: Db, { batch }: BatchLook, request_id: number): Promise<TracedAttempt[]> {
  const { rows } = await sql<TracedAttempt>`
    select a.step, a.mode, a.source as number, a.target, a.number_choice, a.attempt_number, a.state, a.channel_status, a.answerer, a.provider_status, a.error_code, a.sid as channel_manager_sid, a.session_id, a.conversation_id,
      a.counted_on::text as counted_on, a.started_at, a.placed_at, a.ended_at, a.decision, a.hang_up_at
    from attempts a
    join requests r on r.batch_key = a.batch_key and r.id = a.request_id
    where a.campaign_id = ${batch.campaign.id} and a.reference_id = r.reference_id
      and a.batch_key = ${batch.batch_key} and a.request_id = ${request_id}
    order by a.started_at, a.key`.execute(db);
  return rows;
}

export async function nextStepOf(
  deps: RequestDeps,
  ofBatch: BatchLook,
  request: Found,
  now: Date,
): Promise<NextStep> {
  const { request_status, skip_reason, channel_status } = request;
  if (isOver(request_status)) {
    const text = skip_reason?.text ?? `Over: ${spoken(channel_status)}.`;
    return { kind: "over", reason: skip_reason?.reason ?? request_status.toLowerCase(), text, until: null };
  }
  if (!isWaiting(request_status) || request.due_at === null)
    return { kind: "under-way", reason: "under-way", text: "An attempt is under way.", until: null };
  const look = lookAtLane(ofBatch, request.step, now);
  const { batch, days, zone, reached } = look;
  const waiting = { ...request, due_at: request.due_at };
  const addresses = addressesOfCandidate(batch, request);
  const { organization_id, sub_organization_id } = batch;
  const persons = await readPersons(
    deps.db,
    addresses.map((address) => ({ sub_organization_id, address })),
  );
  const [blocked, queue] = [
    await readReachIssues(deps.db, [reachQuestion(batch, request.target)], persons),
    await requestQueue(deps.db, look, waiting, persons),
  ];
  const { per_person = null } = deps.limits;
  const targets = persons.addressesOf(sub_organization_id, [request.target]);
  const tried = await readTried(
    deps.db,
    per_person,
    targets.map((target) => ({ sub_organization_id, target })),
    now,
  );
  const countries = await readCountryHolds(deps.db, [batch.organization_id], now);
  const question = stopQuestion(batch, { ...waiting, counted_on: [] }, persons);
  const stops = await readStopSigns(deps.db, question === null ? [] : [question]);
  const checks = await checksOfLane(deps.db, { batch, people: [request] }, now);
  const check = checks.get(request.target) ?? null;
  const issue =
    stepIssue(batch, { ...waiting, counted_on: [] }, stops) ??
    eligibilityIssue(batch.campaign, request, blocked[0] ?? null, deps.destinations, check);
  const lacksTemplate = await readLacksTemplate(deps.db, [{ batch, people: [request] }], now);
  const rules = look.lines.rulesOf(batch);
  const contacted = addressesOfPerson(batch, request, persons);
  const contacts = await readContacts(
    deps.db,
    rules === null ? [] : contacted.map((target) => ({ organization_id, target, rules })),
    now,
  );
  const state = personState(
    rules,
    {
      ...request,
      target: clockTarget(batch, request),
      ...contactKindOf(batch),
      campaign_zone: zone,
      contact_timezone: contactTimezone(batch, request, persons),
      past: contacted.flatMap((address) => [...contacts.with(batch, address)]),
      is_asked_for: request.call_back_after === request.attempt_count,
      lacks_template: lacksTemplate(batch, request),
    },
    now,
  );
  const view = requestView(
    { ...waiting, counted_on: queue.counted_on },
    batch.campaign.retry_count,
    issue,
    tried.tooOften(batch, targets),
    look.numbers.countryHold(batch, request.target, countries),
    state,
  );
  const step = requestStep(
    { ...view, is_reached_elsewhere: queue.is_reached_elsewhere, is_address_busy: queue.is_address_busy },
    // While it is closed no day's cap is known to stand in the way.
    days.length > 0 ? days : [{ date: "", cap: null }],
    reached,
    { schedule: batch.campaign, zone },
    now,
  );
  return explainWaiting(look.step, step, queue.ahead);
}

type RequestQueue = {
  counted_on: string[];
  is_reached_elsewhere: boolean;
  is_address_busy: boolean;
  ahead: number;
};

/** Retries that are due, and first attempts that wait longer, come before a first attempt. */
async function requestQueue(
  db: Db,
  { batch, days }: BatchLook,
  request: {
    request_id: number;
    reference_id: string;
    target: string;
    attempt_count: number;
    due_at: string;
  },
  persons: Persons,
): Promise<RequestQueue> {
  const addresses = persons.addressesOf(batch.sub_organization_id, [request.target]);
  const { rows } = await sql<RequestQueue>`
    select array(
        select distinct counted_on::text from attempts
        where campaign_id = ${batch.campaign.id} and reference_id = ${request.reference_id}
          and counted_on = any(${days.map(({ date }) => date)}::date[])
      ) as counted_on,
      exists(
        select from attempts where campaign_id = ${batch.campaign.id} and reference_id = ${request.reference_id}
          and state <> 'ENDED'
      ) as is_reached_elsewhere,
      exists(
        select from attempts
        where organization_id = ${batch.organization_id} and target = any(${addresses}::text[]) and holds_slot
      ) as is_address_busy,
      (select count(*) from (
        select from requests
        where batch_key = ${batch.batch_key} and request_status = 'PENDING' and id <> ${request.request_id}
          and (due_at, id) < (${request.due_at}::timestamptz, ${request.request_id})
          and (attempt_count > 0 or ${request.attempt_count === 0})
        limit ${MOST_COUNTED}
      ) as before) as ahead`.execute(db);
  return rows[0] as RequestQueue;
}
