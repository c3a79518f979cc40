import { sql } from "kysely";
import { z } from "zod";
import { readPersons } from "../address-book/persons.ts";
import type { Caller } from "../api/caller.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import { findKey } from "../batches/batch-store.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import { outdatedDoNotCallLists } from "../consent/do-not-call-routes.ts";
import { readReachIssues } from "../consent/reach-check.ts";
import type { Db } from "../db/database.ts";
import {
  addressesOfCandidate,
  addressesOfPerson,
  clockTarget,
  contactTimezone,
} from "../dialing/cadences/candidate-addresses.ts";
import { contactKindOf, reachQuestion } from "../dialing/due-batches.ts";
import { eligibilityIssue } from "../dialing/eligibility.ts";
import { readContacts } from "../dialing/known/read-contacts.ts";
import { checksOfLane } from "../dialing/known/read-number-checks.ts";
import { readTried } from "../dialing/known/read-tried.ts";
import { type PersonHoldReason, personState } from "../planning/person-hold.ts";
import type { SkipReason } from "../planning/steps/request-step.ts";
import { type BatchLook, lookAtBatch, lookAtLane } from "./batch-look.ts";
import type { RequestDeps } from "./request-trace.ts";
import { readSenderFindings } from "./sender-findings.ts";

/** Judged one by one, newest batch first; 50,000 take some seconds. */
const MOST_JUDGED = 50_000;
const CHUNK = 1_000;
/** At once in this process. */
const MAX_AT_ONCE = 2;

type Reason = SkipReason | PersonHoldReason | "too-often" | "duplicate" | "invalid";

const WORDS: Record<Reason, string> = {
  filtered: "filtered by the campaign's number rules",
  suppressed: "on the suppression list",
  "do-not-call": "on a do-not-call list",
  "no-consent": "without a consent on record",
  reassigned: "number given to somebody else",
  destination: "number that the operator does not allow",
  "too-late": "after their not_after",
  answered: "answered already",
  "step-removed": "waiting for a step that the campaign no longer has",
  duplicate: "duplicate",
  invalid: "invalid number or address",
  "person-hours": "waiting for the hours of their own zone",
  holiday: "waiting for the end of a holiday",
  "not-before": "waiting for their not_before",
  "unknown-zone": "time zone that does not exist",
  "unreadable-time": "not_before or not_after that is no time",
  "contact-cap": "contacted as often as a cap allows",
  "after-conversation": "resting after a conversation",
  "too-often": "tried as often as the installation allows",
};

const Counted = z
  .object({ reason: z.string(), text: z.string(), count: z.int() })
  .meta({ id: "PreflightReason" });

const Preflight = z
  .object({
    campaign_id: z.int(),
    at: timestamp().describe("The instant for which this was worked out."),
    waiting: z.int().describe("Requests that wait."),
    judged: z.int().describe(`How many of these were checked, ${MOST_JUDGED} at most.`),
    contacted: z.int().describe("They are contacted as soon as the campaign's hours, pace and lines allow."),
    later: z.array(Counted).describe("They are contacted later, or not before something changes."),
    skipped: z.array(Counted).describe("They are not contacted, with duplicates and invalid targets."),
    batches: z
      .array(z.object({ batch_id: z.string(), text: z.string() }))
      .describe("Batches that start nobody now, and why."),
    sender: z
      .array(
        z.object({
          number: z.string(),
          problem: z.enum(["not-ours", "not-answered", "not-registered"]),
          text: z.string(),
        }),
      )
      .describe("What is wrong with the numbers that people see, and what to do."),
    outdated_lists: z.array(z.string()).describe("National do-not-call lists whose file is too old."),
  })
  .meta({ id: "CampaignPreflight" });

/** Who of a list would be contacted, and why the others would not, before anything starts. */
export function preflightRoutes(api: Api, deps: RequestDeps): void {
  let running = 0;
  api.post(
    "/api/v1/outbound/campaigns/:campaign_id/preflight",
    {
      summary: "Count who a campaign would contact, and why not the others",
      description:
        "Each waiting person is judged by the dialer's own rules: suppressions, do-not-call lists, consent, number rules, caps and their own clock. Numbers that were not looked up yet count as contacted. Nobody is contacted, nothing is stored.",
      tag: "outbound",
      permission: "outbound_read",
      reads: true,
      params: z.object({ campaign_id: recordId() }),
      body: z
        .object({ batch_id: z.string().nullish().describe("Of one batch alone.") })
        .meta({ id: "PreflightQuestion" }),
      response: Preflight,
    },
    async ({ caller, params, body }) => {
      const { id } = await findCampaign(deps.db, caller, params.campaign_id);
      const only = body.batch_id == null ? null : await findKey(deps.db, caller, body.batch_id);
      if (running >= MAX_AT_ONCE)
        throw new Fault("too-many", "Other campaigns are being checked.", { retry_after_s: 3 });
      running++;
      try {
        return await preflight(deps, caller, id, only);
      } finally {
        running--;
      }
    },
  );
}

class PreflightTally {
  contacted = 0;
  judged = 0;
  /** Whether somebody has a number of the North American plan, whose texts to the US need a registered sender. */
  reaches_us = false;
  readonly later = new Map<Reason, number>();
  readonly skipped = new Map<Reason, number>();

  add(to: "later" | "skipped", reason: Reason, count = 1): void {
    this[to].set(reason, (this[to].get(reason) ?? 0) + count);
  }
}

