import type { Clock } from "../../base/clock.ts";
import { unreachable } from "../../base/errors.ts";
import {
  type CarrierAccount,
  CarrierFault,
  type CarrierMail,
  type OutgoingMail,
} from "../../channels/carrier.ts";
import type { Egress, EgressOutcome } from "../../egress/egress.ts";
import { hideSecrets } from "../../egress/hide-secrets.ts";
import { extraHeaders } from "../smtp/smtp-mail.ts";

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_bytes = 64 * 1024;

/** What a mail's events carry of it (custom arguments come back as fields of each event). */
export const KEY_ARGUMENT = "parley_key";

type SendGridAccount = { api_key: string; base_url: string };

/** Sends by SendGrid's API, v3 (https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send). */
export const sendgridMail = (
  egress: Egress,
  clock: Clock,
  accountOf: (account: CarrierAccount) => SendGridAccount,
  timeout_ms = TIMEOUT_MS,
): CarrierMail => ({
  async check(account) {
    const { api_key, base_url } = accountOf(account);
    const outcome = await egress.send({
      url: `${base_url}/v3/scopes`,
      method: "GET",
      headers: { authorization: `Bearer ${api_key}` },
      timeout_ms,
      max_response_bytes: MAX_ANSWER_bytes,
      httpsOnly: true,
    });
    if (outcome.kind !== "response" || outcome.status !== 200) throw faultOf(outcome, api_key, clock.now());
    if (!/"mail\.send"/.test(outcome.body.toString()))
      throw new CarrierFault("The key is good, but lacks the permission mail.send.", "not-sent");
    return "The key is good and may send mail.";
  },

  async send(account, mail, handingOver) {
    const { api_key, base_url } = accountOf(account);
    const body = JSON.stringify(mailBody(mail));
    await handingOver();
    const outcome = await egress.send({
      url: `${base_url}/v3/mail/send`,
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body,
      timeout_ms,
      max_response_bytes: MAX_ANSWER_bytes,
      httpsOnly: true,
    });
    if (outcome.kind === "response" && outcome.status === 202) {
      return { sid: outcome.headers["x-message-id"] ?? mail.key, status: "PROCESSED" };
    }
    throw faultOf(outcome, api_key, clock.now());
  },
});

/** Pure: what is posted. An empty part is refused there, so a mail without words is a space. */
export function mailBody(mail: OutgoingMail) {
  const domain = mail.from.address.split("@")[1] ?? "localhost";
  const thread = {
    "Message-ID": `<${mail.key}@${domain}>`,
    ...(mail.in_reply_to !== null && { "In-Reply-To": `<${mail.in_reply_to}>` }),
    ...(mail.references.length > 0 && { References: mail.references.map((id) => `<${id}>`).join(" ") }),
  };
  return {
    personalizations: [{ to: [{ email: mail.to }] }],
    from: { email: mail.from.address, ...(mail.from.name !== null && { name: mail.from.name }) },
    ...(mail.reply_to !== null && { reply_to: { email: mail.reply_to } }),
    subject: mail.subject,
    content: [
      { type: "text/plain", value: mail.text || " " },
      ...(mail.html !== null ? [{ type: "text/html", value: mail.html }] : []),
    ],
    headers: { ...thread, ...extraHeaders(mail) },
    custom_args: { [KEY_ARGUMENT]: mail.key },
    // The link and the list are ours.
    tracking_settings: { subscription_tracking: { enable: false } },
  };
}

function faultOf(outcome: EgressOutcome, api_key: string, now: Date): CarrierFault {
  switch (outcome.kind) {
    case "response":
      return faultOfAnswer(
        outcome.status,
        outcome.headers,
        hideSecrets(errorsIn(outcome.body.toString()), [api_key]),
        now,
      );
    case "redirect":
      return new CarrierFault("SendGrid redirected the mail; base_url may be wrong.", "not-sent");
    case "refused":
      return new CarrierFault(`SendGrid can't be reached: ${outcome.reason}`, "not-sent");
    case "timeout":
      return new CarrierFault(`SendGrid did not answer within ${outcome.after_ms} ms.`, "unknown");
    case "failed":
      return new CarrierFault(`SendGrid: ${outcome.reason}.`, outcome.nothing_sent ? "not-sent" : "unknown");
    default:
      return unreachable(outcome);
  }
}

/** https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/responses */
function faultOfAnswer(
  http: number,
  headers: Record<string, string>,
  words: string,
  now: Date,
): CarrierFault {
  const message = `SendGrid answered ${http}: ${words.slice(0, 500)}`;
  // Some yes, but not the one that says it has the mail.
  if (http < 400) return new CarrierFault(message, "unknown");
  if (http === 401 || http === 403)
    return new CarrierFault(message, "not-sent", { retry_after_s: 300, ours: "source" });
  if (http === 429) {
    const reset_s = Number(headers["x-ratelimit-reset"]) - now.getTime() / 1000;
    return new CarrierFault(message, "not-sent", {
      retry_after_s: reset_s > 0 && reset_s < 3600 ? reset_s : 60,
    });
  }
  if (http >= 500) return new CarrierFault(message, "unknown");
  return new CarrierFault(message, "refused", { status: "DROPPED" });
}

function errorsIn(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors?: { message?: unknown; field?: unknown }[] };
    const words = (errors ?? []).map(({ message, field }) => `${message}${field ? ` (${field})` : ""}`);
    return words.join("; ") || "no reason given";
  } catch {
    return "no reason given";
  }
}
