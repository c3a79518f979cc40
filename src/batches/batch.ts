import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { Deleted } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import {
  type Batch,
  BatchDetails,
  type BatchUpdate,
  CommunicationBatch,
  CommunicationBatchInput,
  CommunicationBatchUpdate,
} from "./batch-schema.ts";
import {
  batchList,
  findKey,
  insertBatch,
  type LockedBatch,
  lockBatch,
  readBatch,
  removeBatch,
  selectBatches,
  statusAfter,
  updateBatch,
} from "./batch-store.ts";
import { cancelWaiting } from "./cancel-waiting.ts";
import { countRequests } from "./request-counts.ts";
import { wakeBatch } from "./wake-batch.ts";

type Deps = { db: Db; clock: Clock };

export const BATCHES = "/api/v1/outbound/batches";
export const batchParams = z.object({ batch_id: z.string() });

export function batchRoutes(api: Api, { db, clock }: Deps): void {
  const one = `${BATCHES}/:batch_id`;
  const tag = "outbound";
  const params = batchParams;

  api.get(
    BATCHES,
    {
      summary: "List batches",
      description: "Includes deleted batches (CANCELED).",
      tag,
      permission: "outbound_read",
      query: list.listQuery(batchList),
      response: list.listOf(CommunicationBatch),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectBatches(db, caller, clock.now()), query, batchList);
      return list.onlyFields(page, query.fields, CommunicationBatch);
    },
  );

  api.get(
    one,
    {
      summary: "Get a batch, with its requests counted by status",
      tag,
      permission: "outbound_read",
      params,
      response: BatchDetails,
    },
    async ({ caller, params }): Promise<BatchDetails> => {
      const key = await findKey(db, caller, params.batch_id);
      const [batch, counts] = await Promise.all([
        readBatch(db, key, clock.now()),
        countRequests(db, key, clock.now()),
      ]);
      return { ...batch, ...counts };
    },
  );

  api.post(
    BATCHES,
    {
      summary: "Create a batch",
      tag,
      permission: "outbound_write",
      body: CommunicationBatchInput,
      response: CommunicationBatch,
    },
    ({ caller, body }) => {
      requireExpiry(body.auto_call_rate, body.expires_on);
      return db.transaction().execute(async (tx) => {
        const at = clock.now();
        const after = await insertBatch(tx, { caller, at }, body);
        await record(tx, caller, at, "create", { after });
        return after;
      });
    },
  );

  api.put(
    one,
    {
      summary: "Pause, resume or reschedule a batch",
      description:
        'A field that is left out stays as it is; null resets it. `{"paused": true}` holds any batch that is not deleted. `auto_call_rate: true` needs an `expires_on`, stored or sent along. A later `expires_on` reopens an expired batch; what it canceled stays canceled.',
      tag,
      permission: "outbound_write",
      params,
      body: CommunicationBatchUpdate,
      response: CommunicationBatch,
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const locked = await lockBatch(tx, clock, caller, params.batch_id);
        const columns = changed(locked, body);
        if (columns.status === "EXPIRED") await cancelWaiting(tx, locked.key, locked.at);
        const after = await updateBatch(tx, locked, caller.email, columns);
        await wakeBatch(tx, locked.key, locked.at);
        await record(tx, caller, locked.at, "update", { before: locked.batch, after });
        return after;
      }),
  );

  api.delete(
    one,
    {
      summary: "Delete a batch",
      description:
        "Cancels waiting requests; attempts in progress continue. The batch and its results can still be read.",
      tag,
      permission: "outbound_delete",
      params,
      form: { type: "application/x-www-form-urlencoded" },
      body: z.object({ delete_reason: z.string() }).meta({ id: "BatchDeletion" }),
      response: Deleted,
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const locked = await lockBatch(tx, clock, caller, params.batch_id);
        await removeBatch(tx, locked, caller.email, body.delete_reason);
        await record(tx, caller, locked.at, "delete", { before: locked.batch });
        return { success: true };
      }),
  );

  /** The audit entry and the event of a change, in its transaction. */
  async function record(
    tx: Tx,
    caller: Caller,
    at: Date,
    action: keyof typeof DONE,
    { before, after }: { before?: Batch; after?: Batch },
  ): Promise<void> {
    const { batch_id, campaign_id } = (after ?? before) as Batch;
    await api.audit(tx, caller, { action, resource: "batches", resource_id: batch_id, before, after });
    await publish(tx, caller.sub_organization_id, [
      {
        at,
        source: "api",
        source_id: null,
        category: "outbound",
        type: `batch-${DONE[action]}`,
        description: `Batch "${batch_id}" was ${DONE[action]} by ${caller.email}`,
        attributes: { batch_id, campaign_id },
      },
    ]);
  }
}

const DONE = { create: "created", update: "updated", delete: "deleted" } as const;

/** What the body doesn't name stays as it is; null resets (spec: all four fields). */
function changed(locked: LockedBatch, body: BatchUpdate) {
  const { batch } = locked;
  const paused = named(body.paused, batch.paused ?? null);
  const expires_on = named(body.expires_on, batch.expires_on ?? null);
  const auto_call_rate = named(body.auto_call_rate, batch.auto_call_rate) ?? false;
  // Asked only of who changes the pace: holding a batch must never fail for what is stored beside it.
  if (body.auto_call_rate !== undefined || body.expires_on !== undefined) {
    requireExpiry(auto_call_rate, expires_on);
  }
  return {
    status: statusAfter(locked, {
      kind: "updated",
      paused,
      expires_on: expires_on === null ? null : new Date(expires_on),
    }),
    paused,
    expires_on,
    auto_call_rate,
    call_rate: named(body.call_rate, batch.call_rate ?? null),
  };
}

const named = <T>(sent: T | undefined, stored: T): T => (sent === undefined ? stored : sent);

/** Without an end there are no hours to spread the calls over. */
function requireExpiry(auto_call_rate: boolean, expires_on: string | null | undefined): void {
  if (auto_call_rate && expires_on == null) {
    throw invalid(["body", "expires_on"], "auto_call_rate needs expires_on", "missing");
  }
}
