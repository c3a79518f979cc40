import type { WebhookDeliveryState } from "../api-types.ts";
import type { Tone } from "../parts/parts.tsx";

export const DELIVERY_WORDS: Record<WebhookDeliveryState, { tone: Tone; word: string }> = {
  WAITING: { tone: "busy", word: "waiting" },
  DELIVERED: { tone: "good", word: "delivered" },
  FAILED: { tone: "bad", word: "failed" },
  HELD: { tone: "warn", word: "held" },
  CANCELED: { tone: "quiet", word: "canceled" },
};

/** Its receiver takes few messages at once, or is left alone for a moment after failures. */
export const DUE = "waits for its turn";
export const isDue = (next_try_at: string): boolean => Date.parse(next_try_at) <= Date.now();
