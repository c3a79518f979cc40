import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { takeTurn } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { sessionData, type WEBHOOK_EVENTS, type WebhookEvent } from "./event-delivery.ts";
import { SUBSCRIPTIONS, selectSubscriptions, WebhookEventName, WebhookSubscription } from "./subscription.ts";
import { findEventDelivery, WebhookEventDelivery } from "./subscription-deliveries.ts";
import { replayMatching } from "./webhook-replay.ts";

/** Operations that enable and disable a subscription, and try it. */
export function subscriptionStateRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const one = `${SUBSCRIPTIONS}/:webhook_id`;
  const tag = "webhooks";
  const params = z.object({ webhook_id: recordId() });
  const permission = "webhooks_write";

  /** In turn with those who change it, its row locked until the transaction ends. */
  async function lock(tx: Tx, caller: Caller, id: number) {
    const now = clock.now();
    await takeTurn(tx, tag, id);
    const find = () => selectSubscriptions(tx, caller, now).where("w.id", "=", id).executeTakeFirst();
    if (!(await find())) throw notFound("Webhook", id);
    await tx.selectFrom("campaign_webhooks").select("id").where("id", "=", id).forUpdate().execute();
    const before = await find();
    if (!before) throw notFound("Webhook", id);
    return { now, before };
  }

  const change = (action: "enable" | "disable", caller: Caller, id: number, send_held = false) =>
    db.transaction().execute(async (tx) => {
      const { now, before } = await lock(tx, caller, id);
      const disabled = action === "disable";
      if (!(disabled && before.disabled_at))
        await tx
          .updateTable("campaign_webhooks")
          .set({
            disabled_at: disabled ? now.toISOString() : null,
            disabled_reason: disabled ? `Disabled by ${caller.email}.` : null,
            failing_since: null,
            failed_tries: 0,
          })
          .where("id", "=", id)
          .execute();
      if (send_held)
        await replayMatching(tx, now, [
          sql`delivery.sub_organization_id = ${caller.sub_organization_id}`,
          sql`delivery.event is not null and delivery.webhook_id = ${id} and delivery.state = 'HELD'`,
        ]);
      const after = await selectSubscriptions(tx, caller, now)
        .where("w.id", "=", id)
        .executeTakeFirstOrThrow();
      await api.audit(tx, caller, { action, resource: tag, resource_id: id, before, after });
      return after;
    });

  api.post(
    `${one}/enable`,
    {
      summary: "Enable a webhook",
      description: "Held deliveries are sent, too, where `send_held` says so, 10,000 at most.",
      tag,
      permission,
      params,
      response: WebhookSubscription,
      body: z.object({ send_held: z.boolean().default(false) }).meta({ id: "SubscriptionEnabling" }),
    },
    ({ caller, params, body }) => change("enable", caller, params.webhook_id, body.send_held),
  );

  api.post(
    `${one}/disable`,
    {
      summary: "Disable a webhook",
      description: "Nothing is sent until it is enabled again; its deliveries are held.",
      tag,
      permission,
      params,
      response: WebhookSubscription,
    },
    ({ caller, params }) => change("disable", caller, params.webhook_id),
  );

  api.post(
    `${one}/test`,
    {
      summary: "Send a test event",
      description: "A made-up event, marked `is_test`; sent, signed, logged and retried as any other.",
      tag,
      permission,
      params,
      response: WebhookEventDelivery,
      body: z.object({ event: WebhookEventName }).meta({ id: "WebhookEventTest" }),
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const { now, before } = await lock(tx, caller, params.webhook_id);
        if (before.disabled_at)
          throw new Fault("refused", `The webhook is disabled: ${before.disabled_reason} Enable it first.`);
        const id = await insertTest(tx, caller, before.id, body.event, now);
        await api.audit(tx, caller, {
          action: "test",
          resource: tag,
          resource_id: before.id,
          after: { event: body.event, delivery_id: id },
        });
        return findEventDelivery(tx, caller, id);
      }),
  );
}

async function insertTest(tx: Tx, caller: Caller, webhook_id: number, event: WebhookEvent, now: Date) {
  const at = now.toISOString();
  const { rows } = await sql<{ id: string }>`
    with made as (
      select nextval('webhook_deliveries_key_seq') as key, 'msg_' || replace(gen_random_uuid()::text, '-', '') as id
    ),
    stored as (
      insert into webhook_deliveries (key, id, sub_organization_id, webhook_id, event, is_test, state, body, created_at)
      select key, id, ${caller.sub_organization_id}::bigint, ${webhook_id}::bigint, ${event}, true, 'WAITING',
        (select row_to_json(m) from (
          select ${event}::text as type, made.id, ${at}::timestamptz as timestamp, made.key as sequence,
            ${JSON.stringify({ ...EXAMPLES[event](at), is_test: true })}::json as data
        ) as m)::text, ${at}::timestamptz
      from made returning key, id
    ),
    queued as (
      insert into webhook_outbox (delivery_key, webhook_id, due_at)
      select key, ${webhook_id}::bigint, ${at}::timestamptz from stored
    )
    select id from stored`.execute(tx);
  return (rows[0] as { id: string }).id;
}

/** The fields of real ones. */
const EXAMPLES: Record<(typeof WEBHOOK_EVENTS)[number], (at: string) => Record<string, unknown>> = {
  "session.ended": (at) =>
    sessionData({
      session_id: "0",
      agent_id: 0,
      agent_name: "Test agent",
      timestamp: at,
      ended_at: at,
      end_reason: "user",
      duration: 0,
    }),
  "insight.found": () => ({
    session_id: "0",
    workflow_id: 0,
    execution_id: 0,
    insight_tool_id: 0,
    insight_tool: "Test",
    insight_tool_version: 1,
    values: { summary: "A test." },
  }),
  alert: (at) => ({
    alert_rule_id: 0,
    name: "Test alert",
    state: "firing",
    at,
    metric: { name: "errors" },
    value: 0.1,
    sessions: 20,
    description: "A test of this webhook.",
  }),
};
