import { sql } from "kysely";
import { tellWebhooks } from "../batches/status-change.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import type { SkipReason } from "../planning/steps/request-step.ts";
import type { Candidate } from "./candidates.ts";
import type { DueBatch } from "./due-batches.ts";

/** A request that must not be tried, with the reason, which is stored on it. */
export type Skipped = {
  batch: DueBatch;
  candidate: Candidate;
  status: ChannelStatus;
  reason: SkipReason;
  text: string;
};

/** Needs the locks of the requests. Writes their events and webhooks too. */
export async function skipRequests(tx: Tx, skipped: Skipped[], at: Date): Promise<void> {
  if (skipped.length === 0) return;
  const rows = skipped.map(({ candidate, status, reason, text }) => ({
    batch_key: candidate.batch_key,
    request_id: candidate.request_id,
    status,
    skip_reason: { reason, text, at: at.toISOString() },
  }));
  await sql`
    update requests r set request_status = 'SKIPPED', channel_manager_status = n.status, due_at = null,
      skip_reason = n.skip_reason
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as n (batch_key bigint, request_id bigint, status text, skip_reason json)
    where r.batch_key = n.batch_key and r.id = n.request_id`.execute(tx);
  for (const [id, some] of Map.groupBy(skipped, ({ batch }) => batch.sub_organization_id)) {
    await publish(
      tx,
      id,
      some.map(({ batch, candidate, status, text }) => ({
        at,
        source: "outbound",
        source_id: null,
        category: "outbound",
        type: "request-status",
        description: `Request "${candidate.reference_id}" of batch "${batch.batch_id}" is ${status} (SKIPPED). ${text}`,
        user_id: candidate.target,
        attributes: {
          campaign_id: batch.campaign.id,
          batch_id: batch.batch_id,
          reference_id: candidate.reference_id,
          status,
          request_status: "SKIPPED",
        },
      })),
    );
  }
  await tellWebhooks(
    tx,
    skipped.map(({ batch, candidate, status }) => ({
      sub_organization_id: batch.sub_organization_id,
      campaign_id: batch.campaign.id,
      batch_key: batch.batch_key,
      request_id: candidate.request_id,
      attempt_count: candidate.attempt_count,
      previous: candidate.channel_status,
      status,
      request_status: "SKIPPED",
      at,
      provider_status: null,
    })),
  );
}
