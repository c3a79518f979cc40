import type { ChannelStatus } from "./channel-status.ts";

/**
 * How far a text or a mail is on its way. What its carrier says of it comes twice, late and out of order: a word only
 * counts where it leads further. Whoever opened a mail or complained of it had it, whatever a mail server said; and a mail
 * that was delivered may still come back.
 */
const STEPS: readonly (readonly ChannelStatus[])[] = [
  ["PENDING"],
  ["ACCEPTED", "PROCESSED"],
  ["QUEUED", "DEFERRED"],
  ["SENDING"],
  ["SENT"],
  // Of these, and of all that is named nowhere here, the first that is told holds.
  ["DELIVERED", "UNDELIVERED", "DELIVERY_FAILED", "DELIVERY_UNKNOWN"],
  ["BOUNCED", "DROPPED", "PRIOR_UNSUBSCRIBED", "PRIOR_SPAM_REPORT", "PRIOR_BOUNCED", "PRIOR_DROPPED"],
  ["OPENED"],
  ["CLICKED"],
  ["UNSUBSCRIBED"],
  ["SPAM_REPORT"],
];

/** For statements that compare statuses themselves. */
export const MESSAGE_PROGRESS: Readonly<Partial<Record<ChannelStatus, number>>> = Object.fromEntries(
  STEPS.flatMap((statuses, step) => statuses.map((status) => [status, step])),
);
/** Of a status that is named nowhere: an end. */
export const MESSAGE_OVER = STEPS.findIndex((statuses) => statuses.includes("DELIVERED"));

export const messageProgress = (status: ChannelStatus): number => MESSAGE_PROGRESS[status] ?? MESSAGE_OVER;

/** Whether its carrier may tell that it arrived. */
export const isUnderWay = (status: ChannelStatus): boolean => messageProgress(status) < MESSAGE_OVER;

/** Null: nothing was told yet. */
export const leadsMessageFurther = (known: ChannelStatus | null, told: ChannelStatus): boolean =>
  known === null || messageProgress(told) > messageProgress(known);
