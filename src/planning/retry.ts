import type { ChannelStatus } from "../channels/channel-status.ts";
import { isRetryable } from "../channels/status-mapping.ts";
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
};

export type RetryRules = { retry_count: number; retry_interval: string | null };

type RetryDecision =
  /** `number` of `of` further attempts; it still waits for the window and the rate. */
  | { kind: "retry"; at: Date; number: number; of: number }
  | { kind: "none"; why: "not-retryable" | "permanent" | "no-retries" | "used-up" };

/** Whether, and from when on, the same person is tried again. Which outcomes may is a table (status-mapping.ts). */
export function decideRetry(
  attempt: EndedAttempt,
  { retry_count, retry_interval }: RetryRules,
): RetryDecision {
  if (!isRetryable(attempt.mode, attempt.status)) return none("not-retryable");
  if (!mayGoBetter(attempt)) return none("permanent");
  if (retry_count === 0) return none("no-retries");
  if (attempt.attempt_number > retry_count) return none("used-up");
  const at = new Date(attempt.ended_at.getTime() + retryWait_s(retry_interval) * 1000);
  return { kind: "retry", at, number: attempt.attempt_number, of: retry_count };
}

/** A text that failed is only sent again when its carrier says that this may help; a call unless it says that it can't. */
const mayGoBetter = ({ mode, status, is_transient }: EndedAttempt): boolean =>
  mode === "sms" && status !== "UNEXPECTED_ERROR" ? is_transient === true : is_transient !== false;

const none = (why: Extract<RetryDecision, { kind: "none" }>["why"]): RetryDecision => ({ kind: "none", why });
