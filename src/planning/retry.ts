import type { ChannelStatus } from "../channels/channel-status.ts";
import { isRetryable } from "../channels/status-mapping.ts";
import { atBetterHour, type HourPreference, type StoredMove } from "./retries/better-hours.ts";
import { atAnotherHour, type OutcomeRules, ruleOf } from "./retries/outcome-rules.ts";
import { retryWait_s } from "./retry-interval.ts";

/** An attempt that ended without reaching its person. */
type EndedAttempt = {
  mode: "voice" | "sms" | "email";
  status: ChannelStatus;
  /** The carrier's word on whether another try may go better; null: it has none. */
  is_transient: boolean | null;
  /** 1: the first. */
  attempt_number: number;
  ended_at: Date;
  /** Those before it; only read where there are rules by outcome. */
  earlier?: readonly EarlierAttempt[];
};

export type EarlierAttempt = { outcome: ChannelStatus; started_at: Date };

export type RetryRules = {
  retry_count: number;
  retry_interval: string | null;
  /** Left out and null: the two fields alone decide. */
  by_outcome?: OutcomeRules | null;
  /** Left out and null: a retry keeps its time, whenever people answer. */
  preference?: HourPreference | null;
};

type RetryDecision =
  /** `number` of `of` further attempts; it still waits for the window and the rate. */
  | { kind: "retry"; at: Date; number: number; of: number; move?: StoredMove }
  | { kind: "none"; why: "not-retryable" | "permanent" | "no-retries" | "used-up" | "rule-says-none" };

/**
 * Whether, and from when on, the same person is tried again. Which outcomes may is a table (status-mapping.ts). An outcome
 * with a rule is bounded by that rule, and is not counted where the two fields bound the others.
 */
export function decideRetry(attempt: EndedAttempt, rules: RetryRules): RetryDecision {
  if (!isRetryable(attempt.mode, attempt.status)) return none("not-retryable");
  if (!mayGoBetter(attempt)) return none("permanent");
  const { retry_count, retry_interval, by_outcome = null, preference = null } = rules;
  const { earlier = [] } = attempt;
  const rule = ruleOf(by_outcome, attempt.status);
  const ruled = earlier.filter(({ outcome }) => ruleOf(by_outcome, outcome) !== null).length;
  const number =
    rule === null
      ? attempt.attempt_number - ruled
      : earlier.filter(({ outcome }) => outcome === attempt.status).length + 1;
  const of = rule?.max_retries ?? retry_count;
  if (of === 0) return none(rule === null ? "no-retries" : "rule-says-none");
  if (number > of) return none("used-up");
  const wait_s = retryWait_s(rule?.wait ?? retry_interval);
  const at = new Date(attempt.ended_at.getTime() + wait_s * 1000);
  if (rule?.another_hour === true && by_outcome !== null)
    return { kind: "retry", at: atAnotherHour(at, by_outcome.hours, earlier, attempt.ended_at), number, of };
  const moved = preference === null || attempt.mode !== "voice" ? null : atBetterHour(at, preference);
  if (moved === null) return { kind: "retry", at, number, of };
  const move = { ...moved.better, instead_of: moved.instead_of.toISOString() };
  return { kind: "retry", at: moved.at, number, of, move };
}

/** A text that failed is only sent again when its carrier says that this may help; a call unless it says that it can't. */
const mayGoBetter = ({ mode, status, is_transient }: EndedAttempt): boolean =>
  mode === "sms" && status !== "UNEXPECTED_ERROR" ? is_transient === true : is_transient !== false;

const none = (why: Extract<RetryDecision, { kind: "none" }>["why"]): RetryDecision => ({ kind: "none", why });
