import type { ChannelStatus } from "../channels/channel-status.ts";
import { isUnderWay, isWaiting, type RequestStatus } from "../channels/request-status.ts";

/** A request that somebody wants tried again, as it is under its lock. */
export type ReopenView = {
  request_status: RequestStatus;
  answered_by: ChannelStatus | null;
  voicemail_left: boolean | null;
  talked: boolean;
  /** Its batch is neither deleted nor expired. */
  batch_goes_on: boolean;
  /** An attempt of its reference or to its address is not over, or another transaction is at work on it. */
  is_busy: boolean;
  /** Another request of the campaign with the same reference reached the person. */
  is_reached_elsewhere: boolean;
  /** The person may not be contacted: suppressed, or without a consent that is needed. */
  is_blocked: boolean;
  /** Something happened to it after the list was made from which it was chosen. */
  has_changed: boolean;
};

export const REOPEN_REFUSALS = {
  waiting: "waits for an attempt already",
  "under-way": "is being contacted now",
  reached: "reached the person",
  answered: "was answered by a person",
  "voicemail-left": "left a message on a machine",
  "not-in-list": "was canceled, invalid or a duplicate",
  "batch-over": "belongs to a batch that is deleted or expired",
  "reached-elsewhere": "was reached by another batch of the campaign",
  blocked: "may not be contacted: suppressed, or no consent",
  changed: "was tried again meanwhile",
} as const satisfies Record<string, string>;
export type ReopenRefusal = keyof typeof REOPEN_REFUSALS;

/**
 * Why a request is not tried once more; null: it is. It then waits as one whose planned retry is due: it keeps its
 * attempts, so the retry goes before first attempts, counts towards no day's cap, and what its last attempt still turns
 * out to be ends it. Pure.
 */
export function reopenRefusal(request: ReopenView): ReopenRefusal | null {
  const { request_status } = request;
  if (isWaiting(request_status)) return "waiting";
  if (isUnderWay(request_status) || request.is_busy) return "under-way";
  if (["CANCELED", "INVALID", "DUPLICATE"].includes(request_status)) return "not-in-list";
  if (request_status === "COMPLETED" && request.answered_by !== "MACHINE") return "reached";
  if (request.voicemail_left) return "voicemail-left";
  if (request.talked || request.answered_by === "HUMAN") return "answered";
  if (!request.batch_goes_on) return "batch-over";
  if (request.is_reached_elsewhere) return "reached-elsewhere";
  if (request.is_blocked) return "blocked";
  return request.has_changed ? "changed" : null;
}
