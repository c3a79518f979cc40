import { sql } from "kysely";
import { z } from "zod";
import { type Persons, readPersons } from "../address-book/persons.ts";
import { timestamp } from "../api/schema.ts";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
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
import { requestView } from "../dialing/candidates.ts";
import { readCountryHolds } from "../dialing/country-hold.ts";
import { contactKindOf, reachQuestion } from "../dialing/due-batches.ts";
import { eligibilityIssue } from "../dialing/eligibility.ts";
import { readContacts } from "../dialing/known/read-contacts.ts";
import { checksOfLane } from "../dialing/known/read-number-checks.ts";
import { readLacksTemplate } from "../dialing/known/read-templates.ts";
import { readTried } from "../dialing/known/read-tried.ts";
import type { LineLimits } from "../dialing/lines.ts";
import { explainWaiting, MOST_COUNTED, type NextStep } from "../planning/explain.ts";
import { personState } from "../planning/person-hold.ts";
import { requestStep } from "../planning/steps/request-step.ts";
import { spoken } from "../planning/steps/step-wait.ts";
import { type BatchLook, lookAtLane } from "./batch-look.ts";
import type { ExplainedRequest } from "./explained-request.ts";

export const NextStepSchema = z
  .object({
    kind: z.enum(["waiting", "under-way", "over"]),
    reason: z.string().describe("A word for programs, such as closed, rate, retry, cap or filtered."),
    text: z.string().describe("The same in a sentence."),
    until: timestamp().nullable().describe("When it is looked at again; null: when something else changes."),
  })
  .meta({ id: "RequestNextStep" });

export type RequestDeps = { db: Db; clock: Clock; limits: LineLimits; destinations: DestinationRules };

/** What a request does next, decided now by the dialer's own rules. */
export async function nextStepOf(
  deps: RequestDeps,
  ofBatch: BatchLook,
  request: ExplainedRequest,
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
  const blocked = await readReachIssues(deps.db, [reachQuestion(batch, request.target)], persons);
  const queue = await requestQueue(deps.db, look, waiting, persons);
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
