import { z } from "zod";
import { storableText } from "../../base/storable.ts";
import { normaliseEmail } from "../../channels/address.ts";
import type { CarrierSignal } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { DROP_REASONS, MAIL_SIGNALS } from "../../channels/status-signals.ts";
import type { SuppressionReason } from "../../consent/suppression.ts";
import { refusalIsAbout } from "../mail-refusal.ts";
import { KEY_ARGUMENT } from "./sendgrid-mail.ts";

/** A signal about a mail, and whom it is about. */
export type MailSignal = CarrierSignal & {
  address: string | null;
  /** The carrier's reason in words. */
  reason: string | null;
};

/** One event (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event); fields beyond these are not ours. */
const Event = z.object({
  event: z.string().max(60),
  email: z.string().max(320).catch(""),
  timestamp: z.coerce.number().catch(0),
  sg_message_id: z.string().max(200).catch(""),
  [KEY_ARGUMENT]: z.string().max(200).nullish().catch(null),
  type: z.string().max(60).nullish().catch(null),
  reason: z.string().max(2000).nullish().catch(null),
  status: z.string().max(60).nullish().catch(null),
});

const MOST_EVENTS = 10_000;

/** Events that say nothing of a mail's way (`group_resubscribe`, later inventions) are left out. */
export function readEvents(body: unknown, now: Date): MailSignal[] {
  if (!Array.isArray(body)) return [];
  return body.slice(0, MOST_EVENTS).flatMap((given) => {
    const read = Event.safeParse(given);
    const signal = read.success ? signalOf(read.data, now) : null;
    return signal ? [signal] : [];
  });
}

function signalOf(event: z.infer<typeof Event>, now: Date): MailSignal | null {
  const word = event.event === "group_unsubscribe" ? "unsubscribe" : event.event;
  const isBlock = word === "bounce" && event.type === "blocked";
  const known = MAIL_SIGNALS[isBlock ? "blocked" : word];
  if (!known) return null;
  const reason = event.reason ? storableText(event.reason) : null;
  const seconds = event.timestamp > 0 && event.timestamp < 1e11 ? event.timestamp : now.getTime() / 1000;
  return {
    key: event[KEY_ARGUMENT] ? storableText(event[KEY_ARGUMENT]) : null,
    // Behind the first dot stands what tells one delivery of it from another.
    sid: storableText(event.sg_message_id.split(".")[0] ?? ""),
    status: statusOf(known, reason),
    word: isBlock ? "blocked" : event.event,
    error_code: event.status ? storableText(event.status) : null,
    is_transient: transience(event),
    at: new Date(seconds * 1000),
    address: normaliseEmail(event.email),
    reason,
  };
}

const statusOf = (known: ChannelStatus, reason: string | null): ChannelStatus =>
  known === "DROPPED" ? (DROP_REASONS[(reason ?? "").toLowerCase()] ?? "DROPPED") : known;

/** A block is of the moment, a bounce of the address for good. */
function transience({ event, type, status, reason }: z.infer<typeof Event>): boolean | null {
  const said = `${status ?? ""} ${reason ?? ""}`;
  if (event === "bounce") return type === "blocked" || refusalIsAbout(said, true) !== "address";
  return event === "dropped" ? false : null;
}

/** What a signal says about ever writing to the address again; null: nothing. */
export function suppressionOf({ status, is_transient }: MailSignal): SuppressionReason | null {
  switch (status) {
    case "UNSUBSCRIBED":
    case "PRIOR_UNSUBSCRIBED":
      return "unsubscribed";
    case "SPAM_REPORT":
    case "PRIOR_SPAM_REPORT":
      return "spam-report";
    case "BOUNCED":
      return is_transient === true ? null : "bounced";
    case "PRIOR_BOUNCED":
      return "bounced";
    case "PRIOR_DROPPED":
      return "dropped";
    default:
      return null;
  }
}
