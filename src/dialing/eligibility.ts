import { type DestinationRules, refusalOf } from "../base/destination.ts";
import { missingFields } from "../batches/enrichment.ts";
import { type Enrichment, type FilterSettings, filterTarget } from "../campaigns/target-filter.ts";
import { type ReachIssue, reachIssueStatus, reachIssueText } from "../consent/reach-check.ts";
import type { Mode } from "../planning/attempt.ts";
import { type NumberCheck, reassignedIssue } from "../planning/numbers/reassigned-number.ts";
import type { EligibilityIssue } from "../planning/steps/request-step.ts";

/**
 * Why a request must not be tried; null: it may. Pure. `blocked`: the person's opt-out or missing consent. `rules`: the
 * numbers that the operator lets campaigns reach. `check`: whether the number is still the person's; null: the campaign
 * doesn't ask.
 */
export function eligibilityIssue(
  campaign: FilterSettings & { mode: Mode },
  { target, enrichment }: { target: string; enrichment: Enrichment | null },
  blocked: ReachIssue | null,
  rules: DestinationRules,
  check: NumberCheck | null,
): EligibilityIssue | null {
  if (blocked !== null)
    return {
      kind: blocked.kind,
      status: reachIssueStatus(blocked),
      text: reachIssueText(target, blocked),
    };
  if (campaign.mode === "email") return null;
  // Checked before the number is looked up, because lookups cost money.
  const refusal = refusalOf(target, rules);
  if (refusal !== null)
    return { kind: "destination", status: "FILTERED_LINE_TYPE", text: `Skipped: ${refusal}.` };
  if (missingFields(campaign, enrichment).length > 0) return { kind: "lookup" };
  const verdict = filterTarget(campaign, enrichment);
  return verdict.kind === "pass"
    ? reassignedIssue(check)
    : { kind: "filtered", status: "FILTERED_LINE_TYPE", text: `Skipped: ${verdict.reason}.` };
}
