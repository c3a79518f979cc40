import { z } from "zod";
import { integer, timestamp } from "../api/schema.ts";

/** Limited to characters that are safe in paths. */
const inboxName = () =>
  z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/)
    .describe("Lower-case letters, digits and hyphens");
export const inboxParams = z.object({ name: inboxName() });

const settings = {
  auth_values: z
    .strictObject({ hmac_secret: z.string().nullable().optional() })
    .nullish()
    .describe(
      "The secret of the webhooks that send here, to tell whether their signatures are valid. Write-only; null keeps the stored one, an omitted key removes it.",
    ),
  fail_next: integer({ min: 0, max: 1_000 })
    .default(0)
    .describe("This many of the next messages are answered with fail_status, to test retries."),
  fail_status: integer({ min: 300, max: 599 }).default(503),
};
export const WebhookInboxInput = z
  .object({ name: inboxName(), ...settings })
  .meta({ id: "WebhookInboxCreate" });
export const WebhookInboxUpdate = z.object(settings).meta({ id: "WebhookInboxUpdate" });
export type InboxSettings = z.output<typeof WebhookInboxUpdate>;

export const WebhookInbox = z
  .object({
    name: z.string(),
    url: z.string().describe("For webhooks of campaigns of this installation; never leaves the machine"),
    public_url: z.string().describe("For other senders, where PUBLIC_URL leads here"),
    auth_value_keys: z.array(z.string()).nullish(),
    fail_next: z.int(),
    fail_status: z.int(),
    message_count: z.int(),
    created_at: timestamp(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "WebhookInbox" });
export type WebhookInbox = z.output<typeof WebhookInbox>;

export const WebhookInboxMessage = z
  .object({
    id: z.int(),
    received_at: timestamp(),
    method: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    message_id: z.string().nullish().describe("Its webhook-id"),
    signature: z
      .enum(["VALID", "INVALID", "UNSIGNED"])
      .nullish()
      .describe("null where the inbox knows no secret"),
    answered_status: z.int(),
  })
  .meta({ id: "WebhookInboxMessage" });
