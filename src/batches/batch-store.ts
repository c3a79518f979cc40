import { sql } from "kysely";
import type { Caller, Stamp } from "../api/caller.ts";
import { holdRecord } from "../api/hold-record.ts";
import * as list from "../api/list.ts";
import { refuseWhileHeld } from "../api/resource.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { type BatchChange, type BatchStatus, nextStatus, statusAt } from "../planning/batch-state.ts";
import type { Batch, BatchInput } from "./batch-schema.ts";
import { cancelsWaiting, cancelWaiting } from "./cancel-waiting.ts";
import { hasUnfinished } from "./request-store.ts";

export const batchList: list.ListRules = {
  fields: {
    batch_id: list.text("b.batch_id"),
    campaign_id: list.integer("b.campaign_id"),
    status: list.exact("b.status"),
    expires_on: list.time("b.expires_on"),
    last_updated_at: list.time("b.last_updated_at"),
  },
  time: "b.last_updated_at",
  order: [{ column: "b.key", direction: "asc" }],
};

/** Batches as they stand at `now`. The status is what `statusAt` tells, so that lists can search and order by it. */
const batchesAt = (db: Db, now: Date) =>
  db
    .selectFrom("batches")
    .selectAll()
    .select(
      sql<BatchStatus>`case
        when status <> 'CANCELED' and expires_on <= ${now.toISOString()}::timestamptz then 'EXPIRED' else status
      end`.as("status_now"),
    );

const selectFrom = (db: Db, now: Date) =>
  db
    .selectFrom(
      db
        .selectFrom(batchesAt(db, now).as("stored"))
        .leftJoin("batch_uploads as u", "u.batch_key", "stored.key")
        .select([
          "stored.key",
          "stored.sub_organization_id",
          "stored.batch_id",
          "stored.campaign_id",
          "stored.expires_on",
          "stored.paused",
          "stored.call_rate",
          "stored.auto_call_rate",
          "stored.status_now as status",
          "stored.auto_call_rate_baseline",
          sql<string | null>`coalesce(stored.upload_filename, u.filename)`.as("upload_filename"),
          sql<string | null>`coalesce(stored.dispatch_id, u.upload_id)`.as("dispatch_id"),
          "stored.created_at",
          "stored.deleted_at",
          "stored.deleted_reason",
          "stored.last_updated_at",
          "stored.last_updated_by",
          "stored.error_message",
        ])
        .as("b"),
    )
    .select([
      "b.batch_id",
      "b.campaign_id",
      "b.expires_on",
      "b.paused",
      "b.call_rate",
      "b.auto_call_rate",
      "b.status",
      "b.auto_call_rate_baseline",
      "b.upload_filename",
      "b.dispatch_id",
      "b.created_at",
      "b.deleted_at",
      "b.deleted_reason",
      "b.last_updated_at",
      "b.last_updated_by",
      "b.error_message",
    ]);

/** Deleted batches are among them: what became of their requests can still be asked. */
export const selectBatches = (db: Db, caller: Caller, now: Date) =>
  selectFrom(db, now).where("b.sub_organization_id", "=", caller.sub_organization_id).$castTo<Batch>();

export async function findKey(db: Db, caller: Caller, batch_id: string): Promise<number> {
  const found = await db
    .selectFrom("batches")
    .select("key")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("batch_id", "=", batch_id)
    .executeTakeFirst();
  if (!found) throw notFound("Batch", batch_id);
  return found.key;
}

export const readBatch = (db: Db, key: number, now: Date): Promise<Batch> =>
  selectFrom(db, now).where("b.key", "=", key).$castTo<Batch>().executeTakeFirstOrThrow();

/** A batch that nobody else writes until the transaction ends, as it stood at `at`. */
export type LockedBatch = {
  key: number;
  at: Date;
  batch: Batch;
  /** The file it was filled from; null until an upload has succeeded. */
  filled_from: string | null;
  /** What waits in it is being canceled; it can't be opened again before that is done. */
  cancels_waiting: boolean;
};

export async function lockBatch(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  batch_id: string,
): Promise<LockedBatch> {
  const locked = await lockByKey(tx, clock, await findKey(tx, caller, batch_id));
  if (!locked) throw notFound("Batch", batch_id);
  return locked;
}

/** The clock is read under the lock, so that last_updated_at never runs backwards. Settles what the clock has changed. */
export async function lockByKey(tx: Tx, clock: Clock, key: number): Promise<LockedBatch | null> {
  const stored = await tx
    .selectFrom("batches")
    .select(["status", "sub_organization_id", "upload_filename", "cancels_waiting"])
    .where("key", "=", key)
    .forUpdate()
    .executeTakeFirst();
  if (!stored) return null;
  const at = clock.now();
  const { upload_filename: filled_from, cancels_waiting } = stored;
  const locked = { key, at, batch: await readBatch(tx, key, at), filled_from, cancels_waiting };
  if (locked.batch.status === "EXPIRED" && stored.status !== "EXPIRED") {
    await settleExpiry(tx, stored.sub_organization_id, locked);
    return { ...locked, cancels_waiting: await cancelsWaiting(tx, key) };
  }
  return locked;
}

