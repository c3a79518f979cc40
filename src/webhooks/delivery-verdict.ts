import { unreachable } from "../base/errors.ts";
import type { EgressOutcome } from "../egress/egress.ts";

/**
 * The verdict on a delivery after a try. Pure. Any 2xx accepts it. Everything else is retried by the schedule of Standard
 * Webhooks: the first try at once, then each this long after the one before, 75 h 35 min in all.
 */
export const RETRY_AFTER_s: readonly number[] = [
  5,
  5 * 60,
  30 * 60,
  2 * 3600,
  5 * 3600,
  10 * 3600,
  14 * 3600,
  20 * 3600,
  24 * 3600,
];

/** Jitter: each wait is up to this share shorter or longer, so that deliveries that failed together spread out. */
export const JITTER = 0.2;

/** The longest `Retry-After` that is honoured. */
const LONGEST_RETRY_AFTER_s = 24 * 3600;

export type DeliveryVerdict =
  | { kind: "delivered" }
  | { kind: "retry"; at: Date; failure: string }
  /** The last try of the schedule failed. */
  | { kind: "exhausted"; failure: string }
  /** 410 Gone: the receiver no longer exists, so its webhook is disabled. */
  | { kind: "gone"; failure: string };

export function judgeTry(
  outcome: EgressOutcome,
  triesBefore: number,
  now: Date,
  random: () => number,
): DeliveryVerdict {
  const failure = failureOf(outcome);
  if (failure === null) return { kind: "delivered" };
  if (outcome.kind === "response" && outcome.status === 410) return { kind: "gone", failure };
  const wait_s = RETRY_AFTER_s[triesBefore];
  if (wait_s === undefined) return { kind: "exhausted", failure };
  const jittered_s = wait_s * (1 + JITTER * (2 * random() - 1));
  const least_s = "headers" in outcome ? retryAfter_s(outcome.headers["retry-after"], now) : 0;
  return { kind: "retry", at: new Date(now.getTime() + Math.max(jittered_s, least_s) * 1000), failure };
}

/** Whether the receiver may be overloaded or down, rather than refusing this one message. */
export function isUnresponsive(outcome: EgressOutcome): boolean {
  switch (outcome.kind) {
    case "response":
      return outcome.status === 429 || outcome.status >= 500;
    case "redirect":
    case "refused":
      return false;
    case "timeout":
    case "failed":
      return true;
    default:
      return unreachable(outcome);
  }
}

/** Why a try failed, in a sentence for the operator of the receiver; null when it was accepted. */
function failureOf(outcome: EgressOutcome): string | null {
  switch (outcome.kind) {
    case "response":
      if (outcome.status >= 200 && outcome.status < 300) return null;
      return outcome.status === 410
        ? "The receiver answered 410: it is gone."
        : `The receiver answered ${outcome.status}.`;
    case "redirect":
      return `The receiver answered ${outcome.status}: redirects are not followed. Give the webhook the URL it leads to.`;
    case "refused":
      return `Nothing was sent: ${outcome.reason}.`;
    case "timeout":
      return `The receiver had not answered after ${Math.round(outcome.after_ms / 100) / 10} s.`;
    case "failed":
      return `The exchange failed: ${outcome.reason}.`;
    default:
      return unreachable(outcome);
  }
}

/** `Retry-After` in seconds (RFC 9110 §10.2.3: a number of them, or a date); 0 where there is none that makes sense. */
export function retryAfter_s(value: string | undefined, now: Date): number {
  if (value === undefined) return 0;
  const text = value.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_s);
}
