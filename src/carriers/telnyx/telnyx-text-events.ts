import { z } from "zod";
import { cutTo, storableText } from "../../base/storable.ts";
import type { CarrierSignal } from "../../channels/carrier.ts";
import type { IncomingText } from "../twilio/twilio-callback.ts";
import { telnyxTextFailure } from "./telnyx-fault.ts";
import { telnyxTextStatus } from "./telnyx-texts.ts";

/*
 * What Telnyx posts to us of texts (https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks and
 * https://developers.telnyx.com/api-reference/callbacks/inbound-message). Pure.
 */

const text = (most: number) => z.string().max(most).transform(storableText);
const Party = z.object({ phone_number: text(100), status: text(60).nullish() });

const TextEvent = z.object({
  data: z.object({
    event_type: z.string(),
    occurred_at: z.string().nullish(),
    payload: z.object({
      id: text(200).refine((id) => id !== ""),
      from: Party.nullish(),
      to: z.array(Party).min(1),
      text: text(20_000).nullish(),
      media: z.array(z.object({ url: text(2_000), content_type: text(200).nullish() })).nullish(),
      errors: z.array(z.object({ code: z.union([z.string(), z.number()]).nullish() })).nullish(),
    }),
  }),
});

const MOST_MEDIA = 10;

export type TelnyxTextEvent =
  | { type: "received"; text: IncomingText }
  | { type: "status"; signal: Omit<CarrierSignal, "key"> };

/** null: nothing that concerns a text. */
export function readTelnyxTextEvent(given: unknown, now: Date): TelnyxTextEvent | null {
  const read = TextEvent.safeParse(given);
  if (!read.success) return null;
  const { event_type, occurred_at, payload } = read.data.data;
  const [to] = payload.to;
  switch (event_type) {
    case "message.received":
      return to && payload.from?.phone_number && to.phone_number
        ? {
            type: "received",
            text: {
              sid: payload.id,
              medium: "sms",
              from: payload.from.phone_number,
              to: to.phone_number,
              text: payload.text ?? "",
              media: (payload.media ?? [])
                .slice(0, MOST_MEDIA)
                .map(({ url, content_type }) => ({ url, type: content_type ?? "" })),
              // What Telnyx answers an opt-out word with by itself, its event does not say.
              answered_as: null,
            },
          }
        : null;
    case "message.sent":
    case "message.finalized": {
      const word = to?.status ?? "";
      const code = payload.errors?.[0]?.code;
      const at = Date.parse(occurred_at ?? "");
      const status = telnyxTextStatus(word);
      return {
        type: "status",
        signal: {
          sid: payload.id,
          status,
          word,
          ...telnyxTextFailure(status, code == null ? null : cutTo(storableText(String(code)), 60)),
          at: Number.isNaN(at) ? now : new Date(at),
        },
      };
    }
    default:
      return null;
  }
}
