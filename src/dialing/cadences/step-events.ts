import type { NewEvent } from "../../events/event.ts";
import type { EventOf } from "../../events/event-types.ts";
import type { PlannedStep, SkippedStep } from "../../planning/cadences/next-cadence-step.ts";
import { STEP_WORDS } from "../../planning/explain.ts";

type StepEvent = EventOf<"request-step" | "request-step-skipped" | "request-steps-stopped">;

type Of = {
  campaign_id: number;
  batch_id: string;
  reference_id: string;
  target: string;
  /** Steps of the cadence, the campaign's own included. */
  of: number;
  at: Date;
};

/** What the event log says of a cadence: steps that were skipped with the reason, and the step that comes next. */
export function stepEvents(
  request: Of,
  skipped: readonly SkippedStep[],
  next: PlannedStep | null,
): NewEvent[] {
  const name = `request "${request.reference_id}" of batch "${request.batch_id}"`;
  return [
    ...skipped.map(({ step, text }) =>
      stepEvent(
        request,
        "request-step-skipped",
        `Step ${step + 1} of ${request.of} of ${name} is skipped: ${text}`,
        {
          step: step + 1,
          reason: text,
        },
      ),
    ),
    ...(next === null
      ? []
      : [
          stepEvent(
            request,
            "request-step",
            `Step ${next.step + 1} of ${request.of} of ${name}: ${STEP_WORDS[next.mode]}, not before ${next.at.toISOString()}`,
            { step: next.step + 1, mode: next.mode, due_at: next.at.toISOString() },
          ),
        ]),
  ];
}

/** That nothing more is tried, because the person answered or opted out. */
export const stoppedEvent = (request: Of, text: string): NewEvent =>
  stepEvent(
    request,
    "request-steps-stopped",
    `Request "${request.reference_id}" of batch "${request.batch_id}" has no further steps: ${text}`,
    { reason: text },
  );

const stepEvent = (
  { campaign_id, batch_id, reference_id, target, of, at }: Of,
  type: StepEvent["type"],
  description: string,
  more: StepEvent["attributes"],
): NewEvent => ({
  at,
  source: "outbound",
  source_id: null,
  category: "outbound",
  type,
  description,
  user_id: target,
  attributes: { campaign_id, batch_id, reference_id, steps: of, ...more },
});
