/**
 * The coarse state of an outbound request, as a person reads it; the fine one is its channel status
 * (`channels/channel-status.ts`). Nobody compares status texts elsewhere.
 */
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
  (...some: RequestStatus[]) =>
  (status: RequestStatus): boolean =>
    some.includes(status);

/** Waits for its first attempt, or for the next one. */
export const isWaiting = among("PENDING");

/** An attempt is under way. */
export const isUnderWay = among("INITIATED", "CONNECTED");

/** Nothing more will be tried. */
export const isOver = (status: RequestStatus): boolean => !isWaiting(status) && !isUnderWay(status);
