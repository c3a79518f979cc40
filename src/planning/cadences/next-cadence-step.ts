import type { Mode } from "../attempt.ts";
import { retryWait_s } from "../retry-interval.ts";
import {
  type CadenceOutcome,
  type CadencePerson,
  type CadenceStep,
  isSuccess,
  stepAddress,
  usuallyLeadsOn,
} from "./cadence.ts";

/** Why a step did not take place; `step` as in the request, so 1 is the first after the campaign's own. */
export type SkippedStep = { step: number; text: string };

/** `target`: the step's address; null: the request's own target. */
export type PlannedStep = { step: number; mode: Mode; target: string | null; at: Date };

export type StepChoice = { next: PlannedStep | null; skipped: SkippedStep[] };

/** What the last step came to; null: it was skipped, which the next step takes for any outcome. */
type LastStep = { mode: Mode; outcome: CadenceOutcome } | null;

/**
 * The step that follows: the first from `from` on which comes after this outcome and has an address. Its wait counts from
 * `at`, when the outcome was known. Pure.
 */
export function nextCadenceStep(
  steps: readonly CadenceStep[],
  from: number,
  last: LastStep,
  person: CadencePerson,
  at: Date,
): StepChoice {
  const skipped: SkippedStep[] = [];
  if (last !== null && isSuccess(last.mode, last.outcome)) return { next: null, skipped };
  for (const [index, step] of steps.entries()) {
    const number = index + 1;
    if (number < from) continue;
    if (last !== null && skipped.length === 0 && !comesAfter(step, last)) continue;
    const found = stepAddress(step, person);
    if (found.kind === "none") {
      skipped.push({ step: number, text: found.text });
      continue;
    }
    const target = found.address === person.target ? null : found.address;
    const due = new Date(at.getTime() + retryWait_s(step.wait) * 1000);
    return { next: { step: number, mode: step.mode, target, at: due }, skipped };
  }
  return { next: null, skipped };
}

const comesAfter = ({ after }: CadenceStep, { mode, outcome }: NonNullable<LastStep>): boolean =>
  after === null ? usuallyLeadsOn(mode, outcome) : after.includes(outcome);
