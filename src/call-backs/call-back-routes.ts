import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { tellWebhooks } from "../batches/status-change.ts";
import { addressField } from "../channels/address-field.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import type { RequestStatus } from "../channels/request-status.ts";
import { REQUEST_STATUS } from "../channels/status-mapping.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";

const CALL_BACK_STATES = ["asked", "waiting", "called", "canceled"] as const;

const CallBack = z
  .object({
    id: z.int(),
    campaign_id: z.int(),
    campaign_name: z.string(),
    batch_id: z.string(),
    reference_id: z.string(),
    target: z.string(),
    session_id: z.int().nullable().describe("The conversation in which it was asked for."),
    due_at: timestamp(),
    timezone: z.string().describe("The clock on which the time was named."),
    state: z
      .enum(CALL_BACK_STATES)
      .describe(
        "`asked`: the conversation goes on; `waiting`; `called`: the call was started; `canceled`: by an operator, an opt-out, or because the batch ended.",
      ),
    asked_at: timestamp(),
    moved: z.int().describe("How often it was moved to another time."),
  })
  .meta({ id: "CallBack" });
type CallBack = z.output<typeof CallBack>;

const callBackList: list.ListRules = {
  fields: {
    id: list.integer("c.id"),
    campaign_id: list.integer("c.campaign_id"),
    target: addressField(list.read(list.text("c.target"))),
    state: list.read(list.exact("c.state")),
    due_at: list.time("c.due_at"),
    session_id: list.integer("c.session_id"),
  },
  time: "c.due_at",
  order: [
    { column: "c.due_at", direction: "asc" },
    { column: "c.id", direction: "asc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

/**
 * The state follows from the request, so no write of the dialer is needed to keep it. Requests are looked up one by one:
 * joined, millions of them would be read to find a page. The index of suppressions is of another collation than targets.
 */
const callBacks = (db: Db, { sub_organization_id }: Caller) =>
  db
    .selectFrom(
      sql<CallBack & { batch_key: number; request_id: number }>`(
        select b.id, b.batch_key, b.request_id, b.campaign_id, campaign.campaign_name, batch.batch_id, b.target,
          coalesce((
            select r.reference_id from requests r where r.batch_key = b.batch_key and r.id = b.request_id), '')
            as reference_id,
          b.session_id, b.due_at, b.timezone, b.asked_at, b.moved,
          coalesce((
            select case
              when r.attempt_count > b.after_attempt then 'called'
              when exists (
                select from suppressions s
                where s.sub_organization_id = b.sub_organization_id and s.address = b.target collate "default"
                  and s.lifted_at is null and s.scope in ('all', 'voice')) then 'canceled'
              when r.request_status in ('INITIATED', 'CONNECTED') then 'asked'
              when r.request_status = 'PENDING' and r.call_back_after = r.attempt_count then 'waiting'
              else 'canceled'
            end
            from requests r where r.batch_key = b.batch_key and r.id = b.request_id), 'canceled') as state
        from call_backs b
        left join campaigns campaign on campaign.id = b.campaign_id
        left join batches batch on batch.key = b.batch_key
        where b.sub_organization_id = ${sub_organization_id}
      )`.as<"c">("c"),
    )
    .select([
      "c.id",
      "c.campaign_id",
      "c.campaign_name",
      "c.batch_id",
      "c.reference_id",
      "c.target",
      "c.session_id",
      "c.due_at",
      "c.timezone",
      "c.state",
      "c.asked_at",
      "c.moved",
    ]);

const PATH = "/api/v1/outbound/call-backs";

/** Calls that people asked for in a conversation. */
export function callBackRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "outbound";

  const find = async (from: Db, caller: Caller, id: number): Promise<CallBack> => {
    const found = await callBacks(from, caller).where("c.id", "=", id).executeTakeFirst();
    if (!found) throw notFound("Call-back", id);
    return found;
  };

  api.get(
    `${PATH}/`,
    {
      summary: "List call-backs",
      description: `Calls that people asked for, the one that is due first on top. ${list.LONG}`,
      tag,
      permission: "outbound_read",
      query: list.listQuery(callBackList),
      response: list.listOf(CallBack),
    },
    async ({ caller, query }) =>
      list.onlyFields(
        await list.listPage(db, callBacks(db, caller), query, callBackList),
        query.fields,
        CallBack,
      ),
  );

  api.delete(
    `${PATH}/:id`,
    {
      summary: "Cancel a call-back",
      description: "The person is not called at that time. Refused once the call was started.",
      tag,
      permission: "outbound_write",
      params: z.object({ id: recordId() }),
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, "Call-back", async (tx) => {
        const before = await find(tx, caller, params.id);
        await cancel(tx, caller, before);
        const after = await find(tx, caller, before.id);
        await api.audit(tx, caller, {
          action: "cancel",
          resource: "call-backs",
          resource_id: before.id,
          before,
          after,
        });
        return { success: true };
      }),
  );

  /** The request ends as its last attempt did. Locks: batch (shared), request. */
  async function cancel(tx: Tx, caller: Caller, { id, target, due_at }: CallBack): Promise<void> {
    const now = clock.now();
    await sql`
      select key from batches where key = (select batch_key from call_backs where id = ${id}) for share`.execute(
      tx,
    );
    const { rows } = await sql<{
      batch_key: number;
      request_id: number;
      campaign_id: number;
      attempt_count: number;
      status: ChannelStatus;
    }>`
      select r.batch_key, r.id as request_id, b.campaign_id, r.attempt_count, r.channel_manager_status as status
      from call_backs b join requests r on r.batch_key = b.batch_key and r.id = b.request_id
      where b.id = ${id} and r.request_status = 'PENDING' and r.call_back_after = r.attempt_count
        and r.attempt_count = b.after_attempt
      for no key update of r`.execute(tx);
    const [request] = rows;
    if (!request)
      throw new Fault("blocked", "This call-back does not wait any more, or its conversation goes on.");
    const isNew = request.attempt_count === 0;
    const status: ChannelStatus = isNew ? "CANCELED" : request.status;
    const request_status: RequestStatus = REQUEST_STATUS[status];
    await sql`
      update requests set request_status = ${request_status}, channel_manager_status = ${status}, due_at = null,
        call_back_after = null
      where batch_key = ${request.batch_key} and id = ${request.request_id}`.execute(tx);
    await publish(tx, caller.sub_organization_id, [
      {
        at: now,
        source: "api",
        source_id: null,
        category: "outbound",
        type: "call-back-canceled",
        description: `${caller.email} canceled the call to ${target} at ${due_at}`,
        user_id: target,
        attributes: { campaign_id: request.campaign_id },
      },
    ]);
    if (isNew)
      await tellWebhooks(tx, [
        {
          sub_organization_id: caller.sub_organization_id,
          campaign_id: request.campaign_id,
          batch_key: request.batch_key,
          request_id: request.request_id,
          attempt_count: 0,
          previous: request.status,
          status,
          request_status,
          at: now,
          provider_status: null,
        },
      ]);
  }
}
