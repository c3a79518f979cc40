import { sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import { storableJson, storableText } from "../base/storable.ts";
import type { Db, Tx } from "../db/database.ts";
import { EMPTY_AT_TIMES, setForTransaction } from "../db/plans.ts";
import { sealKeys, type TextSealer, textSealer } from "../redaction/text-sealer.ts";
import { lockOutbox } from "./delete-deliveries.ts";
import type { ClaimedDelivery } from "./delivery-claim.ts";
import type { SentTry } from "./delivery-send.ts";
import type { DeliveryVerdict } from "./delivery-verdict.ts";
import { type DisabledWebhook, tellDisabled } from "./webhook-disabled.ts";

/** A try and its verdict for the delivery. */
export type SettledTry = { delivery: ClaimedDelivery; sent: SentTry; verdict: DeliveryVerdict };

/** A webhook is disabled when nothing was accepted for this long, over at least so many tries. */
const GIVE_UP_AFTER_ms = 5 * 24 * 3600_000;
const GIVE_UP_TRIES = 100;

/**
 * Stores tries and their consequences together: the log, the outbox, the deliveries and their webhooks' health. Only the
 * latest claim of a delivery changes it; a late result of an earlier claim is only logged.
 */
export async function settleTries(
  { db, vault }: { db: Db; vault: Vault },
  tries: SettledTry[],
): Promise<void> {
  if (tries.length === 0) return;
  const answered = tries.filter(({ sent }) => sent.response_body);
  const keys = await sealKeys(db, [...new Set(answered.map(({ delivery }) => delivery.sub_organization_id))]);
  await db.transaction().execute(async (tx) => {
    await setForTransaction(tx, EMPTY_AT_TIMES);
    const webhooks = await lockWebhooks(tx, healthOf(tries));
    const urls = new Map(webhooks.map(({ id, url }) => [id, url]));
    const isOutdated = ({ delivery, sent }: SettledTry) =>
      (urls.get(delivery.webhook_id) ?? sent.url) !== sent.url;
    const judged = tries.map((one) => (isOutdated(one) ? sentToNewUrl(one) : one));
    await storeTries(tx, judged, (delivery) =>
      textSealer(vault, keys.get(delivery.sub_organization_id) ?? null, `try ${delivery.key}`),
    );
    await noteHealth(tx, [...urls.keys()], healthOf(tries.filter((one) => !isOutdated(one))));
  });
}

/** That the receiver at the URL before is gone says nothing about the one its webhook has now, which gets the message. */
function sentToNewUrl(one: SettledTry): SettledTry {
  const { verdict, sent } = one;
  if (verdict.kind !== "gone") return one;
  return { ...one, verdict: { kind: "retry", at: new Date(sent.at), failure: verdict.failure } };
}

/**
 * One statement for all of them, after their rows of the outbox are locked. Whoever deletes deliveries locks those first,
 * too, and of a delivery that is gone nothing is logged: what its receiver answered may be about a person who was erased.
 */
async function storeTries(
  tx: Tx,
  tries: SettledTry[],
  sealerOf: (delivery: ClaimedDelivery) => TextSealer,
): Promise<void> {
  const rows = tries.map(({ delivery, sent, verdict }) => ({
    key: delivery.key,
    lease_number: delivery.lease_number,
    ...storedVerdict(verdict),
    ...sent,
    response_headers: sent.response_headers && storableJson(sent.response_headers),
    // A receiver may answer with what it was sent.
    response_body: sent.response_body === null ? null : sealerOf(delivery)(storableText(sent.response_body)),
  }));
  await lockOutbox(tx, sql`any(${rows.map(({ key }) => key)}::bigint[])`);
  await sql`
    with try as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as t (
        key bigint, lease_number bigint, state text, due_at timestamptz, failure text, at timestamptz,
        duration_ms integer, method text, url text, request_headers json, response_status integer,
        response_headers json, response_body text
      )
    ),
    over as (
      delete from webhook_outbox as outbox using try
      where try.state <> 'WAITING' and outbox.delivery_key = try.key and outbox.lease_number = try.lease_number
      returning outbox.delivery_key
    ),
    again as (
      update webhook_outbox as outbox
      set due_at = try.due_at, tries = outbox.tries + 1, lease_owner = null
      from try
      where try.state = 'WAITING' and outbox.delivery_key = try.key and outbox.lease_number = try.lease_number
      returning outbox.delivery_key
    ),
    ours as (select delivery_key from over union all select delivery_key from again),
    told as (
      update webhook_deliveries as delivery
      set tries = delivery.tries + 1,
        state = case when ours.delivery_key is null then delivery.state else try.state end,
        reason = case when ours.delivery_key is null then delivery.reason else try.failure end,
        ended_at = case when ours.delivery_key is null then delivery.ended_at
          when try.state <> 'WAITING' then try.at + try.duration_ms * interval '1 millisecond' end
      from try left join ours on ours.delivery_key = try.key
      where delivery.key = try.key
      returning delivery.key
    )
    insert into webhook_tries (delivery_key, at, duration_ms, method, url, request_headers, response_status,
      response_headers, response_body, failure)
    select key, at, duration_ms, method, url, request_headers, response_status, response_headers, response_body, failure
    from try join told using (key)
  `.execute(tx);
}

function storedVerdict(verdict: DeliveryVerdict) {
  switch (verdict.kind) {
    case "delivered":
      return { state: "DELIVERED", due_at: null, failure: null };
    case "retry":
      return { state: "WAITING", due_at: verdict.at.toISOString(), failure: storableText(verdict.failure) };
    default:
      return { state: "FAILED", due_at: null, failure: storableText(verdict.failure) };
  }
}

type Health = { id: number; delivered: boolean; failed: number; gone: boolean; at: string };

/**
 * The webhooks that these tries may change; those that work as before are not among them. Locked by a statement of its own,
 * so that the next ones see what earlier transactions stored, and their URLs stay. Sorted against deadlocks.
 */
async function lockWebhooks(tx: Tx, health: Health[]): Promise<{ id: number; url: string }[]> {
  const failing = health.filter(({ failed }) => failed > 0).map(({ id }) => id);
  return tx
    .selectFrom("campaign_webhooks")
    .select(["id", "url"])
    .where("id", "=", sql<number>`any(${health.map(({ id }) => id)}::bigint[])`)
    .where((or) =>
      or.or([or("failing_since", "is not", null), or("id", "=", sql<number>`any(${failing}::bigint[])`)]),
    )
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

async function noteHealth(tx: Tx, locked: number[], health: Health[]): Promise<void> {
  if (locked.length === 0) return;
  const { rows: disabled } = await sql<DisabledWebhook>`
    with health as (
      select * from json_to_recordset(${JSON.stringify(health)}::json)
        as h (id bigint, delivered boolean, failed bigint, gone boolean, at timestamptz)
      where id = any (${locked}::bigint[])
    ),
    judged as (
      select health.*, webhook.disabled_at is null and (gone or (not delivered
        and failing_since <= at - ${GIVE_UP_AFTER_ms}::double precision * interval '1 millisecond'
        and failed_tries + failed >= ${GIVE_UP_TRIES}::bigint)) as is_given_up
      from health join campaign_webhooks webhook using (id)
    ),
    noted as (
      update campaign_webhooks as webhook
      set failing_since = case when not delivered then coalesce(failing_since, at) end,
        failed_tries = case when not delivered then failed_tries + failed else 0 end,
        disabled_at = case when is_given_up then at else disabled_at end,
        disabled_reason = case when not is_given_up then disabled_reason
          when gone then 'The receiver answered 410: it is gone.' else 'Nothing was accepted for five days.' end
      from judged where judged.id = webhook.id
      returning webhook.*, is_given_up
    )
    select noted.id, coalesce(campaign.sub_organization_id, noted.sub_organization_id) as sub_organization_id,
      noted.campaign_id, noted.name, noted.url, noted.disabled_at, noted.disabled_reason
    from noted left join campaigns campaign on campaign.id = noted.campaign_id
    where is_given_up
  `.execute(tx);
  for (const webhook of disabled) await tellDisabled(tx, webhook);
}

function healthOf(tries: SettledTry[]): Health[] {
  const health = new Map<number, Health>();
  for (const { delivery, sent, verdict } of tries) {
    const id = delivery.webhook_id;
    const known = health.get(id) ?? { id, delivered: false, failed: 0, gone: false, at: sent.at };
    known.delivered ||= verdict.kind === "delivered";
    known.gone ||= verdict.kind === "gone";
    if (verdict.kind !== "delivered") known.failed++;
    health.set(id, known);
  }
  return [...health.values()];
}
