import { z } from "zod";
import { timestamp } from "../api/schema.ts";
import { ChannelManagerStatus } from "../channels/channel-status.ts";

/**
 * WAITING for its first or next try; DELIVERED: a try was accepted; FAILED: no more will be made; HELD: its webhook is
 * disabled; CANCELED: its webhook is gone.
 */
const DELIVERY_STATES = ["WAITING", "DELIVERED", "FAILED", "HELD", "CANCELED"] as const;
export const DeliveryState = z.enum(DELIVERY_STATES).meta({ id: "WebhookDeliveryState" });

export const WebhookDelivery = z
  .object({
    id: z.string().describe("Sent as the header webhook-id, the same on every attempt"),
    campaign_id: z.int(),
    webhook_id: z.int(),
    batch_id: z.string().nullish(),
    request_id: z.int().nullish(),
    reference_id: z.string().nullish(),
    attempt_count: z.int(),
    channel_manager_status: ChannelManagerStatus,
    is_test: z.boolean(),
    state: DeliveryState,
    reason: z.string().nullish().describe("Why it is not delivered, or not yet delivered"),
    tries: z.int(),
    next_try_at: timestamp().nullish(),
    created_at: timestamp(),
    ended_at: timestamp().nullish(),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

export const WebhookTry = z
  .object({
    at: timestamp(),
    duration_ms: z.int(),
    request: z.object({ method: z.string(), url: z.string(), headers: z.record(z.string(), z.string()) }),
    response: z
      .object({
        status: z.int(),
        headers: z.record(z.string(), z.string()).nullish(),
        body: z.string().nullish().describe("The first 4,096 characters"),
      })
      .nullish()
      .describe("null where nothing was answered"),
    failure: z.string().nullish().describe("null where it was accepted"),
  })
  .meta({ id: "WebhookTry" });

export const WebhookDeliveryDetails = WebhookDelivery.extend({
  body: z.string().describe("The exact text that is sent"),
  attempts: z.array(WebhookTry).describe("Oldest first"),
}).meta({ id: "WebhookDeliveryDetails" });
export type WebhookDeliveryDetails = z.output<typeof WebhookDeliveryDetails>;
