import { sql } from "kysely";
import type { Db, Tx } from "../db/database.ts";
import { EMPTY_AT_TIMES, setForTransaction } from "../db/plans.ts";
import { FIRST_ROOM } from "./delivery-gate.ts";

/** A claimed delivery, which this process may send until its lease runs out, with all that sending needs. */
export type ClaimedDelivery = {
  key: number;
  id: string;
  sub_organization_id: number;
  /** null: of an organization's subscription. */
  campaign_id: number | null;
  webhook_id: number;
  body: string;
  /** Tries before this one, counted since the delivery was put into the outbox. */
  tries: number;
  /** Fencing token: of two processes that claimed it, only the later one's result counts. */
  lease_number: number;
  url: string;
  request_method: "POST" | "PUT" | "PATCH";
  sealed_hmac_secret: string | null;
  /** While set, messages are signed with both secrets. */
  sealed_previous_hmac_secret: string | null;
};

type DeliveryClaim = {
  owner: string;
  now: Date;
  lease_until: Date;
  /** Limits of the claim: by webhook that this process knows, and in total. */
  rooms: { webhook_id: number; room: number }[];
  most: number;
};

/**
 * The webhooks that have anything in the outbox, each with its earliest: jumps from one to the next in
 * `webhook_outbox_due`, so a backlog of a million for one of them costs no more than one row.
 */
const WAITING_WEBHOOKS = sql`
  waiting as (
    (select webhook_id, due_at from webhook_outbox order by webhook_id, due_at limit 1)
    union all
    select next.webhook_id, next.due_at
    from waiting cross join lateral (
      select webhook_id, due_at from webhook_outbox
      where webhook_id > waiting.webhook_id order by webhook_id, due_at limit 1
    ) as next
  )`;

/**
 * Claims due deliveries, the longest waiting webhook first, and from each no more than its limit. A plain claim of the
 * oldest rows would find nothing but the backlog of one hung receiver. Locked rows are skipped. A claim moves the due time
 * to the end of the lease, so a row is due again when its process died.
 */
export const claimDeliveries = (db: Db, claim: DeliveryClaim): Promise<ClaimedDelivery[]> =>
  db.transaction().execute(async (tx) => {
    await setForTransaction(tx, EMPTY_AT_TIMES);
    return claimDue(tx, claim);
  });

async function claimDue(tx: Tx, claim: DeliveryClaim): Promise<ClaimedDelivery[]> {
  const now = sql`${claim.now.toISOString()}::timestamptz`;
  const { rows } = await sql<ClaimedDelivery>`
    with recursive ${WAITING_WEBHOOKS},
    open_webhook as (
      select waiting.webhook_id, coalesce(rooms.room, ${FIRST_ROOM}::bigint) as room, webhook.url,
        webhook.request_method, webhook.sealed_hmac_secret,
        case when webhook.overlap_until > ${now} then webhook.sealed_previous_hmac_secret end
          as sealed_previous_hmac_secret
      from waiting
      join campaign_webhooks webhook on webhook.id = waiting.webhook_id and webhook.disabled_at is null
      left join json_to_recordset(${JSON.stringify(claim.rooms)}::json) as rooms (webhook_id bigint, room bigint)
        on rooms.webhook_id = waiting.webhook_id
      where waiting.due_at <= ${now} and coalesce(rooms.room, 1) > 0
      order by waiting.due_at
    ),
    picked as (
      select due.delivery_key
      from open_webhook cross join lateral (
        select delivery_key from webhook_outbox
        where webhook_id = open_webhook.webhook_id and due_at <= ${now}
        order by due_at limit open_webhook.room
        for update skip locked
      ) as due
      limit ${claim.most}::bigint
    ),
    claimed as (
      update webhook_outbox as outbox
      set due_at = ${claim.lease_until.toISOString()}::timestamptz, lease_owner = ${claim.owner},
        lease_number = lease_number + 1
      from picked where outbox.delivery_key = picked.delivery_key
      returning outbox.delivery_key, outbox.tries, outbox.lease_number
    )
    select delivery.key, delivery.id, delivery.sub_organization_id, delivery.campaign_id, delivery.webhook_id,
      delivery.body, claimed.tries, claimed.lease_number, open_webhook.url, open_webhook.request_method,
      open_webhook.sealed_hmac_secret, open_webhook.sealed_previous_hmac_secret
    from claimed
    join webhook_deliveries delivery on delivery.key = claimed.delivery_key
    join open_webhook on open_webhook.webhook_id = delivery.webhook_id
  `.execute(tx);
  return rows;
}

