import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { ChannelManagerStatus } from "../channels/channel-status.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { findDelivery } from "./webhook-delivery.ts";
import { WebhookDelivery } from "./webhook-delivery-schema.ts";
import { ofWebhook, replayMatching } from "./webhook-replay.ts";
import { insertTestDelivery } from "./webhook-test.ts";

/** The longest backlog that is counted exactly. */
const WAITING_COUNTED = 1_000;

const WebhookState = z
  .object({
    id: z.int(),
    campaign_id: z.int(),
    campaign_name: z.string(),
    url: z.string(),
    request_method: z.string(),
    trigger_statuses: z.array(ChannelManagerStatus),
    auth_value_keys: z.array(z.string()).nullish(),
    overlap_until: timestamp().nullish().describe("Until then a replaced secret signs too"),
    disabled_at: timestamp().nullish(),
    disabled_reason: z.string().nullish(),
    failing_since: timestamp().nullish().describe("Nothing was accepted since"),
    failed_tries: z.int().describe("In a row"),
    waiting: z.int().describe(`Deliveries in the outbox; ${WAITING_COUNTED} for that many or more`),
  })
  .meta({ id: "WebhookState" });
type WebhookState = z.output<typeof WebhookState>;

const webhookList: list.ListRules = {
  fields: {
    id: list.integer("w.id"),
    campaign_id: list.integer("w.campaign_id"),
    campaign_name: list.text("w.campaign_name"),
    url: list.text("w.url"),
    is_disabled: list.flag((value) => sql`(w.disabled_at is not null) = ${value}::boolean`),
    disabled_at: list.time("w.disabled_at"),
    failing_since: list.time("w.failing_since"),
  },
  time: "w.updated_at",
  order: [{ column: "w.id", direction: "asc" }],
};

const selectWebhooks = (db: Db, caller: Caller, now: Date) =>
  db
    .selectFrom(
      sql<WebhookState>`(
        select webhook.id, webhook.campaign_id, campaign.campaign_name, webhook.url, webhook.request_method,
          webhook.trigger_statuses, webhook.updated_at,
          case when webhook.sealed_hmac_secret is not null then json_build_array('hmac_secret') end as auth_value_keys,
          case when webhook.overlap_until > ${now.toISOString()}::timestamptz
            then webhook.overlap_until end as overlap_until,
          webhook.disabled_at, webhook.disabled_reason, webhook.failing_since, webhook.failed_tries, (
            select count(*) from (
              select from webhook_outbox outbox where outbox.webhook_id = webhook.id
              limit ${WAITING_COUNTED}::bigint
            ) as counted
          ) as waiting
        from campaign_webhooks webhook join campaigns campaign on campaign.id = webhook.campaign_id
        where campaign.sub_organization_id = ${caller.sub_organization_id} and campaign.deleted_at is null
      )`.as<"w">("w"),
    )
    .select([
      "w.id",
      "w.campaign_id",
      "w.campaign_name",
      "w.url",
      "w.request_method",
      "w.trigger_statuses",
      "w.auth_value_keys",
      "w.overlap_until",
      "w.disabled_at",
      "w.disabled_reason",
      "w.failing_since",
      "w.failed_tries",
      "w.waiting",
    ]);

async function findWebhook(db: Db, caller: Caller, id: number, now: Date): Promise<WebhookState> {
  const found = await selectWebhooks(db, caller, now).where("w.id", "=", id).executeTakeFirst();
  if (!found) throw notFound("Webhook", id);
  return found;
}

type Deps = { db: Db; clock: Clock };

