import { z } from "zod";
import type { CarrierTexts, OutgoingText, Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { MESSAGE_SIGNALS } from "../../channels/status-signals.ts";
import { oursOf } from "./twilio-alike.ts";
import { accountPath, type TwilioApi, type TwilioFields } from "./twilio-api.ts";
import { textFailure } from "./twilio-fault.ts";
import type { TwilioUrls } from "./twilio-urls.ts";

/** https://www.twilio.com/docs/messaging/api/message-resource */
const MessageResource = z.object({
  sid: z.string().min(1),
  status: z.string(),
  body: z.string().nullish(),
  error_code: z.union([z.int(), z.string()]).nullish(),
  /** RFC 2822, to the second. */
  date_created: z.string().nullish(),
});

export function twilioTexts(api: TwilioApi, urls: (channel_id: number) => TwilioUrls): CarrierTexts {
  return {
    async send(account, text) {
      const fields = messageForm(text, urls(account.channel_id));
      const path = `${accountPath(account)}/Messages.json`;
      return taken(await api.post(account, { path, fields, answer: MessageResource }));
    },

    /**
     * Twilio shows nothing of ours with a message: it is found by sender, recipient, words and when it was made (`oursOf`).
     * Of a template Twilio shows the words that it made of it, which we don't know.
     */
    async find(account, text, since, others) {
      const { messages } = await api.get(account, {
        path: `${accountPath(account)}/Messages.json`,
        fields: { To: address(text.medium, text.to), From: address(text.medium, text.from), PageSize: 50 },
        answer: z.object({ messages: z.array(MessageResource) }),
      });
      const alike = messages.filter((message) => text.template !== null || message.body === text.text);
      const found = await oursOf(alike, since, others);
      return found && taken(found);
    },

    async look(account, sid) {
      const path = `${accountPath(account)}/Messages/${sid}.json`;
      return taken(await api.get(account, { path, answer: MessageResource }));
    },
  };
}

function taken({ sid, status: word, error_code }: z.infer<typeof MessageResource>): Taken {
  const status = messageStatus(word);
  return { sid, status, ...(error_code && { failure: textFailure(status, String(error_code)) }) };
}

const messageStatus = (word: string): ChannelStatus => MESSAGE_SIGNALS[word] ?? "DELIVERY_UNKNOWN";

/** WhatsApp addresses are numbers behind a prefix. */
const WHATSAPP = "whatsapp:";

const address = (medium: OutgoingText["medium"], number: string): string =>
  medium === "whatsapp" ? `${WHATSAPP}${number}` : number;

/** The number and the medium of an address as Twilio writes it. */
export const numberOf = (written: string): { medium: OutgoingText["medium"]; number: string } =>
  written.startsWith(WHATSAPP)
    ? { medium: "whatsapp", number: written.slice(WHATSAPP.length) }
    : { medium: "sms", number: written };

/** Pure: the form that sends a text. */
export function messageForm(
  { key, medium, from, to, text, template }: OutgoingText,
  urls: TwilioUrls,
): TwilioFields {
  const words: TwilioFields = template
    ? { ContentSid: template.sid, ContentVariables: JSON.stringify(template.variables) }
    : { Body: text };
  return {
    From: address(medium, from),
    To: address(medium, to),
    ...words,
    StatusCallback: urls.messageStatus(key),
  };
}