/** Releases claims that this process will not send, so that others can send them at once. */
export async function releaseClaims(db: Db, owner: string, now: Date): Promise<void> {
  await db
    .updateTable("webhook_outbox")
    .set({ due_at: now.toISOString(), lease_owner: null })
    .where("lease_owner", "=", owner)
    .execute();
}

/** For an installation of one process: deliveries that the process before was sending are due again. */
export async function freeDeliveries(db: Db, now: Date): Promise<void> {
  await db
    .updateTable("webhook_outbox")
    .set({ due_at: now.toISOString(), lease_owner: null })
    .where("lease_owner", "is not", null)
    .execute();
}

/** The most deliveries taken out of the outbox at once. */
const MOST_SET_ASIDE = 5_000;

/**
 * Takes deliveries of inactive webhooks out of the outbox: those of a disabled webhook become HELD until somebody replays
 * them, those of a removed one CANCELED. A delivery that is being sent still gets its result. Returns how many.
 */
export const setAside = (db: Db, now: Date): Promise<number> =>
  db.transaction().execute(async (tx) => {
    await setForTransaction(tx, EMPTY_AT_TIMES);
    return setSomeAside(tx, now);
  });

async function setSomeAside(tx: Tx, now: Date): Promise<number> {
  const { gone, disabled } = await closedWebhooks(tx);
  if (gone.length + disabled.length === 0) return 0;
  const result = await sql`
    with removed as (
      delete from webhook_outbox where delivery_key in (
        select delivery_key from webhook_outbox
        where webhook_id = any (${[...gone, ...disabled]}::bigint[])
          and (lease_owner is null or due_at <= ${now.toISOString()}::timestamptz)
        limit ${MOST_SET_ASIDE}::bigint for update skip locked
      ) returning delivery_key, webhook_id = any (${gone}::bigint[]) as is_gone
    )
    update webhook_deliveries as delivery
    set state = case when is_gone then 'CANCELED' else 'HELD' end,
      reason = case when is_gone and campaign_id is null then 'The webhook was deleted.'
      when is_gone then 'The webhook was removed from its campaign.' else 'The webhook is disabled.' end
    from removed where delivery.key = removed.delivery_key
  `.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

/**
 * The webhooks with waiting deliveries that are disabled or removed. Locks the disabled ones, so that enabling waits for this
 * transaction and then finds the held deliveries; one that is being enabled right now is skipped.
 */
async function closedWebhooks(tx: Tx): Promise<{ gone: number[]; disabled: number[] }> {
  const { rows } = await sql<{ webhook_id: number; is_gone: boolean }>`
    with recursive ${WAITING_WEBHOOKS}
    select waiting.webhook_id, webhook.id is null as is_gone
    from waiting left join campaign_webhooks webhook on webhook.id = waiting.webhook_id
    where webhook.id is null or webhook.disabled_at is not null`.execute(tx);
  const ids = (is_gone: boolean) =>
    rows.filter((row) => row.is_gone === is_gone).map(({ webhook_id }) => webhook_id);
  const locked = await tx
    .selectFrom("campaign_webhooks")
    .select("id")
    .where("id", "=", sql<number>`any (${ids(false)}::bigint[])`)
    .where("disabled_at", "is not", null)
    .forKeyShare()
    .skipLocked()
    .execute();
  return { gone: ids(true), disabled: locked.map(({ id }) => id) };
}