/** The health of each webhook, and the operations to enable or disable it. */
export function webhookStateRoutes(api: Api, { db, clock }: Deps): void {
  const path = "/api/v1/outbound/webhooks";
  const one = `${path}/:webhook_id`;
  const tag = "outbound";
  const params = z.object({ webhook_id: recordId() });

  api.get(
    path,
    {
      summary: "List the webhooks of all campaigns",
      description:
        "With each one's state: whether and why it is disabled, and since when nothing was accepted.",
      tag,
      permission: "outbound_read",
      query: list.listQuery(webhookList),
      response: list.listOf(WebhookState),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectWebhooks(db, caller, clock.now()), query, webhookList);
      return list.onlyFields(page, query.fields, WebhookState);
    },
  );

  api.post(
    `${one}/enable`,
    {
      summary: "Enable a webhook again",
      description:
        "New events are delivered again. Held deliveries are sent, too, where `send_held` says so, 10,000 deliveries at most; otherwise it can be replayed.",
      tag,
      permission: "outbound_write",
      params,
      body: z.object({ send_held: z.boolean().default(false) }).meta({ id: "WebhookEnabling" }),
      response: WebhookState,
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const { now, before } = await lockWebhook(tx, caller, params.webhook_id);
        await setDisabled(tx, before.id, null);
        if (body.send_held) {
          await replayMatching(tx, now, [...ofWebhook(before.id), sql`delivery.state = 'HELD'`]);
        }
        return record(tx, caller, now, "enable", before);
      }),
  );

  api.post(
    `${one}/disable`,
    {
      summary: "Disable a webhook",
      description: "Nothing is sent until it is enabled again; its deliveries are held.",
      tag,
      permission: "outbound_write",
      params,
      response: WebhookState,
    },
    ({ caller, params }) =>
      db.transaction().execute(async (tx) => {
        const { now, before } = await lockWebhook(tx, caller, params.webhook_id);
        if (before.disabled_at) return record(tx, caller, now, "disable", before);
        await setDisabled(tx, before.id, { at: now, reason: `Disabled by ${caller.email}.` });
        return record(tx, caller, now, "disable", before);
      }),
  );

  api.post(
    `${one}/test`,
    {
      summary: "Send a test to a webhook",
      description:
        "A made-up change to any of the 40 statuses, marked `is_test`, whether it is one of the webhook's own or not; sent, signed, logged and tried again as any other.",
      tag,
      permission: "outbound_write",
      params,
      body: z.object({ status: ChannelManagerStatus }).meta({ id: "WebhookTest" }),
      response: WebhookDelivery,
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const { now, before } = await lockWebhook(tx, caller, params.webhook_id);
        if (before.disabled_at) {
          throw new Fault(
            "refused",
            `Webhook ${before.id} is disabled: ${before.disabled_reason} Enable it first.`,
          );
        }
        const id = await insertTestDelivery(tx, caller, before, body.status, now);
        await api.audit(tx, caller, {
          action: "test",
          resource: "webhooks",
          resource_id: before.id,
          after: { status: body.status, delivery_id: id },
        });
        return findDelivery(tx, caller, id);
      }),
  );

  /** Its row locked until the transaction ends. */
  async function lockWebhook(tx: Tx, caller: Caller, id: number) {
    await findWebhook(tx, caller, id, clock.now());
    await tx.selectFrom("campaign_webhooks").select("id").where("id", "=", id).forUpdate().execute();
    const now = clock.now();
    return { now, before: await findWebhook(tx, caller, id, now) };
  }

  const setDisabled = (tx: Tx, id: number, disabled: { at: Date; reason: string } | null) =>
    tx
      .updateTable("campaign_webhooks")
      .set({
        disabled_at: disabled?.at.toISOString() ?? null,
        disabled_reason: disabled?.reason ?? null,
        failing_since: null,
        failed_tries: 0,
      })
      .where("id", "=", id)
      .execute();

  async function record(tx: Tx, caller: Caller, at: Date, action: keyof typeof DONE, before: WebhookState) {
    const { id, campaign_id, url } = before;
    const after = await findWebhook(tx, caller, id, at);
    await api.audit(tx, caller, { action, resource: "webhooks", resource_id: id, before, after });
    await publish(tx, caller.sub_organization_id, [
      {
        at,
        source: "outbound",
        source_id: campaign_id,
        category: "outbound",
        type: `webhook-${DONE[action]}`,
        description: `Webhook ${id} of campaign ${campaign_id} was ${DONE[action]} by ${caller.email}`,
        attributes: { webhook_id: id, campaign_id, url },
      },
    ]);
    return after;
  }
}

const DONE = { enable: "enabled", disable: "disabled" } as const;
