import type { EligibilityIssue } from "../../planning/steps/request-step.ts";
import type { Candidate } from "../candidates.ts";
import type { DueBatch } from "../due-batches.ts";
import { hasStep } from "./lanes.ts";
import { type StopSigns, stopName } from "./stop-signs.ts";

/** Why a step must not run, beside what blocks any attempt (eligibility.ts); null: it may. Pure. */
export function stepIssue(batch: DueBatch, candidate: Candidate, stops: StopSigns): EligibilityIssue | null {
  const sign = stops.get(stopName(candidate));
  if (sign?.kind === "opted-out")
    return { kind: "suppressed", status: "PRIOR_UNSUBSCRIBED", text: `Stopped: ${sign.text}.` };
  if (sign) return { kind: "answered", status: "COMPLETED", text: `Stopped: ${sign.text}.` };
  return hasStep(batch)
    ? null
    : { kind: "step-removed", status: "CANCELED", text: "Skipped: the campaign no longer has this step." };
}
