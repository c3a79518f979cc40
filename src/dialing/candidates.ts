import { type RawBuilder, sql } from "kysely";
import type { Persons } from "../address-book/persons.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { type ReachIssue, type ReachQuestion, readReachIssues } from "../consent/reach-check.ts";
import type { Tx } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import type { CadencePerson } from "../planning/cadences/cadence.ts";
import type { StepLogEntry } from "../planning/cadences/step-log.ts";
import type { TooOften } from "../planning/per-person.ts";
import type { PersonState } from "../planning/person-hold.ts";
import type { DayCap } from "../planning/steps/batch-step.ts";
import type { CountryHold, EligibilityIssue, RequestView } from "../planning/steps/request-step.ts";
import { laneName } from "./cadences/lanes.ts";
import { type DueBatch, reachQuestion } from "./due-batches.ts";

/** Spelled as in the index `requests_waiting`, so that PostgreSQL uses it. */
const TURN = sql`(case when r.step = 0 then least(r.attempt_count, 1) else r.step + 1 end)`;
export const WAITS_FOR_FIRST = sql`r.request_status = 'PENDING' and ${TURN} = 0`;
/** The same of `requests_call_backs`. Such a request waits for a retry or a first attempt, too. */
const WAITS_FOR_CALL_BACK = sql`r.request_status = 'PENDING' and r.call_back_after = r.attempt_count`;
export const WAITS_FOR_RETRY = sql`r.request_status = 'PENDING' and ${TURN} = 1`;
/** Of a campaign's cadence: 1 is the first after the campaign's own. */
export const waitsForStep = (step: RawBuilder<unknown>) =>
  sql`r.request_status = 'PENDING' and ${TURN} = ${step} + 1`;

/** A request that may be the next one of its batch. */
export type Candidate = {
  batch_key: number;
  request_id: number;
  reference_id: string;
  /** Its step's address. */
  target: string;
  /** The request's own, which may be the same. */
  request_target: string;
  step: number;
  channel_status: ChannelStatus;
  attempt_count: number;
  refusals: number;
  call_back_after: number | null;
  due_at: string;
  request_variables: Record<string, string>;
  enrichment: Record<string, unknown> | null;
  counted_on: string[];
  step_log: StepLogEntry[] | null;
};

export const personOf = ({
  request_target,
  request_variables,
}: Pick<Candidate, "request_target" | "request_variables">): CadencePerson => ({
  target: request_target,
  variables: request_variables,
});

/** How many are read where a filter may skip many requests before one can be tried. */
const FILTERED_FIRSTS = 20;

/**
 * Candidates of each batch, in the order in which they are tried: the call that somebody asked for, the retry that is due
 * first, then the requests that wait longest for a first attempt, `firsts` of them, in the order of their list. Reads a
 * handful of rows however many wait (index: `requests_waiting`, `requests_call_backs`). Skips rows locked by others, and
 * those whose reference, address or person has a live attempt. `links`: whether any contact of the batch's organization has
 * several addresses.
 */
export async function lockCandidates(
  tx: Tx,
  batches: { batch: DueBatch; days: DayCap[] }[],
  firsts: number,
  links: (batch: DueBatch) => boolean,
): Promise<Map<string, Candidate[]>> {
  const given = batches.map(({ batch, days }) => ({
    batch_key: batch.batch_key,
    step: batch.step,
    campaign_id: batch.campaign.id,
    organization_id: batch.organization_id,
    sub_organization_id: batch.sub_organization_id,
    links: links(batch),
    days: days.map(({ date }) => date),
    firsts: isFiltered(batch) ? Math.max(firsts, FILTERED_FIRSTS) : firsts,
  }));
  const [own, steps] = [given.filter(({ step }) => step === 0), given.filter(({ step }) => step > 0)];
  const rows = [
    ...(own.length === 0 ? [] : await lockOwn(tx, own)),
    ...(steps.length === 0 ? [] : await lockOfSteps(tx, steps)),
  ];
  return Map.groupBy(rows, laneName);
}

