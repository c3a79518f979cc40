import { sql } from "kysely";
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

/** All batches of a campaign that was changed; locked in the order of `dialing/look-again.ts`. */
export async function wakeBatchesOf(tx: Tx, campaign_id: number, at: Date): Promise<void> {
  await sql`
    update batch_pacing set wake_at = ${at.toISOString()}
    where batch_key in (
      select p.batch_key from batch_pacing p join batches b on b.key = p.batch_key
      where b.campaign_id = ${campaign_id} and b.status not in ('CANCELED', 'EXPIRED')
      order by p.batch_key for update of p
    )`.execute(tx);
}

/** All active batches of campaigns that send from a number group that was changed; locked in the same order. */
export async function wakeNumberGroup(tx: Tx, group_id: number, at: Date): Promise<void> {
  await sql`
    update batch_pacing set wake_at = ${at.toISOString()}::timestamptz
    where batch_key in (
      select p.batch_key from batch_pacing p
      join batches b on b.key = p.batch_key join campaigns c on c.id = b.campaign_id
      where c.number_group_id = ${group_id} and b.status = 'ACTIVE'
      order by p.batch_key for update of p
    )`.execute(tx);
}

/** All active batches of an organization whose rules were changed; locked in the same order, before the organization. */
export async function wakeOrganization(tx: Tx, organization_id: number, at: Date): Promise<void> {
  await sql`
    update batch_pacing set wake_at = ${at.toISOString()}::timestamptz
    where batch_key in (
      select p.batch_key from batch_pacing p
      join batches b on b.key = p.batch_key join sub_organizations o on o.id = b.sub_organization_id
      where o.organization_id = ${organization_id} and b.status = 'ACTIVE'
      order by p.batch_key for update of p
    )`.execute(tx);
}

/** What a change of a campaign, or of its number group, wakes. */
export const campaignWakes = { wakeBatches: wakeBatchesOf, wakeNumberGroup };
