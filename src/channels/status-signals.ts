import type { ChannelStatus } from "./channel-status.ts";

/** What carriers' words mean, as plain tables: a carrier's signal names a channel status. */

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
