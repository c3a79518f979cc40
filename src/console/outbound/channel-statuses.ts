import type { ChannelManagerStatus } from "../api-types.ts";

/** Every status that can trigger a webhook, and the group in which the form offers it. */
const GROUP_OF: Record<
  ChannelManagerStatus,
  "Call" | "Agent" | "Text message" | "Mail" | "Not tried" | "Failed"
> = {
  "IN-PROGRESS": "Call",
  COMPLETED: "Call",
  "NO-ANSWER": "Call",
  BUSY: "Call",
  DECLINED: "Call",
  CANCELED: "Call",
  HUMAN: "Agent",
  MACHINE: "Agent",
  UNKNOWN: "Agent",
  QUEUED: "Text message",
  ACCEPTED: "Text message",
  SENDING: "Text message",
  SENT: "Text message",
  DELIVERED: "Text message",
  UNDELIVERED: "Text message",
  DELIVERY_FAILED: "Text message",
  DELIVERY_UNKNOWN: "Text message",
  PROCESSED: "Mail",
  DEFERRED: "Mail",
  OPENED: "Mail",
  CLICKED: "Mail",
  BOUNCED: "Mail",
  DROPPED: "Mail",
  SPAM_REPORT: "Mail",
  UNSUBSCRIBED: "Mail",
  PENDING: "Not tried",
  DUPLICATE: "Not tried",
  INVALID: "Not tried",
  FILTERED_LINE_TYPE: "Not tried",
  PRIOR_UNSUBSCRIBED: "Not tried",
  PRIOR_SPAM_REPORT: "Not tried",
  PRIOR_DROPPED: "Not tried",
  PRIOR_BOUNCED: "Not tried",
  NO_OUTCOME: "Failed",
  FAILED: "Failed",
  UNEXPECTED_ERROR: "Failed",
  SIP_NOT_FOUND: "Failed",
  SIP_TEMPORARILY_UNAVAILABLE: "Failed",
  SIP_LOOP_DETECTED: "Failed",
  SIP_DOES_NOT_EXIST_ANYWHERE: "Failed",
};

export const CHANNEL_STATUSES = Object.keys(GROUP_OF) as ChannelManagerStatus[];

/** As a chooser offers them. */
export const STATUS_CHOICES = [...new Set(Object.values(GROUP_OF))].map((group) => ({
  group,
  items: CHANNEL_STATUSES.filter((status) => GROUP_OF[status] === group) as string[],
}));

/** NO-ANSWER → no answer. */
export const spoken = (status: string): string =>
  status
    .replaceAll(/[-_]/g, " ")
    .toLowerCase()
    .replace(/^sip\b/, "SIP");

/** Outcomes in words, for the review of a change. */
export const OUTCOME_WORDS: Record<string, string> = Object.fromEntries(
  [...CHANNEL_STATUSES, "VOICEMAIL_LEFT"].map((status) => [status, spoken(status)]),
);
