import { sql } from "kysely";
import { z } from "zod";
import type { SendMail, WelcomeMail } from "../accounts/welcome-mail.ts";
import type { Log } from "../base/log.ts";
import { CarrierFault } from "../channels/carrier.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";

/** A webhook that the platform has just disabled. */
export type DisabledWebhook = {
  id: number;
  sub_organization_id: number;
  /** null: an organization's subscription, which has a name. */
  campaign_id: number | null;
  name: string | null;
  url: string;
  disabled_at: string;
  disabled_reason: string;
};

type Notice = { webhook_id: number; disabled_at: string; user_id: number };

/** One job per person, so that a mail that can't be sent delays no other and nobody gets two. */
const mailDisabled: Job<Notice> = {
  name: "mail-webhook-disabled",
  payload: z.object({ webhook_id: z.number(), disabled_at: z.string(), user_id: z.number() }),
  max_attempts: 12,
};

/**
 * Reports a webhook that the platform disabled, in the same transaction: an event, and a mail to everybody who may enable it
 * again. Webhooks disabled by a person are not reported.
 */
export async function tellDisabled(tx: Tx, webhook: DisabledWebhook): Promise<void> {
  const { id, sub_organization_id, campaign_id, name, url, disabled_at, disabled_reason } = webhook;
  await publish(tx, sub_organization_id, [
    {
      at: new Date(disabled_at),
      source: "outbound",
      source_id: campaign_id,
      category: "outbound",
      type: "webhook-disabled",
      description: `${campaign_id === null ? `Webhook ${name}` : `Webhook ${id} of campaign ${campaign_id}`} was disabled: ${disabled_reason}`,
      attributes: { webhook_id: id, campaign_id, url, reason: disabled_reason },
    },
  ]);
  const people = await tx
    .selectFrom("users as u")
    .innerJoin("roles as r", "r.id", "u.role_id")
    .select("u.id")
    .where("u.sub_organization_id", "=", sub_organization_id)
    .where("u.deleted_at", "is", null)
    .where(sql<boolean>`${campaign_id === null ? "webhooks_write" : "outbound_write"} = any (r.permissions)`)
    .execute();
  for (const { id: user_id } of people)
    await enqueue(tx, mailDisabled, { webhook_id: id, disabled_at, user_id });
}

type Deps = { db: Db; log: Log; publicUrl: string; sendMail: SendMail };

/** Without a mail server, only the console shows it. */
export const mailDisabledJob = ({ db, log, publicUrl, sendMail }: Deps): JobHandler =>
  handle(mailDisabled, async (notice) => {
    const told = sendMail && (await readNotice(db, notice));
    if (!told) return;
    try {
      await sendMail(disabledMail(told, notice, publicUrl));
    } catch (error) {
      // Not retried: a refused mail would be refused again, and one of unknown fate may have been sent.
      if (!(error instanceof CarrierFault) || error.fate === "not-sent") throw error;
      log.warn({ err: error, ...notice }, "could not mail that a webhook is disabled");
    }
  });

type Told = {
  email: string;
  first_name: string | null;
  campaign_id: number | null;
  campaign_name: string | null;
  name: string | null;
  url: string;
  disabled_reason: string;
};

/** Undefined when the person is gone, or the webhook was enabled or removed meanwhile. */
async function readNotice(db: Db, { webhook_id, disabled_at, user_id }: Notice): Promise<Told | undefined> {
  return db
    .selectFrom("campaign_webhooks as w")
    .leftJoin("campaigns as c", "c.id", "w.campaign_id")
    .innerJoin("users as u", (join) =>
      join.on(sql`u.sub_organization_id`, "=", sql`coalesce(c.sub_organization_id, w.sub_organization_id)`),
    )
    .select(["u.email", "u.first_name", "w.campaign_id", "c.campaign_name", "w.name", "w.url"])
    .select(sql<string>`w.disabled_reason`.as("disabled_reason"))
    .where("w.id", "=", webhook_id)
    .where("w.disabled_at", "=", disabled_at)
    .where("c.deleted_at", "is", null)
    .where("u.id", "=", user_id)
    .where("u.deleted_at", "is", null)
    .executeTakeFirst();
}

function disabledMail(
  told: Told,
  { webhook_id, disabled_at, user_id }: Notice,
  publicUrl: string,
): WelcomeMail {
  const { email, first_name, campaign_id, campaign_name, name, url, disabled_reason } = told;
  const place =
    campaign_id === null
      ? `the webhook "${name}"`
      : `webhook ${webhook_id} of the campaign "${campaign_name}"`;
  const paragraphs = [
    first_name ? `Hello ${first_name},` : "Hello,",
    // Only the host is shown, because paths and queries of webhooks often hold a secret.
    `Nothing is sent to ${place} (${new URL(url).host}) any more: ${disabled_reason}`,
    "Its deliveries are held for 30 days. When its receiver answers again, enable the webhook and send the held deliveries:",
    campaign_id === null
      ? `${publicUrl}/console/webhooks/${webhook_id}`
      : `${publicUrl}/console/campaigns/${campaign_id}?view=webhooks`,
  ];
  return {
    to: email,
    subject: `${campaign_id === null ? `The webhook "${name}"` : `A webhook of "${campaign_name}"`} was disabled`,
    text: `${paragraphs.join("\n\n")}\n`,
    key: `webhook-${webhook_id}-${Date.parse(disabled_at)}-${user_id}`,
  };
}
