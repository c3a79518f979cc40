import { z } from "zod";
import { CarrierFault, type CarrierTexts, type OutgoingText, type Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { oursOf, SLACK_MS } from "../twilio/twilio-alike.ts";
import type { TelnyxApi } from "./telnyx-api.ts";
import { telnyxTextFailure } from "./telnyx-fault.ts";

/** https://developers.telnyx.com/api-reference/messages/send-a-message */
const Message = z.object({
  data: z.object({
    id: z.string().min(1),
    to: z.array(z.object({ status: z.string().nullish() })).nullish(),
    errors: z.array(z.object({ code: z.union([z.string(), z.number()]).nullish() })).nullish(),
  }),
});

/** https://developers.telnyx.com/api-reference/detail-records/search-detail-records */
const Records = z.object({
  data: z.array(
    z.object({
      uuid: z.string().min(1),
      cli: z.string().nullish(),
      status: z.string().nullish(),
      created_at: z.string().nullish(),
      delivery_status_webhook_url: z.string().nullish(),
    }),
  ),
});

/** Telnyx's words of a text, as its page of webhooks has them. */
const STATUSES: Readonly<Record<string, ChannelStatus>> = {
  queued: "QUEUED",
  sending: "SENDING",
  sent: "SENT",
  delivered: "DELIVERED",
  sending_failed: "DELIVERY_FAILED",
  delivery_failed: "UNDELIVERED",
  // It waited for its telephone, or in the queue, for longer than it is valid.
  expired: "UNDELIVERED",
  delivery_unconfirmed: "DELIVERY_UNKNOWN",
};
export const telnyxTextStatus = (word: string): ChannelStatus => STATUSES[word] ?? "DELIVERY_UNKNOWN";

/** `statusUrl`: where Telnyx tells what became of the text of this key. */
export function telnyxTexts(
  api: TelnyxApi,
  statusUrl: (channel_id: number, key: string) => string,
): CarrierTexts {
  return {
    async send(account, { key, medium, from, to, text }) {
      if (medium !== "sms") throw noSuchMedium(medium);
      const webhook_url = statusUrl(account.channel_id, key);
      const body = { from, to, text, webhook_url, use_profile_webhooks: false };
      const { data } = await api.post(account, { path: "/messages", body, answer: Message });
      return taken({ data });
    },

    /**
     * A record shows the address that its statuses go to, and that has our key. Records without one are found by sender,
     * recipient and when they were made.
     */
    async find(account, { key, from, to }, since, others) {
      const filter = `filter[record_type]=messaging&filter[direction]=outbound&filter[cld]=${encodeURIComponent(to)}`;
      const { data } = await api.get(account, {
        path: `/detail_records?${filter}&sort=-created_at&page[size]=50`,
        answer: Records,
      });
      const url = statusUrl(account.channel_id, key);
      const since_ms = since.getTime() - SLACK_MS;
      const recent = data.filter(({ created_at }) => Date.parse(created_at ?? "") >= since_ms);
      const exact = recent.find((record) => record.delivery_status_webhook_url === url);
      const alike = recent
        .filter((record) => !record.delivery_status_webhook_url && record.cli === from)
        .map((record) => ({ ...record, sid: record.uuid, date_created: record.created_at }));
      const found = exact ?? (await oursOf(alike, since, others));
      return found && { sid: found.uuid, status: telnyxTextStatus(found.status ?? "queued") };
    },

    /** https://developers.telnyx.com/api-reference/messages/retrieve-a-message */
    async look(account, sid) {
      return taken(await api.get(account, { path: `/messages/${encodeURIComponent(sid)}`, answer: Message }));
    },
  };
}

function taken({ data: { id, to, errors } }: z.infer<typeof Message>): Taken {
  const status = telnyxTextStatus(to?.[0]?.status ?? "queued");
  const code = errors?.[0]?.code;
  return { sid: id, status, ...(code != null && { failure: telnyxTextFailure(status, String(code)) }) };
}

const noSuchMedium = (medium: OutgoingText["medium"]) =>
  new CarrierFault(`Telnyx sends no texts by ${medium} for us.`, "refused", {
    status: "UNEXPECTED_ERROR",
    ours: "source",
  });
