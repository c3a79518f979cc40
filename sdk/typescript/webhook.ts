import { Webhook } from "standardwebhooks";

/** `request.headers` as it is: of fetch's Request, or of node:http and what is built on it. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** The event that a webhook brought. Throws when no secret of yours signed it, or when it is older than five minutes. */
export function readWebhook(body: string, headers: WebhookHeaders, secret: string): unknown {
  const plain: Record<string, string> = {};
  const keep = (value: string | string[] | undefined, name: string) => {
    if (typeof value === "string") plain[name] = value;
  };
  if (headers instanceof Headers) headers.forEach(keep);
  else for (const [name, value] of Object.entries(headers)) keep(value, name);
  return new Webhook(secret).verify(body, plain);
}
