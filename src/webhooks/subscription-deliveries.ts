import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { requireEvents, SUBSCRIPTIONS, WebhookEventName } from "./subscription.ts";
import { inState, NEXT_TRY_AT, readTries } from "./webhook-delivery.ts";
import { DeliveryState, WebhookTry } from "./webhook-delivery-schema.ts";
import { replayMatching } from "./webhook-replay.ts";

export const WebhookEventDelivery = z
  .object({
    id: z.string().describe("Sent as the header webhook-id, the same on every attempt"),
    webhook_id: z.int(),
    event: WebhookEventName,
    session_id: z.string().nullable(),
    is_test: z.boolean(),
    state: DeliveryState,
    reason: z.string().nullable().describe("Why it is not delivered, or not yet delivered"),
    tries: z.int(),
    next_try_at: timestamp().nullable(),
    created_at: timestamp(),
    ended_at: timestamp().nullable(),
  })
  .meta({ id: "WebhookEventDelivery" });
type WebhookEventDelivery = z.infer<typeof WebhookEventDelivery>;

const WebhookEventDeliveryDetails = WebhookEventDelivery.extend({
  body: z.string().describe("The exact text that is sent"),
  attempts: z.array(WebhookTry).describe("Oldest first"),
}).meta({ id: "WebhookEventDeliveryDetails" });

const deliveryList = {
  fields: {
    id: list.exact("d.id"),
    webhook_id: list.integer("d.webhook_id"),
    event: list.read(list.exact("d.event")),
    session_id: list.integer("d.session_id"),
    state: inState,
    is_test: list.read(list.boolean("d.is_test")),
    created_at: list.time("d.created_at"),
  },
  time: "d.created_at",
  order: [
    { column: "d.created_at", direction: "desc" },
    { column: "d.key", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
} satisfies list.ListRules;

/** Indexes: webhook_deliveries_events, _webhook, _stuck, _session. */
const selectDeliveries = (db: Db, caller: Caller) =>
  db
    .selectFrom("webhook_deliveries as d")
    .leftJoin("webhook_outbox as o", "o.delivery_key", "d.key")
    .where("d.sub_organization_id", "=", caller.sub_organization_id)
    .where("d.event", "is not", null)
    .select([
      "d.id",
      "d.webhook_id",
      "d.event",
      sql<string | null>`d.session_id::text`.as("session_id"),
      "d.is_test",
    ])
    .select(["d.state", "d.reason", "d.tries", NEXT_TRY_AT, "d.created_at", "d.ended_at"])
    .$castTo<WebhookEventDelivery>();

export async function findEventDelivery(db: Db, caller: Caller, id: string): Promise<WebhookEventDelivery> {
  const found = await selectDeliveries(db, caller).where("d.id", "=", id).executeTakeFirst();
  if (!found) throw notFound("Delivery", id);
  return found;
}

/** The log of what was sent to subscriptions; kept 30 days (`delivery-purge.ts`). */
export function subscriptionDeliveryRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = `${SUBSCRIPTIONS}/deliveries`;
  const tag = "webhooks";
  const params = z.object({ delivery_id: z.string() });

  api.get(
    path,
    {
      summary: "List deliveries of events",
      description: `Newest first, of the last 30 days. ${list.LONG}`,
      tag,
      permission: "webhooks_read",
      query: list.listQuery(deliveryList),
      response: list.listOf(WebhookEventDelivery),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectDeliveries(db, caller), query, deliveryList);
      return list.onlyFields(page, query.fields, WebhookEventDelivery);
    },
  );

  api.get(
    `${path}/:delivery_id`,
    {
      summary: "Get a delivery of an event with every attempt",
      tag,
      permission: "webhooks_read",
      params,
      response: WebhookEventDeliveryDetails,
    },
    async ({ caller, params }) => {
      const delivery = await findEventDelivery(db, caller, params.delivery_id);
      requireEvents(caller, [delivery.event]);
      return { ...delivery, ...(await readTries(db, delivery.id)) };
    },
  );

  api.post(
    `${path}/:delivery_id/resend`,
    {
      summary: "Resend a delivery of an event",
      description: "At once, under its own webhook-id, with the whole schedule of retries before it.",
      tag,
      permission: "webhooks_write",
      params,
      response: WebhookEventDelivery,
    },
    ({ caller, params }) =>
      db.transaction().execute(async (tx) => {
        const { id, webhook_id } = await findEventDelivery(tx, caller, params.delivery_id);
        const webhook = await tx
          .selectFrom("campaign_webhooks")
          .select("disabled_at")
          .where("id", "=", webhook_id)
          .executeTakeFirst();
        if (!webhook) throw new Fault("refused", "The webhook of this delivery was deleted.");
        if (webhook.disabled_at)
          throw new Fault("refused", "The webhook is disabled. Enable it, then resend.");
        await replayMatching(tx, clock.now(), [
          sql`delivery.sub_organization_id = ${caller.sub_organization_id}`,
          sql`delivery.event is not null and delivery.id = ${id}`,
        ]);
        await api.audit(tx, caller, { action: "resend", resource: "webhook_deliveries", resource_id: id });
        return findEventDelivery(tx, caller, id);
      }),
  );
}
