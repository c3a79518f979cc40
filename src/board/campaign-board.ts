import { sql } from "kysely";
import { z } from "zod";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { OutcomeCounts, RequestStatusBreakdown } from "../batches/batch-schema.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import { readGoal } from "../campaigns/goal.ts";
import type { Db } from "../db/database.ts";
import { NOT_LIVE, WAITS_FOR_FIRST, WAITS_FOR_RETRY, waitsForStep } from "../dialing/candidates.ts";
import { timeOf } from "../dialing/due-batches.ts";
import { type BatchStatus, isDialled, statusAt } from "../planning/batch-state.ts";
import { MOST_STEPS } from "../planning/cadences/cadence.ts";
import type { StepLogEntry } from "../planning/cadences/step-log.ts";
import { type ExplainedAttempt, explainAttempt, MOST_COUNTED } from "../planning/explain.ts";
import { clockText } from "../planning/steps/step-wait.ts";
import { type BatchLook, lookAtBatch } from "./batch-look.ts";
import { countAll, countBatches, funnelOf } from "./board-counts.ts";
import { firstWaiting } from "./explained-request.ts";
import { NextStepSchema, nextStepOf, type RequestDeps } from "./request-next-step.ts";

const MOST_BATCHES = 50;
const MOST_REQUESTS = 50;
/** Of those who are next in a batch, so many are looked at to say whether all of them are being reached. */
const MOST_NEXT = 20;

const Latest = z
  .object({
    batch_id: z.string(),
    reference_id: z.string(),
    target: z.string(),
    request_status: z.string(),
    channel_manager_status: z.string(),
    attempt_count: z.int(),
    session_id: z.int().nullable(),
    at: timestamp(),
    text: z.string().describe("The latest outcome, in a sentence."),
  })
  .meta({ id: "CampaignBoardRequest" });

const Board = z
  .object({
    campaign_id: z.int(),
    campaign_name: z.string(),
    timezone: z.string(),
    at: timestamp(),
    status_counts: z.record(z.string(), z.int()),
    detailed_status_counts: z.record(z.string(), RequestStatusBreakdown),
    outcome_counts: OutcomeCounts,
    skip_counts: z
      .record(z.string(), z.int())
      .describe(
        "People who were skipped, by reason: filtered, suppressed, no-consent, reassigned, destination, too-late.",
      ),
    funnel: z
      .object({
        tried: z.int().describe("Requests with at least one attempt."),
        answered: z.int().describe("A person answered, or the message was delivered."),
        talked: z
          .int()
          .describe("The person said or wrote something; counted when the conversation is over."),
        goal: z.int().nullable().describe("The goal was reached; null: the campaign has no goal."),
      })
      .meta({ id: "CampaignFunnel" }),
    active_batches: z.int().describe("Batches that are neither paused nor over."),
    paused_batches: z.int(),
    hourly_rate: z.int().describe("Of each batch that has no rate of its own."),
    total_rate: z
      .number()
      .describe("Attempts per hour of all active batches in which somebody waits, together."),
    under_way: z.int().describe("Attempts of the campaign that use a line now."),
    days: z
      .array(z.object({ date: z.string(), cap: z.int().nullable(), first_attempts: z.int() }))
      .describe("Days of the agent's calendar whose window is open now."),
    batches: z.array(
      z
        .object({
          batch_id: z.string(),
          waiting: z.int(),
          rate: z.number().describe("Attempts per hour of this batch by itself."),
          put_off: z
            .int()
            .describe(
              `Of those who wait for a first attempt, how many may not be tried before a later time: their own hours, caps, not_before; ${MOST_COUNTED} at most.`,
            ),
          next_step: NextStepSchema,
        })
        .meta({ id: "CampaignBoardBatch" }),
    ),
    latest: z.array(Latest).describe("Newest first."),
  })
  .meta({ id: "CampaignBoard" });

