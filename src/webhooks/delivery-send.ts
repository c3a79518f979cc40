import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { cutTo } from "../base/storable.ts";
import { VERSION } from "../base/version.ts";
import { openSecret } from "../base/webhook-secret.ts";
import type { Egress, EgressOutcome } from "../egress/egress.ts";
import type { ClaimedDelivery } from "./delivery-claim.ts";
import { signedHeaders } from "./webhook-signature.ts";

/** Request and response as the log keeps them. */
export type SentTry = {
  at: string;
  duration_ms: number;
  method: string;
  url: string;
  request_headers: Record<string, string>;
  response_status: number | null;
  response_headers: Record<string, string> | null;
  response_body: string | null;
};

/** Timeout of the whole exchange. */
export const TIMEOUT_ms = 10_000;
/** How much of a response is read; only its status matters. */
const MAX_RESPONSE_bytes = 64 * 1024;
/** How much of a response the log keeps. */
const MAX_LOGGED_characters = 4_096;

type Deps = { egress: Egress; clock: Clock; vault: Vault; timeout_ms: number };

/** One try, signed with the present time. Never throws because of a receiver. */
export async function sendDelivery(
  { egress, clock, vault, timeout_ms }: Deps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<{ sent: SentTry; outcome: EgressOutcome }> {
  const at = clock.now();
  const headers = deliveryHeaders(vault, delivery, at);
  const started = performance.now();
  const outcome =
    headers === null
      ? UNREADABLE
      : await egress.send({
          url: delivery.url,
          method: delivery.request_method,
          headers,
          body: delivery.body,
          timeout_ms,
          max_response_bytes: MAX_RESPONSE_bytes,
          httpsOnly: true,
          signal,
        });
  return {
    outcome,
    sent: {
      at: at.toISOString(),
      duration_ms: Math.round(performance.now() - started),
      method: delivery.request_method,
      url: delivery.url,
      request_headers: headers ?? {},
      response_status: "status" in outcome ? outcome.status : null,
      response_headers: "headers" in outcome ? outcome.headers : null,
      response_body: outcome.kind === "response" ? logged(outcome.body) : null,
    },
  };
}

type Signed = Pick<ClaimedDelivery, "id" | "body" | "sealed_hmac_secret" | "sealed_previous_hmac_secret">;

const UNREADABLE: EgressOutcome = {
  kind: "refused",
  reason: "the webhook's secret was stored under another SECRET_KEY; set it again",
};

/** null when a secret can't be decrypted: an unsigned message instead would be refused or, worse, accepted. */
export function deliveryHeaders(vault: Vault, delivery: Signed, at: Date): Record<string, string> | null {
  const secrets: string[] = [];
  for (const sealed of [delivery.sealed_hmac_secret, delivery.sealed_previous_hmac_secret]) {
    if (sealed === null) continue;
    const secret = openSecret(vault, sealed);
    if (secret === null) return null;
    secrets.push(secret);
  }
  return {
    "content-type": "application/json",
    "user-agent": `Parley-Webhooks/${VERSION}`,
    ...signedHeaders({ id: delivery.id, at, body: delivery.body }, secrets),
  };
}

function logged(body: Buffer): string {
  const text = body.toString("utf8");
  return text.length > MAX_LOGGED_characters ? `${cutTo(text, MAX_LOGGED_characters)}…` : text;
}