type Lane = {
  batch_key: number;
  step: number;
  campaign_id: number;
  organization_id: number;
  sub_organization_id: number;
  links: boolean;
  days: string[];
  firsts: number;
};

/** Those of campaigns' own steps. */
async function lockOwn(tx: Tx, given: Lane[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select w.batch_key, r.*, array(
      select distinct a.counted_on::text from attempts a
      where a.campaign_id = w.campaign_id and a.reference_id = r.reference_id and a.counted_on = any(w.days)
    ) as counted_on
    from json_to_recordset(${JSON.stringify(given)}::json)
      as w (batch_key bigint, campaign_id bigint, organization_id bigint, sub_organization_id bigint, links boolean, days date[],
        firsts integer)
    cross join lateral (
      select * from (
        select ${REQUEST} from requests r
        where r.batch_key = w.batch_key and ${WAITS_FOR_CALL_BACK} and ${NOBODY_LIVE}
        order by r.due_at, r.id limit 1 for update skip locked
      ) call_back
      union all
      select * from (
        select ${REQUEST} from requests r
        where r.batch_key = w.batch_key and ${WAITS_FOR_RETRY} and ${NOBODY_LIVE}
        order by r.due_at, r.id limit 1 for update skip locked
      ) retry
      union all
      select * from (
        select ${REQUEST} from requests r
        where r.batch_key = w.batch_key and ${WAITS_FOR_FIRST} and ${NOBODY_LIVE}
        order by r.due_at, r.id limit w.firsts for update skip locked
      ) first
    ) r`.execute(tx);
  const once = new Map(rows.toReversed().map((row) => [row.request_id, row]));
  return rows.filter((row) => once.get(row.request_id) === row);
}

/** Those who wait for a step of a cadence, the longest due first. Index: `requests_waiting`. */
async function lockOfSteps(tx: Tx, given: Lane[]): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select w.batch_key, r.*, array(
      select distinct a.counted_on::text from attempts a
      where a.campaign_id = w.campaign_id and a.reference_id = r.reference_id and a.counted_on = any(w.days)
    ) as counted_on
    from json_to_recordset(${JSON.stringify(given)}::json)
      as w (batch_key bigint, step integer, campaign_id bigint, organization_id bigint, sub_organization_id bigint, links boolean,
        days date[], firsts integer)
    cross join lateral (
      select ${REQUEST} from requests r
      where r.batch_key = w.batch_key and ${waitsForStep(sql`w.step`)} and ${nobodyLive(STEP_TARGET)}
      order by r.due_at, r.id limit w.firsts for update skip locked
    ) r`.execute(tx);
  return rows;
}

/** Where a request's step reaches its person. */
const STEP_TARGET = sql`coalesce(r.step_target, r.target)`;

const REQUEST = sql`
  r.id as request_id, r.reference_id, ${STEP_TARGET} as target, r.target as request_target, r.step, r.step_log,
  r.channel_manager_status as channel_status, r.attempt_count,
  r.refusals, r.call_back_after, r.due_at, r.request_variables, r.enrichment`;

/**
 * Looked up for each request by the indexes `attempts_live_reference` and `attempts_live_address` (`FOR_EACH` keeps it
 * so). A join would read, for each batch, all live attempts of its campaign and the dead rows of past ones.
 */
const notLive = (target: RawBuilder<unknown>) => sql`not exists (
  select from attempts a
  where a.campaign_id = w.campaign_id and a.reference_id = r.reference_id and a.state <> 'ENDED' ${FOR_EACH})
  and not exists (
  select from attempts a
  where a.organization_id = w.organization_id and a.target = ${target} and a.holds_slot ${FOR_EACH})`;
export const NOT_LIVE = notLive(sql`r.target`);

/**
 * Nor has another address of the person (by their contact) a live attempt: nobody is called on two telephones at once.
 * Indexes: `contact_addresses_pkey`, `contact_addresses_contact`, `attempts_live_address`.
 */
const nobodyLive = (target: RawBuilder<unknown>) => sql`${notLive(target)} and not (w.links and exists (
  select from contact_addresses m join contact_addresses o on o.contact_id = m.contact_id and o.address <> m.address
  join attempts a on a.organization_id = w.organization_id and a.target = o.address collate "default" and a.holds_slot
  where m.sub_organization_id = w.sub_organization_id and m.address = ${target} ${FOR_EACH}))`;
const NOBODY_LIVE = nobodyLive(sql`r.target`);

const isFiltered = ({ campaign }: DueBatch): boolean =>
  campaign.reach_rules?.check_reassigned === true ||
  (campaign.target_filters?.rules.length ?? 0) > 0 ||
  (campaign.allowed_line_types?.length ?? 0) > 0;

/**
 * Batches with a due request that was skipped because another process has locked it, or because another attempt tries its
 * reference or address. Nothing wakes a batch when that ends, so it is looked at again soon. Index: `requests_waiting`.
 */
export async function passedOver(
  tx: Tx,
  batches: { batch: DueBatch; seen: Candidate[] }[],
): Promise<Set<string>> {
  if (batches.length === 0) return new Set();
  const given = batches.map(({ batch, seen }) => ({
    batch_key: batch.batch_key,
    step: batch.step,
    any: seen.length > 0,
    retry: seen.some(({ attempt_count }) => attempt_count > 0),
    first: seen.some(({ attempt_count }) => attempt_count === 0),
  }));
  const { rows } = await sql<{ batch_key: number; step: number }>`
    select w.batch_key, w.step
    from json_to_recordset(${JSON.stringify(given)}::json)
      as w (batch_key bigint, step integer, "any" boolean, retry boolean, first boolean)
    where (w.step = 0 and not w.retry and exists (
        select from requests r
        where r.batch_key = w.batch_key and ${WAITS_FOR_RETRY}))
      or (w.step = 0 and not w.first and exists (
        select from requests r
        where r.batch_key = w.batch_key and ${WAITS_FOR_FIRST}))
      or (w.step > 0 and not w.any and exists (
        select from requests r
        where r.batch_key = w.batch_key and ${waitsForStep(sql`w.step`)}))`.execute(tx);
  return new Set(rows.map(laneName));
}

/** Postpones these requests, whether they wait for a first attempt or a retry; due ones go first. By primary key. */
export async function putOff(
  tx: Tx,
  requests: { batch_key: number; request_id: number; due_at: Date }[],
): Promise<void> {
  if (requests.length === 0) return;
  await sql`
    update requests r set due_at = n.due_at
    from json_to_recordset(${JSON.stringify(requests)}::json)
      as n (batch_key bigint, request_id bigint, due_at timestamptz)
    where r.batch_key = n.batch_key and r.id = n.request_id`.execute(tx);
}

/** Opt-outs and missing consents of candidates, by batch and address; one query for all of them. */
export async function findReachIssues(
  tx: Tx,
  batches: DueBatch[],
  candidates: Map<string, Candidate[]>,
  persons: Persons,
): Promise<(batch: DueBatch, address: string) => ReachIssue | null> {
  const asked = new Map<string, ReachQuestion>();
  for (const batch of batches)
    for (const { target } of candidates.get(laneName(batch)) ?? []) {
      const question = reachQuestion(batch, target);
      asked.set(questionName(question), question);
    }
  const issues = await readReachIssues(tx, [...asked.values()], persons);
  const found = new Map([...asked.keys()].map((name, index) => [name, issues[index] ?? null]));
  return (batch, address) => found.get(questionName(reachQuestion(batch, address))) ?? null;
}

const questionName = ({ sub_organization_id, mode, purpose, address }: ReachQuestion): string =>
  `${sub_organization_id} ${mode} ${purpose} ${address}`;

export const requestView = (
  candidate: Candidate,
  retry_count: number,
  issue: EligibilityIssue | null,
  too_often: TooOften | null,
  country: CountryHold | null,
  person: PersonState,
): RequestView => ({
  ...candidate,
  retry_count,
  due_at: new Date(candidate.due_at),
  is_reached_elsewhere: false,
  is_address_busy: false,
  too_often,
  country,
  person,
  issue,
});
