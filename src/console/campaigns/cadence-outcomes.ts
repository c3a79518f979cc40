import type { CadenceStep } from "../api-types.ts";
import { spoken } from "../outbound/channel-statuses.ts";

export type StepMode = CadenceStep["mode"];
type Outcome = NonNullable<CadenceStep["after"]>[number];

/** Outcomes that a step can follow, by the channel of the step before it. */
const LEADS_ON: Record<StepMode, Outcome[]> = {
  voice: [
    ...(["NO-ANSWER", "BUSY", "DECLINED", "MACHINE", "VOICEMAIL_LEFT", "FAILED", "UNDELIVERED"] as const),
    ...(["NO_OUTCOME", "UNEXPECTED_ERROR", "SIP_TEMPORARILY_UNAVAILABLE", "SIP_NOT_FOUND"] as const),
    ...(["SIP_DOES_NOT_EXIST_ANYWHERE", "SIP_LOOP_DETECTED"] as const),
  ],
  sms: [
    ...(["DELIVERED", "DELIVERY_UNKNOWN", "UNDELIVERED", "DELIVERY_FAILED", "FAILED"] as const),
    ...(["NO_OUTCOME", "UNEXPECTED_ERROR"] as const),
  ],
  email: [
    ...(["DELIVERED", "OPENED", "DELIVERY_UNKNOWN", "BOUNCED", "DROPPED", "PRIOR_BOUNCED"] as const),
    ...(["PRIOR_DROPPED", "FAILED", "NO_OUTCOME", "UNEXPECTED_ERROR"] as const),
  ],
};

export const outcomesAfter = (mode: StepMode) =>
  LEADS_ON[mode].map((value) => ({ value, label: spoken(value) }));

/** Those of a step that the channel before it can still have. */
export const keptOutcomes = (after: CadenceStep["after"], before: StepMode): CadenceStep["after"] => {
  const kept = (after ?? []).filter((outcome) => LEADS_ON[before].includes(outcome));
  return kept.length === 0 ? null : kept;
};

export const UNITS = [
  { value: "s", label: "seconds" },
  { value: "m", label: "minutes" },
  { value: "h", label: "hours" },
  { value: "d", label: "days" },
];

/** `10m` as a number and a unit; weeks as days, which are offered. */
export function waitParts(wait: string): { count: number; unit: string } {
  const [count, unit] = [Number(wait.slice(0, -1)), wait.slice(-1)];
  if (unit === "w") return { count: count * 7, unit: "d" };
  return { count, unit };
}
