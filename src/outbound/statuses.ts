/**
 * Every status of an outbound request, on both layers: the channel status is what the carrier (or we) last said, in
 * the specification's 40 words; the request status is the coarse state that a person reads. Nobody compares status
 * texts elsewhere.
 */

/** Said by this platform, without a carrier. */
const LOCAL = [
  "PENDING",
  "DUPLICATE",
  "INVALID",
  "UNEXPECTED_ERROR",
  "FILTERED_LINE_TYPE",
  "NO_OUTCOME",
] as const;

const MAIL = [
  "PROCESSED",
  "DROPPED",
  "DEFERRED",
  "BOUNCED",
  "DELIVERED",
  "OPENED",
  "CLICKED",
  "SPAM_REPORT",
  "UNSUBSCRIBED",
] as const;

/** Not sent at all, because of what an earlier message to the same address met. */
const SUPPRESSED = ["PRIOR_UNSUBSCRIBED", "PRIOR_SPAM_REPORT", "PRIOR_DROPPED", "PRIOR_BOUNCED"] as const;

const MESSAGE = [
  "SENT",
  "ACCEPTED",
  "QUEUED",
  "SENDING",
  "UNDELIVERED",
  "DELIVERY_UNKNOWN",
  "DELIVERY_FAILED",
] as const;

const CALL = ["IN-PROGRESS", "BUSY", "CANCELED", "COMPLETED", "DECLINED", "NO-ANSWER"] as const;

/** What listening to the first seconds of an answered call found. */
const ANSWERER = ["MACHINE", "HUMAN", "UNKNOWN"] as const;

const FAILURE = [
  "FAILED",
  "SIP_NOT_FOUND",
  "SIP_TEMPORARILY_UNAVAILABLE",
  "SIP_LOOP_DETECTED",
  "SIP_DOES_NOT_EXIST_ANYWHERE",
] as const;

export const CHANNEL_STATUSES = [
  ...LOCAL,
  ...MAIL,
  ...SUPPRESSED,
  ...MESSAGE,
  ...CALL,
  ...ANSWERER,
  ...FAILURE,
] as const;
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];

export const REQUEST_STATUSES = [
  "PENDING",
  "DUPLICATE",
  "INITIATED",
  "CONNECTED",
  "COMPLETED",
  "FAILED",
  "CANCELED",
  "INVALID",
  "SKIPPED",
] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

const among =
  <Status extends string>(...some: Status[]) =>
  (status: Status): boolean =>
    some.includes(status);

/** Waits for its first attempt, or for the next one. */
export const isWaiting = among<RequestStatus>("PENDING");

/** An attempt is under way. */
export const isUnderWay = among<RequestStatus>("INITIATED", "CONNECTED");

/** Nothing more will be tried. */
export const isOver = (status: RequestStatus): boolean => !isWaiting(status) && !isUnderWay(status);

/** The recipient asked to be left alone; the address is suppressed from then on. */
export const isOptOut = among<ChannelStatus>("UNSUBSCRIBED", "SPAM_REPORT");

/** The address was suppressed before anything was sent. */
export const isSuppressed = among<ChannelStatus>(...SUPPRESSED);

/** Tells who answered, not how the call ended. */
export const isAnswerer = among<ChannelStatus>(...ANSWERER);
