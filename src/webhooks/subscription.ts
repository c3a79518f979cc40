import { sql } from "kysely";
import { z } from "zod";
import { type Caller, requirePermission } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource } from "../api/resource.ts";
import { name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { type InputIssue, InvalidInput, invalid } from "../base/errors.ts";
import { secretProblem } from "../base/webhook-secret.ts";
import { urlProblem } from "../campaigns/check-campaign.ts";
import { NO_SECRETS, type StoredSecrets, secretsAfter } from "../campaigns/webhook-secrets.ts";
import type { Db } from "../db/database.ts";
import type { EgressRules } from "../egress/egress-address.ts";
import { WEBHOOK_EVENTS, type WebhookEvent } from "./event-delivery.ts";

/** More than anybody has needed; each end of a session looks at them. */
const MOST_SUBSCRIPTIONS = 50;

export const WebhookEventName = z.enum(WEBHOOK_EVENTS).meta({ id: "WebhookEventName" });

const WebhookSubscriptionCreate = z
  .object({
    name: name(),
    url: z.string().max(2_048),
    events: z.array(WebhookEventName).min(1).max(WEBHOOK_EVENTS.length),
    auth_values: z
      .strictObject({ hmac_secret: z.string().nullable().optional() })
      .nullish()
      .describe(
        "Write-only: a Base64 key of 32 to 512 bytes. On update null keeps the stored one, an omitted key removes it.",
      ),
  })
  .meta({ id: "WebhookSubscriptionCreate" });
const WebhookSubscriptionUpdate = WebhookSubscriptionCreate.safeExtend({ id: recordId() }).meta({
  id: "WebhookSubscriptionUpdate",
});
type SubscriptionInput = z.infer<typeof WebhookSubscriptionCreate>;

export const WebhookSubscription = z
  .object({
    id: z.int(),
    name: z.string(),
    url: z.string(),
    events: z.array(WebhookEventName),
    auth_value_keys: z.array(z.string()).nullable(),
    overlap_until: timestamp().nullable().describe("Until then a replaced secret signs too"),
    disabled_at: timestamp().nullable().describe("Deliveries are held while it is disabled."),
    disabled_reason: z.string().nullable(),
    failing_since: timestamp().nullable().describe("Nothing was accepted since"),
    failed_tries: z.int().describe("In a row"),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "WebhookSubscription" });
export type WebhookSubscription = z.infer<typeof WebhookSubscription>;

const subscriptionList = {
  fields: {
    id: list.integer("w.id"),
    name: list.text("w.name"),
    url: list.text("w.url"),
    event: list.custom((value) => sql`${value} = any (w.events)`),
    is_disabled: list.flag((value) => sql`(w.disabled_at is not null) = ${value}::boolean`),
    last_updated: list.time("w.updated_at"),
  },
  time: "w.updated_at",
  order: [
    { column: "w.name", direction: "asc" },
    { column: "w.id", direction: "asc" },
  ],
} satisfies list.ListRules;

export const selectSubscriptions = (db: Db, caller: Caller, now: Date) =>
  db
    .selectFrom("campaign_webhooks as w")
    .where("w.campaign_id", "is", null)
    .where("w.sub_organization_id", "=", caller.sub_organization_id)
    .select(["w.id", "w.name", "w.url", "w.events", "w.disabled_at", "w.disabled_reason", "w.failing_since"])
    .select(["w.failed_tries", "w.updated_at as last_updated", "w.last_updated_by"])
    .select([
      sql<string[] | null>`case when w.sealed_hmac_secret is not null then array['hmac_secret'] end`.as(
        "auth_value_keys",
      ),
      sql<
        string | null
      >`case when w.overlap_until > ${now.toISOString()}::timestamptz then w.overlap_until end`.as(
        "overlap_until",
      ),
    ])
    .$castTo<WebhookSubscription>();

/** Whoever gets these events, or reads what was sent, sees what an insight said. */
export function requireEvents(caller: Caller, events: readonly WebhookEvent[]): void {
  if (events.includes("insight.found")) requirePermission(caller, "insights_read");
}

export const SUBSCRIPTIONS = "/api/v1/webhooks";
type Deps = { db: Db; clock: Clock; vault: Vault; egress_allow: EgressRules };

export function subscriptionRoutes(api: Api, { db, clock, vault, egress_allow }: Deps): void {
  const check = (caller: Caller, { url, events, auth_values }: SubscriptionInput) => {
    requireEvents(caller, events);
    const problems: InputIssue[] = [];
    const wrong = urlProblem(url, egress_allow);
    if (wrong) problems.push({ loc: ["body", "url"], msg: wrong, type: "url_parsing" });
    const secret = auth_values?.hmac_secret;
    const weak = secret == null ? null : secretProblem(secret);
    if (weak) problems.push({ loc: ["body", "auth_values", "hmac_secret"], msg: weak, type: "value_error" });
    if (problems.length > 0) throw new InvalidInput(problems);
  };
  const values = (caller: Caller, input: SubscriptionInput, stored: StoredSecrets, now: Date) => ({
    name: input.name,
    url: input.url,
    events: [...new Set(input.events)],
    ...secretsAfter(vault, input, stored, now),
    updated_at: now.toISOString(),
    last_updated_by: caller.email,
  });

  addResource<WebhookSubscription, SubscriptionInput, z.infer<typeof WebhookSubscriptionUpdate>>(api, db, {
    path: SUBSCRIPTIONS,
    noun: "Webhook",
    id_name: "webhook_id",
    tag: "webhooks",
    permission: "webhooks",
    record: WebhookSubscription,
    create: WebhookSubscriptionCreate,
    update: WebhookSubscriptionUpdate,
    list: subscriptionList,
    store: {
      page: (caller, query) =>
        list.listPage(db, selectSubscriptions(db, caller, clock.now()), query, subscriptionList),
      find: (from, caller, id) =>
        selectSubscriptions(from, caller, clock.now()).where("w.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        check(caller, input);
        const { sub_organization_id } = caller;
        const { count } = await tx
          .selectFrom("campaign_webhooks")
          .where("campaign_id", "is", null)
          .where("sub_organization_id", "=", sub_organization_id)
          .select(sql<number>`count(*)`.as("count"))
          .executeTakeFirstOrThrow();
        if (count >= MOST_SUBSCRIPTIONS)
          throw invalid(
            ["body"],
            `An organization has ${MOST_SUBSCRIPTIONS} webhooks at most. Delete one first.`,
          );
        const now = clock.now();
        const { id } = await tx
          .insertInto("campaign_webhooks")
          .values({
            ...values(caller, input, NO_SECRETS, now),
            sub_organization_id,
            position: 0,
            trigger_statuses: [],
            request_method: "POST",
            created_at: now.toISOString(),
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, input) {
        check(caller, input);
        const row = await tx
          .selectFrom("campaign_webhooks")
          .select(["url", "sealed_hmac_secret", "sealed_previous_hmac_secret", "overlap_until"])
          .where("id", "=", input.id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .forUpdate()
          .executeTakeFirstOrThrow();
        const { url, ...stored } = row;
        const keeps = input.auth_values == null || input.auth_values.hmac_secret === null;
        if (keeps && stored.sealed_hmac_secret !== null && url !== input.url)
          throw invalid(
            ["body", "auth_values", "hmac_secret"],
            "The url has changed: give the hmac_secret again",
          );
        await tx
          .updateTable("campaign_webhooks")
          .set({
            ...values(caller, input, stored, clock.now()),
            // Nothing is known of the receiver at a new URL.
            ...(url !== input.url && { failing_since: null, failed_tries: 0 }),
          })
          .where("id", "=", input.id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
      async remove(tx, caller, id) {
        await tx
          .deleteFrom("campaign_webhooks")
          .where("id", "=", id)
          .where("campaign_id", "is", null)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
    },
  });
}