async function preflight(deps: RequestDeps, caller: Caller, campaign_id: number, only: number | null) {
  const { db, clock } = deps;
  const now = clock.now();
  const found = await batchesOf(db, campaign_id, only);
  const tally = new PreflightTally();
  const waits: { batch_id: string; text: string }[] = [];
  for (const { key, batch_id, duplicates, invalid } of found) {
    if (duplicates > 0) tally.add("skipped", "duplicate", duplicates);
    if (invalid > 0) tally.add("skipped", "invalid", invalid);
    const look = await lookAtBatch(deps, key);
    if (look.step.kind !== "start") waits.push({ batch_id, text: look.step.text });
    await judgeBatch(deps, look, tally, now);
  }
  return {
    campaign_id,
    at: now.toISOString(),
    waiting: found.reduce((sum, { waiting }) => sum + waiting, 0),
    judged: tally.judged,
    contacted: tally.contacted,
    later: counted(tally.later),
    skipped: counted(tally.skipped),
    batches: waits,
    sender: await readSenderFindings(db, campaign_id, { reaches_us: tally.reaches_us }),
    outdated_lists: await outdatedDoNotCallLists(db, caller, now),
  };
}

const counted = (counts: Map<Reason, number>) =>
  [...counts]
    .map(([reason, count]) => ({ reason, text: WORDS[reason], count }))
    .toSorted((a, b) => b.count - a.count);

type ListCounts = { key: number; batch_id: string; waiting: number; duplicates: number; invalid: number };

async function batchesOf(db: Db, campaign_id: number, only: number | null): Promise<ListCounts[]> {
  const { rows } = await sql<ListCounts>`
    select b.key, b.batch_id, coalesce(sum(c.n) filter (where c.request_status = 'PENDING'), 0) as waiting,
      coalesce(sum(c.n) filter (where c.request_status = 'DUPLICATE'), 0) as duplicates,
      coalesce(sum(c.n) filter (where c.request_status = 'INVALID'), 0) as invalid
    from batches b left join request_counts c on c.batch_key = b.key
    where b.campaign_id = ${campaign_id} and b.status in ('ACTIVE', 'PAUSED')
      and (${only}::bigint is null or b.key = ${only})
    group by b.key, b.batch_id order by b.key desc`.execute(db);
  return rows;
}

type WaitingPerson = {
  id: number;
  step: number;
  attempt_count: number;
  target: string;
  request_target: string;
  request_variables: Record<string, string>;
  enrichment: Record<string, unknown> | null;
};

async function judgeBatch(
  deps: RequestDeps,
  look: BatchLook,
  tally: PreflightTally,
  now: Date,
): Promise<void> {
  const { batch_key } = look.batch;
  for (let after = 0; tally.judged < MOST_JUDGED; ) {
    // Index: primary key of requests.
    const { rows } = await sql<WaitingPerson>`
      select id, step, attempt_count, coalesce(step_target, target) as target, target as request_target, request_variables, enrichment
      from requests
      where batch_key = ${batch_key} and id > ${after} and request_status = 'PENDING'
      order by id limit ${Math.min(CHUNK, MOST_JUDGED - tally.judged)}`.execute(deps.db);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    for (const [step, people] of Map.groupBy(rows, ({ step }) => step))
      await judge(deps, lookAtLane(look, step, now), people, tally, now);
  }
}

/** As `nextStepOf`, for many at once. */
async function judge(
  { db, limits: { per_person = null }, destinations }: RequestDeps,
  { batch, lines, zone }: BatchLook,
  people: WaitingPerson[],
  tally: PreflightTally,
  now: Date,
): Promise<void> {
  const { organization_id, sub_organization_id } = batch;
  const rules = lines.rulesOf(batch);
  const persons = await readPersons(
    db,
    people.flatMap((person) =>
      addressesOfCandidate(batch, person).map((address) => ({ sub_organization_id, address })),
    ),
  );
  const issues = await readReachIssues(
    db,
    people.map(({ target }) => reachQuestion(batch, target)),
    persons,
  );
  const contacts = await readContacts(
    db,
    rules === null
      ? []
      : people.flatMap((person) =>
          addressesOfPerson(batch, person, persons).map((target) => ({ organization_id, target, rules })),
        ),
    now,
  );
  const tried = await readTried(
    db,
    per_person,
    people.flatMap(({ target }) =>
      persons
        .addressesOf(sub_organization_id, [target])
        .map((each) => ({ sub_organization_id, target: each })),
    ),
    now,
  );
  const checks = await checksOfLane(db, { batch, people }, now);
  for (const [index, person] of people.entries()) {
    tally.judged++;
    tally.reaches_us ||= person.target.startsWith("+1");
    const check = checks.get(person.target) ?? null;
    const issue = eligibilityIssue(batch.campaign, person, issues[index] ?? null, destinations, check);
    const { hold, too_late } = personState(
      rules,
      {
        ...person,
        target: clockTarget(batch, person),
        ...contactKindOf(batch),
        campaign_zone: zone,
        contact_timezone: contactTimezone(batch, person, persons),
        past: addressesOfPerson(batch, person, persons).flatMap((address) => [
          ...contacts.with(batch, address),
        ]),
      },
      now,
    );
    if (issue !== null && issue.kind !== "lookup") tally.add("skipped", issue.kind);
    else if (too_late !== null) tally.add("skipped", "too-late");
    else if (hold !== null) tally.add("later", hold.reason);
    else if (tried.tooOften(batch, persons.addressesOf(sub_organization_id, [person.target])) !== null)
      tally.add("later", "too-often");
    else tally.contacted++;
  }
}
