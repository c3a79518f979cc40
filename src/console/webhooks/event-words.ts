import type { WebhookSubscription } from "../api-types.ts";

/** What a webhook is notified of. */
export const EVENT_WORDS: Record<WebhookSubscription["events"][number], string> = {
  "session.ended": "A session ended",
  "insight.found": "An insight was found",
  alert: "An alert fired or resolved",
};