/** A campaign at a glance: what runs, what waits and why. */
export function campaignBoardRoutes(api: Api, deps: RequestDeps): void {
  const { db, clock, limits } = deps;
  api.get(
    "/api/v1/outbound/campaigns/:campaign_id/board",
    {
      summary: "Get a campaign's live board",
      description: `Counts by status, what each of its newest ${MOST_BATCHES} open batches waits for, and the latest ${MOST_REQUESTS} requests with their reasons.`,
      tag: "outbound",
      permission: "outbound_read",
      params: z.object({ campaign_id: recordId() }),
      response: Board,
    },
    async ({ caller, params }) => {
      const campaign = await findCampaign(db, caller, params.campaign_id);
      const now = clock.now();
      const open = await openBatches(db, campaign.id, now);
      const looks: BatchLook[] = [];
      for (const { key } of open) looks.push(await lookAtBatch({ db, clock, limits }, key));
      const counts = await countAll(db, campaign.id, now);
      const steps: BoardStep[] = [];
      for (const [index, look] of looks.entries()) steps.push(await stepOf(deps, look, open[index], now));
      const [first] = looks;
      const zone = first?.zone ?? "UTC";
      return {
        campaign_id: campaign.id,
        campaign_name: campaign.campaign_name,
        timezone: zone,
        at: now.toISOString(),
        status_counts: counts.status_counts,
        detailed_status_counts: counts.detailed_status_counts,
        outcome_counts: counts.outcome_counts,
        skip_counts: counts.progress.skipped,
        funnel: funnelOf(counts.progress, await readGoal(db, campaign.id)),
        ...(await countBatches(db, campaign.id, now)),
        hourly_rate: campaign.hourly_rate,
        total_rate: totalRate(looks, open, now),
        under_way: counts.under_way,
        days: (first?.days ?? []).map(({ date, cap }) => ({
          date,
          cap,
          first_attempts: first?.reached(date) ?? 0,
        })),
        batches: looks.map((look, index) => ({
          batch_id: look.batch.batch_id,
          waiting: open[index]?.waiting ?? 0,
          rate: look.rate,
          put_off: open[index]?.put_off ?? 0,
          next_step: steps[index] as BoardStep,
        })),
        latest: await latestRequests(db, campaign.id, zone, now),
      };
    },
  );
}

/** `all_busy`: whoever is due is being reached by another attempt. */
type OpenBatch = {
  key: number;
  waiting: number;
  put_off: number;
  next_due: string | null;
  all_busy: boolean;
};

/** Batches don't share a rate: each keeps its own. */
const totalRate = (looks: BatchLook[], open: OpenBatch[], now: Date): number =>
  looks.reduce((sum, { batch, rate }, index) => {
    const status = statusAt({ status: batch.status, expires_on: timeOf(batch.expires_on) }, now);
    return isDialled(status) && (open[index]?.waiting ?? 0) > 0 ? sum + rate : sum;
  }, 0);

type BoardStep = z.output<typeof NextStepSchema>;

async function stepOf(
  deps: RequestDeps,
  look: BatchLook,
  open: OpenBatch | undefined,
  now: Date,
): Promise<BoardStep> {
  const { step } = look;
  if (step.kind === "over")
    return { kind: "over" as const, reason: "batch-over", text: step.text, until: null };
  if (!open?.waiting)
    return { kind: "waiting" as const, reason: "done", text: "Nobody waits in this batch.", until: null };
  const due = open.next_due === null ? now : new Date(open.next_due);
  if (step.kind === "start" && due > now) {
    // Everybody is put off: the batch waits for what its first request waits for, unless that is one of many retries.
    const next = await firstWaiting(deps.db, look.batch.batch_key);
    const isRetry =
      next !== undefined && next.attempt_count > 0 && next.call_back_after !== next.attempt_count;
    if (next !== undefined && (!isRetry || look.batch.cadence !== null)) {
      const { until, ...why } = await nextStepOf(deps, look, next, now);
      return { ...why, until: until?.toISOString() ?? null };
    }
    const text = `Waiting: nobody is due before the next retry at ${clockText(due, look.zone, now)}.`;
    return { kind: "waiting" as const, reason: "retry", text, until: due.toISOString() };
  }
  if (open.all_busy && (step.kind === "start" || step.reason === "rate"))
    return {
      kind: "waiting" as const,
      reason: "same-address",
      text: "Waiting: other attempts to the numbers and addresses that are next are under way.",
      until: null,
    };
  if (step.kind === "start")
    return {
      kind: "under-way" as const,
      reason: "dialing",
      text: "Attempts are being started.",
      until: null,
    };
  return {
    kind: "waiting" as const,
    reason: step.reason,
    text: step.text,
    until: step.until?.toISOString() ?? null,
  };
}

