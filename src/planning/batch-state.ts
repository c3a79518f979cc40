import { unreachable } from "../base/errors.ts";

/**
 * The life of a batch. It waits empty (PENDING) until its first requests come; from then on it is ACTIVE or, on hold,
 * PAUSED. There is no "completed": a batch whose requests are all over stays ACTIVE and takes new ones. One whose only
 * file failed is FAILED, one whose time is up EXPIRED, a deleted one CANCELED; only the last is for good.
 */
export const BATCH_STATUSES = ["PENDING", "ACTIVE", "PAUSED", "FAILED", "CANCELED", "EXPIRED"] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

type BatchState = { status: BatchStatus; paused: boolean | null };

export type BatchChange =
  /** Requests were added, one by one or from a file. */
  | { kind: "filled" }
  | { kind: "upload-failed" }
  | { kind: "updated"; paused: boolean | null; expires_on: Date | null }
  | { kind: "deleted" };

type Transition = { kind: "moved"; status: BatchStatus } | { kind: "refused"; why: string };

/** `batch.status` is the one `statusAt` tells for `now`. */
export function nextStatus(batch: BatchState, change: BatchChange, now: Date): Transition {
  if (batch.status === "CANCELED" && change.kind !== "upload-failed") return refused("it was deleted");
  switch (change.kind) {
    case "filled":
      return batch.status === "EXPIRED"
        ? refused("it has expired. Set a later expires_on first")
        : moved(running(batch.paused));
    case "upload-failed":
      // What else the batch holds is dialled on; a file that failed has left nothing in it.
      return moved(batch.status === "PENDING" ? "FAILED" : batch.status);
    case "updated":
      if (isPast(change.expires_on, now)) return moved("EXPIRED");
      return moved(isEmpty(batch.status) ? batch.status : running(change.paused));
    case "deleted":
      return moved("CANCELED");
    default:
      return unreachable(change);
  }
}

/** What the clock makes of a stored status. */
export const statusAt = (batch: { status: BatchStatus; expires_on: Date | null }, now: Date): BatchStatus =>
  batch.status !== "CANCELED" && isPast(batch.expires_on, now) ? "EXPIRED" : batch.status;

/** The only state in which attempts start. */
export const isDialled = (status: BatchStatus): boolean => status === "ACTIVE";

const isEmpty = (status: BatchStatus): boolean => status === "PENDING" || status === "FAILED";

const running = (paused: boolean | null): BatchStatus => (paused ? "PAUSED" : "ACTIVE");

const isPast = (expires_on: Date | null, now: Date): boolean => expires_on !== null && expires_on <= now;

const moved = (status: BatchStatus): Transition => ({ kind: "moved", status });
const refused = (why: string): Transition => ({ kind: "refused", why });
