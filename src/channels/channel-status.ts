import { z } from "zod";

/**
 * What became of something that was sent, or of a call: what the carrier (or we) last said of it, in the specification's
 * 40 words. Nobody compares status texts elsewhere.
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

/** As the public API takes and tells it. */
export const ChannelManagerStatus = z.enum(CHANNEL_STATUSES).meta({ id: "ChannelManagerStatus" });

const among =
  <Some extends ChannelStatus>(...some: Some[]) =>
  (status: ChannelStatus): status is Some =>
    some.some((each) => each === status);

/** The carrier has nothing more to do with the call. */
export const isCallOver = among("BUSY", "CANCELED", "COMPLETED", "DECLINED", "NO-ANSWER", ...FAILURE);

/** Tells who answered, not how the call ended. */
export const isAnswerer = among(...ANSWERER);
