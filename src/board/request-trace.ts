import { sql } from "kysely";
import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { notFound } from "../base/errors.ts";
import { BATCHES } from "../batches/batch.ts";
import { RequestStatus } from "../batches/batch-schema.ts";
import { findKey } from "../batches/batch-store.ts";
import type { Db } from "../db/database.ts";
import { timeOf } from "../dialing/due-batches.ts";
import { checksOfLane, readStanding } from "../dialing/known/read-number-checks.ts";
import { statusAt } from "../planning/batch-state.ts";
import { type ExplainedAttempt, explainAttempt } from "../planning/explain.ts";
import { NUMBER_MATCHES } from "../planning/numbers/local-presence.ts";
import { choiceText, type StoredChoice } from "../planning/numbers/number-choice.ts";
import { type BatchLook, lookAtBatch, lookAtLane } from "./batch-look.ts";
import { findRequest } from "./explained-request.ts";
import { NextStepSchema, nextStepOf, type RequestDeps } from "./request-next-step.ts";
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
