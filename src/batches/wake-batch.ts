import { type RawBuilder, sql } from "kysely";
import type { Tx } from "../db/database.ts";

/**
 * The dialer sleeps until a batch is due to be looked at. What makes it worth an earlier look says so here, in the
 * transaction that does: new requests, another rate or schedule, a retry.
 */
export async function wakeBatch(tx: Tx, batch_key: number, at: Date): Promise<void> {
  await sql`
    insert into batch_pacing (batch_key, wake_at) values (${batch_key}, ${at.toISOString()})
    on conflict (batch_key) do update set wake_at = excluded.wake_at`.execute(tx);
}

/** All batches of a campaign that was changed. */
const wakeBatchesOf = (tx: Tx, campaign_id: number, at: Date): Promise<void> =>
  wakeAll(tx, sql`b.campaign_id = ${campaign_id} and b.status not in ('CANCELED', 'EXPIRED')`, at);

/** All active batches of campaigns that send from a number group that was changed. */
const wakeNumberGroup = (tx: Tx, group_id: number, at: Date): Promise<void> =>
  wakeAll(
    tx,
    sql`b.status = 'ACTIVE' and b.campaign_id in (select id from campaigns where number_group_id = ${group_id})`,
    at,
  );

/** All active batches of an organization whose rules were changed; before the organization is locked. */
export const wakeOrganization = (tx: Tx, organization_id: number, at: Date): Promise<void> =>
  wakeAll(
    tx,
    sql`b.status = 'ACTIVE' and b.sub_organization_id in (
      select id from sub_organizations where organization_id = ${organization_id})`,
    at,
  );

/** Of the batches `b`; locked in the order of `dialing/look-again.ts`. */
async function wakeAll(tx: Tx, which: RawBuilder<unknown>, at: Date): Promise<void> {
  await sql`
    update batch_pacing set wake_at = ${at.toISOString()}::timestamptz, silent_steps = null
    where batch_key in (
      select p.batch_key from batch_pacing p join batches b on b.key = p.batch_key
      where ${which}
      order by p.batch_key for update of p
    )`.execute(tx);
}

/** What a change of a campaign, or of its number group, wakes. */
export const campaignWakes = { wakeBatches: wakeBatchesOf, wakeNumberGroup };
