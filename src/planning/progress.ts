import type { ChannelStatus } from "../channels/channel-status.ts";

/**
 * How far an attempt is, finer than its request: of two words of the same step the first one holds. NO_OUTCOME and
 * DELIVERY_UNKNOWN are our own guesses, so what really happened goes over them.
 */
const PROGRESS: Partial<Record<ChannelStatus, number>> = {
  PENDING: 0,
  QUEUED: 10,
  ACCEPTED: 11,
  PROCESSED: 11,
  SENDING: 12,
  DEFERRED: 12,
  SENT: 20,
  "IN-PROGRESS": 20,
  UNKNOWN: 21,
  HUMAN: 22,
  MACHINE: 22,
  NO_OUTCOME: 30,
  DELIVERY_UNKNOWN: 39,
  COMPLETED: 40,
  DELIVERED: 40,
  OPENED: 41,
  CLICKED: 42,
  UNSUBSCRIBED: 43,
  SPAM_REPORT: 44,
};
/** All other outcomes: busy, not there, canceled. */
const ENDED_WITHOUT = 31;

const progressOf = (status: ChannelStatus): number => PROGRESS[status] ?? ENDED_WITHOUT;

export const leadsFurther = (from: ChannelStatus, to: ChannelStatus): boolean =>
  progressOf(to) > progressOf(from);
