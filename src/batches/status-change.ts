import { type RawBuilder, sql } from "kysely";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { RequestStatus } from "../channels/request-status.ts";
import type { Tx } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import { documentBytes } from "../db/sealed-values.ts";

/** One change of a request's channel status, as it is written. */
export type StatusChange = {
  sub_organization_id: number;
  campaign_id: number;
  batch_key: number;
  request_id: number;
  attempt_count: number;
  previous: ChannelStatus;
  status: ChannelStatus;
  request_status: RequestStatus;
  /** Of the attempt: that of a further step may be another than the campaign's, which it is where this is left out. */
  mode?: "voice" | "sms" | "email";
  at: Date;
  /** The carrier's own word for it, where one came. */
  provider_status: string | null;
};

/** Longer variables are left out of a payload (null there), so that with all else, escaped, it stays below 20,000 bytes. */
const MAX_VARIABLES_bytes = 10_000;

/**
 * Puts a delivery into the outbox for every webhook that a change triggers: in the transaction that changes the status,
 * after the statement that did (the payload is composed from the request as it stands, and its row lock orders the
 * sequence numbers of one request). A change is delivered once: one delivery per webhook, request, attempt and status.
 * Deliveries of a disabled webhook are held later, before they are sent (`setAside`): decided here, without a lock, they
 * would stay held although the webhook is enabled at this moment.
 *
 * One statement for all changes. It reads `campaign_webhooks_campaign` and the primary keys, and takes no lock but on
 * the rows it adds. Each request is found by itself (`FOR_EACH` keeps it so): joined, a batch that PostgreSQL has no
 * statistics of yet was read whole for every change (13 ms for 100 of them by 800 requests, growing with the batch).
 * Composing the text here and not when it is sent freezes it as of the change.
 */
export async function tellWebhooks(tx: Tx, changes: StatusChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map((change, position) => ({ ...change, position }));
  await storeDeliveries(
    tx,
    sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as c (
      sub_organization_id bigint, campaign_id bigint, batch_key bigint, request_id bigint, attempt_count integer,
      previous text, status text, request_status text, mode text, at timestamptz, provider_status text,
      position bigint
    )`,
  );
}

/** The key that the next request of a batch is beyond; under the lock or claim that keeps others from adding some. */
export async function lastRequest(tx: Tx, batch_key: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(max(id), 0) as id from requests where batch_key = ${batch_key}`.execute(tx);
  return rows[0]?.id ?? 0;
}

/**
 * The same for requests that were just added, whose first status is PENDING, DUPLICATE or INVALID: those of a batch
 * beyond `after` (`lastRequest`). Asks nothing of them unless a webhook wants one of these.
 */
export async function tellOfAdded(tx: Tx, batch_key: number, after: number): Promise<void> {
  const { rows } = await sql<{ wanted: string[] | null }>`
    select array_agg(distinct triggers.status) as wanted
    from batches batch
    join campaign_webhooks webhook on webhook.campaign_id = batch.campaign_id
    cross join unnest(webhook.trigger_statuses) as triggers (status)
    where batch.key = ${batch_key} and triggers.status in ('PENDING', 'DUPLICATE', 'INVALID')`.execute(tx);
  const wanted = rows[0]?.wanted;
  if (!wanted) return;
  await storeDeliveries(
    tx,
    sql`select batch.sub_organization_id, batch.campaign_id, batch.key as batch_key, request.id as request_id,
        0 as attempt_count, null::text as previous, request.channel_manager_status as status, request.request_status,
        null::text as mode, request.created_at as at, null::text as provider_status, request.id as position
      from batches batch join requests request on request.batch_key = batch.key
      where batch.key = ${batch_key} and request.id > ${after} and request.channel_manager_status = any (${wanted}::text[])`,
  );
}

async function storeDeliveries(tx: Tx, changes: RawBuilder<unknown>): Promise<void> {
  await sql`
    with change as (${changes}),
    triggered as materialized (
      select nextval('webhook_deliveries_key_seq') as key,
        'msg_' || replace(gen_random_uuid()::text, '-', '') as id, in_order.*
      from (
        select change.*, webhook.id as webhook_id
        from change
        join campaign_webhooks webhook
          on webhook.campaign_id = change.campaign_id and change.status = any (webhook.trigger_statuses)
        order by change.at, change.position
      ) as in_order
    ),
    stored as (
      insert into webhook_deliveries (
        key, id, sub_organization_id, campaign_id, webhook_id, batch_key, request_id, attempt_count,
        channel_manager_status, is_test, state, body, created_at
      )
      select t.key, t.id, t.sub_organization_id, t.campaign_id, t.webhook_id, t.batch_key, t.request_id,
        t.attempt_count, t.status, false, 'WAITING',
        (select row_to_json(message) from (
          select 'outbound.request.status' as type, t.id, t.at as timestamp, (
            select case when campaign.cadence is null then row_to_json(data) else (
              select row_to_json(in_steps) from (
                select data.*, request.step + 1 as step, json_array_length(campaign.cadence -> 'steps') + 1 as steps
              ) as in_steps
            ) end from (
              select t.campaign_id, campaign.campaign_name, batch.batch_id, t.request_id, request.reference_id,
                left(request.target, 320) as target, coalesce(t.mode, campaign.mode, 'voice') as mode, t.request_status,
                t.status as channel_manager_status, t.previous as previous_channel_manager_status,
                left(t.provider_status, 200) as provider_status,
                left(request.channel_manager_sid, 100) as channel_manager_sid, t.attempt_count,
                campaign.retry_count + 1 as max_attempts, request.session_id, request.conversation_id,
                case when ${documentBytes(sql`request.request_variables`)} <= ${MAX_VARIABLES_bytes}::integer
                  then request.request_variables end as request_variables,
                request.sent_at, t.at as occurred_at, t.key as sequence, false as is_test
            ) as data
          ) as data
        ) as message)::text,
        t.at
      from triggered t
      cross join lateral (
        select * from requests where batch_key = t.batch_key and id = t.request_id ${FOR_EACH}
      ) as request
      join batches batch on batch.key = t.batch_key
      join campaigns campaign on campaign.id = t.campaign_id
      order by t.key
      on conflict do nothing
      returning key, webhook_id, created_at
    )
    insert into webhook_outbox (delivery_key, webhook_id, due_at)
    select key, webhook_id, created_at from stored
  `.execute(tx);
}