/** Index: requests_waiting, looked into four times for each batch. */
async function openBatches(db: Db, campaign_id: number, now: Date): Promise<OpenBatch[]> {
  const firstDue = (waits: typeof WAITS_FOR_FIRST) => sql`(
    select due_at from requests r
    where r.batch_key = b.key and ${waits}
    order by due_at limit 1)`;
  const stepDue = sql.join(
    Array.from({ length: MOST_STEPS }, (_, step) => firstDue(waitsForStep(sql.lit(step + 1)))),
  );
  const mayStart = (waits: typeof WAITS_FOR_FIRST) => sql`(
    select ${NOT_LIVE} as may from (
      select r.reference_id, r.target from requests r
      where r.batch_key = b.key and ${waits} and r.due_at <= ${now.toISOString()}::timestamptz
      order by r.due_at, r.id limit ${MOST_NEXT}
    ) r cross join (select b.campaign_id, o.organization_id) w)`;
  const { rows } = await sql<OpenBatch>`
    select b.key, least(${firstDue(WAITS_FOR_FIRST)}, ${firstDue(WAITS_FOR_RETRY)},
      case when c.cadence is not null then least(${stepDue}) end) as next_due, coalesce((
      select sum(n) from request_counts c where c.batch_key = b.key and c.request_status = 'PENDING'
    ), 0) as waiting,
      (select count(*) from (
        select from requests r
        where r.batch_key = b.key and ${WAITS_FOR_FIRST} and r.due_at > ${now.toISOString()}::timestamptz
        limit ${MOST_COUNTED}
      ) as later) as put_off,
      coalesce((
        select not bool_or(may) from (
          select * from ${mayStart(WAITS_FOR_RETRY)} retry union all select * from ${mayStart(WAITS_FOR_FIRST)} first
        ) next
      ), false) as all_busy
    from batches b join sub_organizations o on o.id = b.sub_organization_id join campaigns c on c.id = b.campaign_id
    where b.campaign_id = ${campaign_id} and b.deleted_at is null
    order by b.key desc limit ${MOST_BATCHES}`.execute(db);
  return rows;
}

type Row = Omit<z.output<typeof Latest>, "text"> & {
  attempt: ExplainedAttempt | null;
  skipped: string | null;
  step_log: StepLogEntry[] | null;
  batch_status: BatchStatus;
  expires_on: string | null;
};

/** Of each batch the newest few (indexes: `attempts_started`, `requests_skipped`), and of these the newest. */
async function latestRequests(db: Db, campaign_id: number, zone: string, now: Date) {
  const { rows } = await sql<Row>`
    select b.batch_id, r.reference_id, r.target, b.status as batch_status, b.expires_on,
      case when r.request_status = 'PENDING'
          and (b.cancels_waiting or coalesce(b.expires_on <= ${now.toISOString()}::timestamptz, false))
        then 'CANCELED' else r.request_status end as request_status,
      r.channel_manager_status, r.attempt_count,
      r.session_id, latest.at, latest.attempt, r.skip_reason ->> 'text' as skipped, r.step_log
    from (
      select key, batch_id, status, expires_on, cancels_waiting from batches where campaign_id = ${campaign_id} and deleted_at is null
      order by key desc limit ${MOST_BATCHES}
    ) b
    cross join lateral (
      select * from (
        select a.request_id, coalesce(a.ended_at, a.placed_at, a.started_at) as at, json_build_object(
          'attempt_number', a.attempt_number, 'state', a.state, 'channel_status', a.channel_status,
          'answerer', a.answerer, 'provider_status', a.provider_status, 'started_at', a.started_at,
          'ended_at', a.ended_at, 'decision', a.decision,
          'hang_up_at', a.hang_up_at) as attempt
        from attempts a where a.batch_key = b.key order by a.started_at desc, a.key desc limit ${MOST_REQUESTS}
      ) tried
      union all
      select * from (
        select s.id, (s.skip_reason ->> 'at')::timestamptz, null::json
        from requests s where s.batch_key = b.key and s.skip_reason is not null order by s.id desc limit ${MOST_REQUESTS}
      ) skipped
    ) latest
    join requests r on r.batch_key = b.key and r.id = latest.request_id
    order by latest.at desc, b.key desc, r.id desc
    limit ${MOST_REQUESTS}`.execute(db);
  return rows.map(({ attempt, skipped, step_log, batch_status: stored, expires_on, ...row }) => {
    const batch_status = statusAt({ status: stored, expires_on: timeOf(expires_on) }, now);
    const request = { ...row, skipped, step_log, batch_status };
    return { ...row, text: attempt === null ? (skipped ?? "") : explainAttempt(attempt, zone, now, request) };
  });
}
