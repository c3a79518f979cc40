import { Webhook } from "standardwebhooks";

/** The event that a webhook brought. Throws when no secret of yours signed it, or when it is older than five minutes. */
export function readWebhook(body: string, headers: Record<string, string>, secret: string): unknown {
  return new Webhook(secret).verify(body, headers);
}
