import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { boundedList, inputTimestamp, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { DELIVERIES } from "./webhook-delivery.ts";
import { DeliveryState } from "./webhook-delivery-schema.ts";

const MAX_IDS = 1_000;
/** The most deliveries of one request, which keeps its transaction short; the next request takes the next ones. */
const MOST_REPLAYED = 10_000;

/** Strict: a filter that is misspelt would mean more deliveries. */
const ReplayInput = z
  .strictObject({
    ids: z.array(z.string()).min(1).max(MAX_IDS).optional(),
    campaign_id: recordId().optional(),
    webhook_id: recordId().optional(),
    states: boundedList(DeliveryState).min(1).optional().describe("FAILED and HELD when left out"),
    start_datetime: inputTimestamp().optional(),
    end_datetime: inputTimestamp().optional(),
  })
  .meta({ id: "WebhookReplay" });
type ReplayInput = z.output<typeof ReplayInput>;

const Replayed = z
  .object({ replayed: z.int(), more: z.boolean().describe("More deliveries match; call again.") })
  .meta({ id: "WebhookReplayed" });
type Replayed = z.output<typeof Replayed>;

type Deps = { db: Db; clock: Clock };

export function webhookReplayRoutes(api: Api, { db, clock }: Deps): void {
  api.post(
    `${DELIVERIES}/replay`,
    {
      summary: "Resend webhook deliveries",
      description:
        "By their ids, or all of a campaign or webhook in a state and time. Each goes out under its own webhook-id at once, with the whole schedule of retries before it. Those of disabled or removed webhooks stay.",
      tag: "outbound",
      permission: "outbound_write",
      body: ReplayInput,
      response: Replayed,
    },
    ({ caller, body }) => {
      requireChoice(body);
      return db.transaction().execute(async (tx) => {
        const now = clock.now();
        const after = body.ids
          ? await replayByIds(tx, caller, body.ids, now)
          : await replayMatching(tx, now, matching(caller, body));
        await api.audit(tx, caller, {
          action: "replay",
          resource: "webhook_deliveries",
          resource_id: body.ids?.length === 1 ? (body.ids[0] ?? null) : null,
          after: { ...body, ...after },
        });
        return after;
      });
    },
  );
}

function requireChoice({ ids, campaign_id, webhook_id, states, start_datetime, end_datetime }: ReplayInput) {
  const filters = [campaign_id, webhook_id, states, start_datetime, end_datetime];
  if (ids === undefined && campaign_id === undefined && webhook_id === undefined) {
    throw invalid(["body"], "Give ids, or a campaign_id or webhook_id", "missing");
  }
  if (ids !== undefined && filters.some((filter) => filter !== undefined)) {
    throw invalid(["body", "ids"], "Give either ids or what to look for");
  }
}

function matching(caller: Caller, input: ReplayInput): RawBuilder<unknown>[] {
  const { campaign_id, webhook_id, states = ["FAILED", "HELD"], start_datetime, end_datetime } = input;
  const found = [
    sql`delivery.sub_organization_id = ${caller.sub_organization_id}`,
    sql`delivery.state = any (${states}::text[])`,
  ];
  if (campaign_id !== undefined) found.push(sql`delivery.campaign_id = ${campaign_id}`);
  if (webhook_id !== undefined) found.push(...ofWebhook(webhook_id));
  if (start_datetime !== undefined) found.push(sql`delivery.created_at >= ${start_datetime}::timestamptz`);
  if (end_datetime !== undefined) found.push(sql`delivery.created_at < ${end_datetime}::timestamptz`);
  return found;
}

/** Found by its campaign too, since the log's index begins with it. A removed webhook can't be replayed. */
export const ofWebhook = (webhook_id: number): RawBuilder<unknown>[] => [
  sql`delivery.webhook_id = ${webhook_id}`,
  sql`delivery.campaign_id = (select campaign_id from campaign_webhooks where id = ${webhook_id})`,
];

async function replayByIds(tx: Tx, caller: Caller, ids: string[], now: Date): Promise<Replayed> {
  const mine = [
    sql`delivery.sub_organization_id = ${caller.sub_organization_id}`,
    sql`delivery.campaign_id is not null`,
    sql`delivery.id = any (${ids}::text[])`,
  ];
  const { rows } = await sql<{ id: string; is_gone: boolean; is_disabled: boolean }>`
    select delivery.id, webhook.id is null as is_gone, webhook.disabled_at is not null as is_disabled
    from webhook_deliveries delivery left join campaign_webhooks webhook on webhook.id = delivery.webhook_id
    where ${sql.join(mine, sql` and `)}
  `.execute(tx);
  const known = new Map(rows.map((row) => [row.id, row]));
  for (const id of ids) {
    const found = known.get(id);
    if (!found) throw notFound("Delivery", id);
    if (found.is_gone)
      throw new Fault("refused", `The webhook of delivery ${id} was removed from its campaign.`);
    if (found.is_disabled) {
      throw new Fault("refused", `The webhook of delivery ${id} is disabled. Enable it, then replay.`);
    }
  }
  return replayMatching(tx, now, mine);
}

/**
 * Makes waiting deliveries due now and puts all others back into the outbox. It writes only the outbox of the former, and of
 * the latter only rows that no deliverer has claimed, so it can't deadlock with the settling of tries.
 */
export async function replayMatching(tx: Tx, now: Date, where: RawBuilder<unknown>[]): Promise<Replayed> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const condition = sql.join(where, sql` and `);
  const hastened = await sql`
    update webhook_outbox as outbox set due_at = ${at}, tries = 0
    where outbox.lease_owner is null and outbox.delivery_key in (
      select waiting.delivery_key
      from webhook_outbox waiting join webhook_deliveries delivery on delivery.key = waiting.delivery_key
      where waiting.lease_owner is null and waiting.due_at > ${at} and delivery.state = 'WAITING' and ${condition}
      order by waiting.delivery_key limit ${MOST_REPLAYED}::bigint
    )
  `.execute(tx);
  const revived = await sql`
    with chosen as (
      select delivery.key, delivery.webhook_id
      from webhook_deliveries delivery
      join campaign_webhooks webhook on webhook.id = delivery.webhook_id and webhook.disabled_at is null
      where delivery.state <> 'WAITING' and ${condition}
      order by delivery.key limit ${MOST_REPLAYED}::bigint
      for update of delivery
    ),
    queued as (
      insert into webhook_outbox (delivery_key, webhook_id, due_at)
      select key, webhook_id, ${at} from chosen
    )
    update webhook_deliveries as delivery set state = 'WAITING', reason = null, ended_at = null
    from chosen where chosen.key = delivery.key
  `.execute(tx);
  const counts = [revived, hastened].map(({ numAffectedRows }) => Number(numAffectedRows ?? 0));
  return {
    replayed: counts.reduce((sum, count) => sum + count, 0),
    more: counts.some((count) => count === MOST_REPLAYED),
  };
}
