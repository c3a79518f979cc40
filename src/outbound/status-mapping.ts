import type { ChannelStatus, RequestStatus } from "./statuses.ts";

/**
 * What carriers' words mean. Two steps, both plain tables: a carrier's signal names a channel status, and a channel
 * status names the request status a person reads.
 */

/** By the state of a call, as Twilio's API and most others name it. */
export const CALL_SIGNALS: Readonly<Record<string, ChannelStatus>> = {
  queued: "QUEUED",
  initiated: "QUEUED",
  ringing: "QUEUED",
  "in-progress": "IN-PROGRESS",
  completed: "COMPLETED",
  busy: "BUSY",
  "no-answer": "NO-ANSWER",
  canceled: "CANCELED",
  failed: "FAILED",
};

/** Who picked up, by listening to the first seconds. */
export const ANSWERER_SIGNALS: Readonly<Record<string, ChannelStatus>> = {
  human: "HUMAN",
  machine_start: "MACHINE",
  machine_end_beep: "MACHINE",
  machine_end_silence: "MACHINE",
  machine_end_other: "MACHINE",
  fax: "MACHINE",
  unknown: "UNKNOWN",
};

/** By the SIP response that ended a call which nobody answered (RFC 3261 §21). Any other: FAILED. */
export const SIP_SIGNALS: Readonly<Record<number, ChannelStatus>> = {
  404: "SIP_NOT_FOUND",
  408: "NO-ANSWER",
  480: "SIP_TEMPORARILY_UNAVAILABLE",
  482: "SIP_LOOP_DETECTED",
  486: "BUSY",
  487: "NO-ANSWER",
  600: "BUSY",
  603: "DECLINED",
  604: "SIP_DOES_NOT_EXIST_ANYWHERE",
};

export const MESSAGE_SIGNALS: Readonly<Record<string, ChannelStatus>> = {
  accepted: "ACCEPTED",
  queued: "QUEUED",
  sending: "SENDING",
  sent: "SENT",
  delivered: "DELIVERED",
  read: "DELIVERED",
  undelivered: "UNDELIVERED",
  failed: "DELIVERY_FAILED",
  delivery_unknown: "DELIVERY_UNKNOWN",
};

export const MAIL_SIGNALS: Readonly<Record<string, ChannelStatus>> = {
  processed: "PROCESSED",
  deferred: "DEFERRED",
  delivered: "DELIVERED",
  open: "OPENED",
  click: "CLICKED",
  bounce: "BOUNCED",
  blocked: "BOUNCED",
  dropped: "DROPPED",
  spamreport: "SPAM_REPORT",
  unsubscribe: "UNSUBSCRIBED",
};

/** Why a mail was dropped unsent: what an earlier one to the address met. Any other reason: DROPPED. */
export const DROP_REASONS: Readonly<Record<string, ChannelStatus>> = {
  "unsubscribed address": "PRIOR_UNSUBSCRIBED",
  "spam reporting address": "PRIOR_SPAM_REPORT",
  "bounced address": "PRIOR_BOUNCED",
  "dropped address": "PRIOR_DROPPED",
};

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
