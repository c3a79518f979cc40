import type { ChannelStatus } from "./channel-status.ts";
import type { RequestStatus } from "./request-status.ts";

/** What a channel status makes of its request when nothing more will be tried. */
export const REQUEST_STATUS: Readonly<Record<ChannelStatus, RequestStatus>> = {
  PENDING: "PENDING",
  DUPLICATE: "DUPLICATE",
  INVALID: "INVALID",
  FILTERED_LINE_TYPE: "SKIPPED",
  UNEXPECTED_ERROR: "FAILED",

  QUEUED: "INITIATED",
  "IN-PROGRESS": "CONNECTED",
  HUMAN: "CONNECTED",
  MACHINE: "CONNECTED",
  UNKNOWN: "CONNECTED",
  COMPLETED: "COMPLETED",
  NO_OUTCOME: "FAILED",
  BUSY: "FAILED",
  "NO-ANSWER": "FAILED",
  DECLINED: "FAILED",
  SIP_NOT_FOUND: "FAILED",
  SIP_TEMPORARILY_UNAVAILABLE: "FAILED",
  SIP_LOOP_DETECTED: "FAILED",
  SIP_DOES_NOT_EXIST_ANYWHERE: "FAILED",
  FAILED: "FAILED",
  CANCELED: "CANCELED",

  ACCEPTED: "INITIATED",
  SENDING: "INITIATED",
  SENT: "CONNECTED",
  DELIVERED: "COMPLETED",
  UNDELIVERED: "FAILED",
  DELIVERY_FAILED: "FAILED",
  DELIVERY_UNKNOWN: "COMPLETED",

  PROCESSED: "INITIATED",
  DEFERRED: "INITIATED",
  OPENED: "COMPLETED",
  CLICKED: "COMPLETED",
  BOUNCED: "FAILED",
  DROPPED: "FAILED",
  SPAM_REPORT: "COMPLETED",
  UNSUBSCRIBED: "COMPLETED",

  PRIOR_UNSUBSCRIBED: "SKIPPED",
  PRIOR_SPAM_REPORT: "SKIPPED",
  PRIOR_BOUNCED: "SKIPPED",
  PRIOR_DROPPED: "SKIPPED",
};

/**
 * Outcomes after which another attempt may meet a better one, by the medium. MACHINE counts only where no message was
 * left. Mail has none: the provider tries again by itself. Of text messages the carrier's error decides further.
 */
const RETRYABLE: Readonly<Record<"voice" | "sms" | "email", readonly ChannelStatus[]>> = {
  voice: [
    "UNEXPECTED_ERROR",
    "BUSY",
    "NO-ANSWER",
    "FAILED",
    "UNDELIVERED",
    "SIP_TEMPORARILY_UNAVAILABLE",
    "NO_OUTCOME",
    "MACHINE",
  ],
  sms: ["UNEXPECTED_ERROR", "UNDELIVERED", "DELIVERY_FAILED"],
  email: ["UNEXPECTED_ERROR"],
};

export const isRetryable = (mode: "voice" | "sms" | "email" | null, status: ChannelStatus): boolean =>
  RETRYABLE[mode ?? "voice"].includes(status);

/**
 * How far a request is. Signals come late and out of order: one only counts if it leads further. A FAILED one may yet
 * turn out COMPLETED; what was completed or decided by ourselves stays so. Going back for a retry is no signal.
 */
const RANK: Readonly<Record<RequestStatus, number>> = {
  PENDING: 0,
  INITIATED: 1,
  CONNECTED: 2,
  FAILED: 3,
  COMPLETED: 4,
  CANCELED: 5,
  SKIPPED: 5,
  DUPLICATE: 5,
  INVALID: 5,
};

export const isForward = (from: RequestStatus, to: RequestStatus): boolean => RANK[to] > RANK[from];
