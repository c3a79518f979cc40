import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault } from "../base/errors.ts";
import { findKey } from "../batches/batch-store.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import type { Outreach } from "../channels/outreach.ts";
import { outdatedDoNotCallLists } from "../consent/do-not-call-list.ts";
import type { Db } from "../db/database.ts";
import { reachModeOf } from "../dialing/due-batches.ts";
import { type BatchLook, lookAtBatch, lookAtLane } from "./batch-look.ts";
import { judgePeople, type PreflightPerson, peopleOfStep } from "./preflight-people.ts";
import { Counted, counted, PreflightTally } from "./preflight-tally.ts";
import type { RequestDeps } from "./request-next-step.ts";
import { readSenderFindings } from "./sender-findings.ts";
import { readStepProblems } from "./step-problems.ts";

/** Judged one by one, newest batch first; 50,000 take some seconds. */
const MOST_JUDGED = 50_000;
const CHUNK = 1_000;
/** At once in this process. */
const MAX_AT_ONCE = 2;

const PreflightStep = z
  .object({
    number: z.int().describe("2: the first after the campaign's own."),
    mode: z.enum(["voice", "sms", "whatsapp", "email"]),
    source: z.string(),
    reachable: z.int().describe("People that the step may reach, should it come to it."),
    unreachable: z.array(Counted).describe("People for whom the step is skipped, or waits without an end."),
  })
  .meta({ id: "PreflightStep" });

const PreflightProblem = z
  .object({
    step: z.int().describe("1: the campaign's own."),
    problem: z.enum(["no-sender", "no-agent", "no-template", "no-words", "no-approved-template"]),
    agent_id: z.int().nullable().describe("Whose greeting or template it is about."),
    text: z.string().describe("The step, what is missing, and what to do."),
  })
  .meta({ id: "PreflightProblem" });

const Preflight = z
  .object({
    campaign_id: z.int(),
    at: timestamp().describe("The instant for which this was worked out."),
    waiting: z.int().describe("Requests that wait."),
    judged: z.int().describe(`How many of these were checked, ${MOST_JUDGED} at most.`),
    contacted: z.int().describe("They are contacted as soon as the campaign's hours, pace and lines allow."),
    later: z.array(Counted).describe("They are contacted later, or not before something changes."),
    skipped: z.array(Counted).describe("They are not contacted, with duplicates and invalid targets."),
    steps: z
      .array(PreflightStep)
      .describe("The campaign's further steps, judged for those who have not come to them yet."),
    problems: z.array(PreflightProblem).describe("What keeps a step from being sent, and what to do."),
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
        "Each waiting person is judged by the dialer's own rules: suppressions, do-not-call lists, consent, number rules, caps and their own clock. So is each further step of the campaign, by the rules of its channel and its address of the person. Numbers that were not looked up yet count as contacted. Nobody is contacted, nothing is stored.",
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

async function preflight(deps: RequestDeps, caller: Caller, campaign_id: number, only: number | null) {
  const { db, clock } = deps;
  const now = clock.now();
  const found = await batchesOf(db, campaign_id, only);
  const tally = new PreflightTally();
  const later = new Map<number, StepTally>();
  const waits: { batch_id: string; text: string }[] = [];
  for (const { key, batch_id, duplicates, invalid } of found) {
    if (duplicates > 0) tally.add("skipped", "duplicate", duplicates);
    if (invalid > 0) tally.add("skipped", "invalid", invalid);
    const look = await lookAtBatch(deps, key);
    if (look.step.kind !== "start") waits.push({ batch_id, text: look.step.text });
    await judgeBatch(deps, look, { tally, later }, now);
  }
  const problems = await readStepProblems(
    db,
    campaign_id,
    (step) => (step === 0 ? tally : later.get(step)?.tally)?.without_template ?? 0,
  );
  return {
    campaign_id,
    at: now.toISOString(),
    waiting: found.reduce((sum, { waiting }) => sum + waiting, 0),
    judged: tally.judged,
    contacted: tally.contacted,
    later: counted(tally.later),
    skipped: counted(tally.skipped),
    steps: [...later]
      .toSorted(([a], [b]) => a - b)
      .map(([step, { mode, source, tally }]) => {
        const { reachable, unreachable } = tally.byThen();
        return { number: step + 1, mode, source, reachable, unreachable: counted(unreachable) };
      }),
    problems,
    batches: waits,
    sender: await readSenderFindings(db, campaign_id, { reaches_us: tally.reaches_us }),
    outdated_lists: await outdatedDoNotCallLists(db, caller, now),
  };
}

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

/** What was found for one further step; `mode` and `source` as it is sent. */
type StepTally = { mode: Outreach["mode"]; source: string; tally: PreflightTally };

/** `later`: by step, as in the request. */
type Tallies = { tally: PreflightTally; later: Map<number, StepTally> };

async function judgeBatch(
  deps: RequestDeps,
  look: BatchLook,
  { tally, later }: Tallies,
  now: Date,
): Promise<void> {
  const { batch_key } = look.batch;
  for (let after = 0; tally.judged < MOST_JUDGED; ) {
    // Index: primary key of requests.
    const { rows } = await sql<PreflightPerson>`
      select id, step, attempt_count, coalesce(step_target, target) as target, target as request_target, request_variables, enrichment
      from requests
      where batch_key = ${batch_key} and id > ${after} and request_status = 'PENDING'
      order by id limit ${Math.min(CHUNK, MOST_JUDGED - tally.judged)}`.execute(deps.db);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    for (const [step, people] of Map.groupBy(rows, ({ step }) => step))
      await judgePeople(deps, lookAtLane(look, step, now), people, tally, now);
    for (const [index, { source }] of (look.batch.cadence ?? []).entries()) {
      const lane = lookAtLane(look, index + 1, now);
      const known = later.get(index + 1) ?? {
        mode: reachModeOf(lane.batch),
        source,
        tally: new PreflightTally(),
      };
      later.set(index + 1, known);
      const people = peopleOfStep(look, index + 1, rows, known.tally);
      await judgePeople(deps, lane, people, known.tally, now);
    }
  }
}
