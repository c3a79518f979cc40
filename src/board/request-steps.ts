import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import { isOver, isWaiting, type RequestStatus } from "../channels/request-status.ts";
import { STOPS } from "../dialing/cadences/skip-steps.ts";
import { type Candidate, personOf } from "../dialing/candidates.ts";
import type { DueBatch } from "../dialing/due-batches.ts";
import type { Mode } from "../planning/attempt.ts";
import { stepAddress } from "../planning/cadences/cadence.ts";
import { describeSteps } from "../planning/cadences/describe-steps.ts";
import type { NextStep } from "../planning/explain.ts";

export const TracedStep = z
  .object({
    number: z.int().describe("1: the campaign's own."),
    mode: z.enum(["voice", "sms", "email"]),
    source: z.string().nullable(),
    target: z
      .string()
      .nullable()
      .describe("Where it reaches the person; null: the request has no address for it."),
    state: z.enum(["done", "under-way", "waiting", "skipped", "stopped", "not-reached", "later"]),
    at: timestamp().nullable().describe("When it is due, or was skipped or stopped."),
    text: z.string().nullable().describe("Why it was skipped or stopped."),
  })
  .meta({ id: "RequestTraceStep" });

type Stepped = Pick<Candidate, "target" | "request_target" | "request_variables" | "step" | "step_log"> & {
  request_status: RequestStatus;
  due_at: string | null;
};

/** How an attempt of a step reached its person. */
type StepAttempt = { step: number; mode: string; number: string; target: string };

/** How each step of a request's campaign stands; none where it has but its own. `attempts`: the oldest first. */
export function stepsOf(
  { cadence, campaign, sender }: DueBatch,
  request: Stepped,
  attempts: StepAttempt[],
  next: NextStep,
) {
  const person = personOf(request);
  return describeSteps({
    mode: campaign.mode,
    source: sender?.address ?? null,
    steps: cadence ?? [],
    request: {
      ...request,
      target: request.request_target,
      step_target: request.target,
      log: request.step_log ?? [],
      isWaiting: isWaiting(request.request_status),
      isOver: isOver(request.request_status),
      stop: next.kind === "waiting" && STOPS.has(next.reason) ? next.text : null,
    },
    tried: new Map(
      attempts.map(({ step, mode, number, target }) => [
        step,
        { mode: mode === "whatsapp" ? "sms" : (mode as Mode), source: number, target },
      ]),
    ),
    targetOf(step) {
      const found = stepAddress(step, person);
      return found.kind === "address" ? found.address : null;
    },
  });
}
