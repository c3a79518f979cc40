import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { deliveryHeaders } from "./delivery-send.ts";
import { WebhookDelivery, WebhookDeliveryDetails } from "./webhook-delivery-schema.ts";

export const DELIVERIES = "/api/v1/outbound/webhook_deliveries";

/** What is stuck is what people look for, and the rest is most of all. Index: webhook_deliveries_stuck. */
export const inState: list.ListField = {
  ...list.exact("d.state"),
  isRead: (value) => value !== "FAILED" && value !== "HELD",
};

/** Found among its campaign's, which an index has. */
const ofBatch = (value: string) => sql<boolean>`
  (d.campaign_id, d.batch_key) in (
    select named.campaign_id, named.key from batches named
    where named.sub_organization_id = d.sub_organization_id and named.batch_id = ${value})`;
/** Tests are of no request. Index: webhook_deliveries_change. */
const ofRequest: list.ListField["match"] = (value) => {
  const filter = list.integer("d.request_id").match(value);
  return "problem" in filter ? filter : sql`(${filter} and not d.is_test)`;
};
/** Index: requests_reference. */
const ofReference = (value: string) => sql<boolean>`
  (not d.is_test and d.request_id in (
    select named.id from batches theirs join requests named on named.batch_key = theirs.key
    where theirs.sub_organization_id = d.sub_organization_id and named.reference_id = ${value}))`;

const deliveryList: list.ListRules = {
  fields: {
    id: list.exact("d.id"),
    campaign_id: list.integer("d.campaign_id"),
    webhook_id: list.integer("d.webhook_id"),
    batch_id: list.custom(ofBatch, sql`b.batch_id`),
    request_id: list.custom(ofRequest, sql`d.request_id`),
    reference_id: list.custom(ofReference, sql`r.reference_id`),
    channel_manager_status: list.read(list.exact("d.channel_manager_status")),
    is_test: list.read(list.boolean("d.is_test")),
    state: inState,
    created_at: list.time("d.created_at"),
  },
  time: "d.created_at",
  order: [
    { column: "d.created_at", direction: "desc" },
    { column: "d.key", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

/** When it is due; null while it is being sent, when `due_at` is the end of the lease. Of `webhook_outbox as o`. */
export const NEXT_TRY_AT = sql<string | null>`case when o.lease_owner is null then o.due_at end`.as(
  "next_try_at",
);

/** Indexes: webhook_deliveries_listed, _campaign, _webhook, _stuck, _change. */
const selectDeliveries = (db: Db, caller: Caller) =>
  db
    .selectFrom("webhook_deliveries as d")
    .leftJoin("batches as b", "b.key", "d.batch_key")
    .leftJoin("requests as r", (join) =>
      join.onRef("r.batch_key", "=", "d.batch_key").onRef("r.id", "=", "d.request_id"),
    )
    .leftJoin("webhook_outbox as o", "o.delivery_key", "d.key")
    .where("d.sub_organization_id", "=", caller.sub_organization_id)
    .where("d.campaign_id", "is not", null)
    .select([
      "d.id",
      "d.campaign_id",
      "d.webhook_id",
      "b.batch_id",
      "d.request_id",
      "r.reference_id",
      "d.attempt_count",
      "d.channel_manager_status",
      "d.is_test",
      "d.state",
      "d.reason",
      "d.tries",
      NEXT_TRY_AT,
      "d.created_at",
      "d.ended_at",
    ])
    .$castTo<WebhookDelivery>();

export async function findDelivery(db: Db, caller: Caller, id: string): Promise<WebhookDelivery> {
  const found = await selectDeliveries(db, caller).where("d.id", "=", id).executeTakeFirst();
  if (!found) throw notFound("Delivery", id);
  return found;
}

type Deps = { db: Db; clock: Clock; vault: Vault };

/** The log of webhook deliveries and their tries; kept 30 days (`delivery-purge.ts`). */
export function webhookDeliveryRoutes(api: Api, { db, clock, vault }: Deps): void {
  const tag = "outbound";
  const params = z.object({ delivery_id: z.string() });

  api.get(
    DELIVERIES,
    {
      summary: "List webhook deliveries",
      description: `Newest first, of the last 30 days. ${list.LONG}`,
      tag,
      permission: "outbound_read",
      query: list.listQuery(deliveryList),
      response: list.listOf(WebhookDelivery),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectDeliveries(db, caller), query, deliveryList);
      return list.onlyFields(page, query.fields, WebhookDelivery);
    },
  );

  api.get(
    `${DELIVERIES}/:delivery_id`,
    {
      summary: "Get a webhook delivery with every attempt",
      description: "Request and response of each attempt with headers, and why an attempt failed.",
      tag,
      permission: "outbound_read",
      params,
      response: WebhookDeliveryDetails,
    },
    async ({ caller, params }): Promise<WebhookDeliveryDetails> => {
      const delivery = await findDelivery(db, caller, params.delivery_id);
      return { ...delivery, ...(await readTries(db, delivery.id)) };
    },
  );

  api.get(
    `${DELIVERIES}/:delivery_id/curl`,
    {
      summary: "Get a webhook delivery as a curl command",
      description:
        "Sends the same bytes to the same URL with curl, signed now: receivers accept it for about five minutes.",
      tag,
      permission: "outbound_write",
      params,
      response: z.object({ command: z.string() }).meta({ id: "WebhookDeliveryCommand" }),
    },
    async ({ caller, params }) => {
      const { id } = await findDelivery(db, caller, params.delivery_id);
      return { command: await curlCommand({ db, clock, vault }, id) };
    },
  );
}

/** What was sent and answered, try by try. */
export async function readTries(
  db: Db,
  id: string,
): Promise<Pick<WebhookDeliveryDetails, "body" | "attempts">> {
  const { key, body } = await db
    .selectFrom("webhook_deliveries")
    .select(["key", "body"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom("webhook_tries")
    .selectAll()
    .where("delivery_key", "=", key)
    .orderBy("id")
    .execute();
  const attempts = rows.map((row) => ({
    at: row.at,
    duration_ms: row.duration_ms,
    request: { method: row.method, url: row.url, headers: row.request_headers as Record<string, string> },
    response:
      row.response_status === null
        ? null
        : {
            status: row.response_status,
            headers: row.response_headers as Record<string, string> | null,
            body: row.response_body,
          },
    failure: row.failure,
  }));
  return { body, attempts };
}

async function curlCommand({ db, clock, vault }: Deps, id: string): Promise<string> {
  const now = clock.now();
  const found = await db
    .selectFrom("webhook_deliveries as d")
    .innerJoin("campaign_webhooks as w", "w.id", "d.webhook_id")
    .select(["d.id", "d.body", "w.url", "w.request_method", "w.sealed_hmac_secret"])
    .select(
      sql<string | null>`case when w.overlap_until > ${now.toISOString()}::timestamptz
        then w.sealed_previous_hmac_secret end`.as("sealed_previous_hmac_secret"),
    )
    .where("d.id", "=", id)
    .executeTakeFirst();
  if (!found) throw new Fault("refused", "The webhook of this delivery was removed from its campaign.");
  const headers = deliveryHeaders(vault, found, now);
  if (headers === null) throw new Fault("refused", "The webhook's secret can't be read. Set it again.");
  return [
    `curl -X ${found.request_method} ${quoted(found.url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(found.body)}`,
  ].join(" \\\n  ");
}

/** Quotes for a POSIX shell: inside single quotes only the next quote is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
