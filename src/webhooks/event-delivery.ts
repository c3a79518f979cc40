import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import type { EndedSession } from "../sessions/engine.ts";

export const WEBHOOK_EVENTS = ["session.ended", "insight.found", "alert"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Something that occurred, as an organization's webhooks are told of it. */
export type WebhookMessage = {
  event: WebhookEvent;
  at: Date;
  /** The session it repeats anything of, with which its deliveries are erased. */
  session_id: number | null;
  data: Record<string, unknown>;
};

/**
 * Puts a delivery for each subscription to these events into the outbox, in the transaction in which they occur: they are
 * sent if and only if that commits. Of disabled subscriptions too, which hold them. Index: campaign_webhooks_subscription.
 */
export async function sendEvents(
  tx: Tx,
  sub_organization_id: number,
  messages: readonly WebhookMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const rows = messages.map(({ event, at, session_id, data }, position) => ({
    event,
    at: at.toISOString(),
    session_id,
    data,
    position,
  }));
  await sql`
    with message as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as m (event text, at timestamptz, session_id bigint, data json, position integer)
    ),
    wanted as materialized (
      select nextval('webhook_deliveries_key_seq') as key, 'msg_' || replace(gen_random_uuid()::text, '-', '') as id, in_order.*
      from (
        select message.*, webhook.id as webhook_id
        from message
        join campaign_webhooks webhook on webhook.campaign_id is null
          and webhook.sub_organization_id = ${sub_organization_id}::bigint and message.event = any (webhook.events)
        order by message.position, webhook.id
      ) as in_order
    ),
    stored as (
      insert into webhook_deliveries (key, id, sub_organization_id, webhook_id, event, session_id, is_test, state, body, created_at)
      select w.key, w.id, ${sub_organization_id}::bigint, w.webhook_id, w.event, w.session_id, false, 'WAITING',
        (select row_to_json(m) from (
          select w.event as type, w.id, w.at as timestamp, w.key as sequence, w.data
        ) as m)::text, w.at
      from wanted w order by w.key
      returning key, webhook_id, created_at
    )
    insert into webhook_outbox (delivery_key, webhook_id, due_at)
    select key, webhook_id, created_at from stored`.execute(tx);
}

/** Tests of an author are told to nobody. */
export async function sendSessionEnded(tx: Tx, session: EndedSession): Promise<void> {
  if (session.is_test) return;
  await sendEvents(tx, session.sub_organization_id, [
    {
      event: "session.ended",
      at: new Date(session.ended_at),
      session_id: session.id,
      data: sessionData({ ...session, session_id: String(session.id) }),
    },
  ]);
}

type ToldSession = Omit<
  EndedSession,
  "id" | "sub_organization_id" | "prompt_id" | "prompt_name" | "is_test"
> & {
  session_id: string;
};

/** Nothing that was said, and no address: what a receiver may know, it reads over the API. */
export const sessionData = (session: ToldSession): Record<string, unknown> => ({
  session_id: session.session_id,
  agent_id: session.agent_id,
  agent_name: session.agent_name,
  started_at: session.timestamp,
  ended_at: session.ended_at,
  end_reason: session.end_reason,
  duration_s: session.duration,
});
