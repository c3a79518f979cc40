import type { BatchStatus, RequestStatus } from "../api-types.ts";
import type { Tone } from "../parts/parts.tsx";

export const BATCH_WORDS: Record<BatchStatus, { tone: Tone; word: string }> = {
  PENDING: { tone: "quiet", word: "empty" },
  ACTIVE: { tone: "busy", word: "active" },
  PAUSED: { tone: "warn", word: "paused" },
  FAILED: { tone: "bad", word: "file failed" },
  CANCELED: { tone: "quiet", word: "deleted" },
  EXPIRED: { tone: "quiet", word: "expired" },
};

/** In the order in which people pass through them. */
const REQUEST_WORDS: Record<RequestStatus, { tone: Tone; word: string }> = {
  PENDING: { tone: "quiet", word: "waiting" },
  INITIATED: { tone: "busy", word: "being tried" },
  CONNECTED: { tone: "busy", word: "connected" },
  COMPLETED: { tone: "good", word: "completed" },
  FAILED: { tone: "bad", word: "failed" },
  SKIPPED: { tone: "info", word: "skipped" },
  INVALID: { tone: "warn", word: "invalid" },
  DUPLICATE: { tone: "quiet", word: "duplicate" },
  CANCELED: { tone: "quiet", word: "canceled" },
};
export const REQUEST_STATUSES = Object.keys(REQUEST_WORDS) as RequestStatus[];

/** A status that this console does not know yet is shown as it came. */
export const requestWords = (status: string): { tone: Tone; word: string } =>
  REQUEST_WORDS[status as RequestStatus] ?? { tone: "quiet", word: status.toLowerCase() };

export const batchPath = (batch_id: string): string => `/batches/${encodeURIComponent(batch_id)}`;
export const requestPath = (batch_id: string, reference_id: string): string =>
  `${batchPath(batch_id)}/requests/${encodeURIComponent(reference_id)}`;
