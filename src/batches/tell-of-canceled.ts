import { sql } from "kysely";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Tx } from "../db/database.ts";
import { tellWebhooks } from "./status-change.ts";

/** A request that waited until it was canceled; `previous` is its channel status before. */
export type Canceled = { id: number; reference_id: string; previous: ChannelStatus; attempt_count: number };

/**
 * In the transaction that canceled them. `at` null: when their batch was deleted or its time was up, however much later
 * it is written to each. An edit may say of a batch that its time was up long ago; it is over since that edit.
 */
export async function tellOfCanceled(
  tx: Tx,
  batch_key: number,
  canceled: Canceled[],
  at: Date | null,
): Promise<void> {
  if (canceled.length === 0) return;
  const { rows } = await sql<{ sub_organization_id: number; campaign_id: number; over_at: string }>`
    select b.sub_organization_id, b.campaign_id, coalesce(b.deleted_at, greatest(b.expires_on, b.last_updated_at)) as over_at
    from batches b
    where b.key = ${batch_key} and exists (
      select from campaign_webhooks w where w.campaign_id = b.campaign_id and 'CANCELED' = any(w.trigger_statuses)
    )`.execute(tx);
  const [wanted] = rows;
  if (!wanted) return;
  const { sub_organization_id, campaign_id, over_at } = wanted;
  await tellWebhooks(
    tx,
    canceled.map(({ id, previous, attempt_count }) => ({
      sub_organization_id,
      campaign_id,
      batch_key,
      request_id: id,
      attempt_count,
      previous,
      status: "CANCELED",
      request_status: "CANCELED",
      at: at ?? new Date(over_at),
      provider_status: null,
    })),
  );
}