async function settleExpiry(tx: Tx, sub_organization_id: number, { key, at, batch }: LockedBatch) {
  const canceled = await cancelWaiting(tx, key, at);
  await tx.updateTable("batches").set({ status: "EXPIRED" }).where("key", "=", key).execute();
  const { batch_id, campaign_id } = batch;
  await publish(tx, sub_organization_id, [
    {
      at,
      source: "outbound",
      source_id: null,
      category: "outbound",
      type: "batch-expired",
      description: `Batch "${batch_id}" expired with ${canceled} requests left`,
      attributes: { batch_id, campaign_id, canceled },
    },
  ]);
}

/** The status after the change, or the refusal in words for the caller. */
export function statusAfter({ batch, at, cancels_waiting }: LockedBatch, change: BatchChange): BatchStatus {
  const next = nextStatus({ status: batch.status, paused: batch.paused ?? null }, change, at);
  if (next.kind === "refused") {
    throw new Fault("refused", `Batch "${batch.batch_id}" can't be changed: ${next.why}.`);
  }
  if (cancels_waiting && next.status !== "EXPIRED" && next.status !== "CANCELED") {
    throw new Fault(
      "conflict",
      `Batch "${batch.batch_id}" is still canceling what waited in it. Try again in a moment.`,
    );
  }
  return next.status;
}

export async function insertBatch(tx: Tx, { caller, at }: Stamp, input: BatchInput): Promise<Batch> {
  await requireCampaign(tx, caller, input.campaign_id);
  const expires_on = input.expires_on ?? null;
  const status = statusAt(
    { status: "PENDING", expires_on: expires_on === null ? null : new Date(expires_on) },
    at,
  );
  const { key } = await tx
    .insertInto("batches")
    .values({
      sub_organization_id: caller.sub_organization_id,
      batch_id: input.batch_id,
      campaign_id: input.campaign_id,
      expires_on,
      paused: input.paused ?? null,
      call_rate: input.call_rate ?? null,
      auto_call_rate: input.auto_call_rate,
      status,
      created_at: at.toISOString(),
      last_updated_at: at.toISOString(),
      last_updated_by: caller.email,
    })
    .returning("key")
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      if (!isUniqueViolation(error, "batches_batch_id")) throw error;
      throw new Fault("refused", `Batch "${input.batch_id}" already exists. Choose another batch_id.`, {
        cause: error,
      });
    });
  return readBatch(tx, key, at);
}

/** Locked against being deleted until the batch is there to hold it. */
async function requireCampaign(tx: Tx, caller: Caller, id: number): Promise<void> {
  if (!(await holdRecord(tx, caller, "campaigns", id, "share"))) throw notFound("Campaign", id);
}

type Columns = {
  status?: BatchStatus;
  paused?: boolean | null;
  expires_on?: string | null;
  call_rate?: number | null;
  auto_call_rate?: boolean;
  upload_filename?: string;
  dispatch_id?: string;
  error_message?: string | null;
  deleted_at?: string;
  deleted_reason?: string;
};

/** Under the batch's lock. `by` is who is shown as its last editor; null leaves that. */
export async function updateBatch(
  tx: Tx,
  { key, at }: LockedBatch,
  by: string | null,
  columns: Columns,
): Promise<Batch> {
  await tx
    .updateTable("batches")
    .set({ ...columns, last_updated_at: at.toISOString(), ...(by !== null && { last_updated_by: by }) })
    .where("key", "=", key)
    .execute();
  return readBatch(tx, key, at);
}

/** Under the batch's lock. What is under way ends by itself. */
export async function removeBatch(tx: Tx, locked: LockedBatch, by: string, reason: string): Promise<void> {
  const status = statusAfter(locked, { kind: "deleted" });
  await cancelWaiting(tx, locked.key, locked.at);
  await updateBatch(tx, locked, by, {
    status,
    deleted_at: locked.at.toISOString(),
    deleted_reason: reason,
  });
}

/** With their campaign, whose lock the caller holds; refused while one of them still has people to reach (16h). */
export async function removeBatchesOf(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  campaign_id: number,
): Promise<void> {
  const rows = await tx
    .selectFrom("batches")
    .select("key")
    .where("campaign_id", "=", campaign_id)
    .where("deleted_at", "is", null)
    .orderBy("key")
    .execute();
  const batches = [];
  for (const { key } of rows) {
    const locked = await lockByKey(tx, clock, key);
    if (locked && locked.batch.status !== "CANCELED") batches.push(locked);
  }
  const active = batches.filter(({ batch }) => batch.status === "ACTIVE");
  const busy = [];
  for (const { key, batch } of active) {
    if (await hasUnfinished(tx, key)) busy.push({ kind: "active batch", name: batch.batch_id });
  }
  refuseWhileHeld("campaign", busy);
  for (const locked of batches) await removeBatch(tx, locked, caller.email, "Its campaign was deleted.");
}
