import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import { randomId } from "../base/ids.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { REQUEST_STATUS } from "../channels/status-mapping.ts";
import type { Tx } from "../db/database.ts";

type Tested = { id: number; campaign_id: number; campaign_name: string };

/** Puts a made-up change of a person who doesn't exist into the outbox; returns the delivery's id. */
export async function insertTestDelivery(
  tx: Tx,
  caller: Caller,
  webhook: Tested,
  status: ChannelStatus,
  now: Date,
): Promise<string> {
  const campaign = await tx
    .selectFrom("campaigns")
    .select(["retry_count", sql<string>`coalesce(mode, 'voice')`.as("mode")])
    .select(sql<number>`nextval('webhook_deliveries_key_seq')`.as("key"))
    .where("id", "=", webhook.campaign_id)
    .executeTakeFirstOrThrow();
  const { key } = campaign;
  const id = `msg_${randomId().replaceAll("-", "")}`;
  await tx
    .insertInto("webhook_deliveries")
    .values({
      key,
      id,
      sub_organization_id: caller.sub_organization_id,
      campaign_id: webhook.campaign_id,
      webhook_id: webhook.id,
      attempt_count: 1,
      channel_manager_status: status,
      is_test: true,
      state: "WAITING",
      body: JSON.stringify(testMessage(webhook, status, { ...campaign, id, at: now.toISOString() })),
      created_at: now.toISOString(),
    })
    .execute();
  await tx
    .insertInto("webhook_outbox")
    .values({ delivery_key: key, webhook_id: webhook.id, due_at: now.toISOString() })
    .execute();
  return id;
}

/** The fields of a real one (`status-change.ts`), in their order. */
function testMessage(
  { campaign_id, campaign_name }: Tested,
  status: ChannelStatus,
  {
    id,
    key,
    mode,
    retry_count,
    at,
  }: { id: string; key: number; mode: string; retry_count: number; at: string },
) {
  return {
    type: "outbound.request.status",
    id,
    timestamp: at,
    data: {
      campaign_id,
      campaign_name,
      batch_id: "test-batch",
      request_id: 0,
      reference_id: "test-person",
      target: mode === "email" ? "test.person@example.com" : "+12025550123",
      mode,
      request_status: REQUEST_STATUS[status],
      channel_manager_status: status,
      previous_channel_manager_status: "PENDING",
      provider_status: null,
      channel_manager_sid: null,
      attempt_count: 1,
      max_attempts: retry_count + 1,
      session_id: null,
      conversation_id: null,
      request_variables: { name: "Test Person" },
      sent_at: at,
      occurred_at: at,
      sequence: key,
      is_test: true,
    },
  };
}
