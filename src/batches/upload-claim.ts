import type { Clock } from "../base/clock.ts";
import { errorText, Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import { type LockedBatch, lockByKey, statusAfter, updateBatch } from "./batch-store.ts";

/**
 * One file at a time is read into a batch. The reading process holds a row with a heartbeat. When the process dies, the
 * claim expires after a minute, and a job says on the batch that the upload failed.
 */
export type UploadClaim = { batch_key: number; upload_id: string; filename: string };

/** What the reader has seen so far. */
export type Progress = { rows: number };

/** Often enough for a progress bar to move. */
const BEAT_MS = 500;
const DEAD_MS = 60_000;

/** Under the batch's lock. */
export async function claimUpload(
  tx: Tx,
  { key, at, batch }: LockedBatch,
  filename: string,
): Promise<UploadClaim> {
  const upload_id = randomId().replaceAll("-", "");
  const claimed = await tx
    .insertInto("batch_uploads")
    .values({ batch_key: key, upload_id, filename, rows_read: 0, beat_at: at.toISOString() })
    .onConflict((conflict) =>
      conflict
        .column("batch_key")
        .doUpdateSet({ upload_id, filename, rows_read: 0, beat_at: at.toISOString() })
        .where("batch_uploads.beat_at", "<", deadAt(at)),
    )
    .returning("upload_id")
    .executeTakeFirst();
  if (!claimed) throw beingRead(batch.batch_id);
  return { batch_key: key, upload_id, filename };
}

/** Requests that are added to a batch while a file is read into it would wait for that file's transaction. */
export async function refuseWhileRead(tx: Tx, { key, at, batch }: LockedBatch): Promise<void> {
  const claim = await tx
    .selectFrom("batch_uploads")
    .select("upload_id")
    .where("batch_key", "=", key)
    .where("beat_at", ">=", deadAt(at))
    .executeTakeFirst();
  if (claim) throw beingRead(batch.batch_id);
}

/** False when the claim is somebody else's by now. */
export async function releaseUpload(tx: Tx, { batch_key, upload_id }: UploadClaim): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("batch_uploads")
    .where("batch_key", "=", batch_key)
    .where("upload_id", "=", upload_id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/**
 * Says that the upload lives and how far it is, beside its transaction.
 * One beat at a time: the transaction that ends the upload holds its row, so beats wait there, each on a connection.
 */
export function startBeating(
  parts: { db: Db; clock: Clock; log: Log },
  claim: UploadClaim,
  progress: Progress,
): { stop(): void } {
  let isBeating = false;
  const timer = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    parts.db
      .updateTable("batch_uploads")
      .set({ rows_read: progress.rows, beat_at: parts.clock.now().toISOString() })
      .where("batch_key", "=", claim.batch_key)
      .where("upload_id", "=", claim.upload_id)
      .execute()
      .catch((error: unknown) =>
        parts.log.warn({ error: errorText(error) }, "could not store an upload's progress"),
      )
      .finally(() => {
        isBeating = false;
      });
  }, BEAT_MS);
  return { stop: () => clearInterval(timer) };
}

/** Uploads whose process died: their batch says so, and can take the file again. Returns how many. */
export async function failLostUploads(db: Db, clock: Clock): Promise<number> {
  const lost = await db
    .selectFrom("batch_uploads")
    .select(["batch_key", "upload_id", "filename"])
    .where("beat_at", "<", deadAt(clock.now()))
    .execute();
  let failed = 0;
  await oneByOne(lost, (claim) =>
    db.transaction().execute(async (tx) => {
      const locked = await lockByKey(tx, clock, claim.batch_key);
      if (!locked || !(await releaseUpload(tx, claim))) return;
      await updateBatch(tx, locked, null, {
        status: statusAfter(locked, { kind: "upload-failed" }),
        error_message: `Reading ${claim.filename} was cut off and nothing of it was stored. Upload it again.`,
      });
      failed++;
    }),
  );
  return failed;
}

const deadAt = (at: Date): string => new Date(at.getTime() - DEAD_MS).toISOString();

const beingRead = (batch_id: string): Fault =>
  new Fault("conflict", `A file is being read into batch "${batch_id}". Try again when it is done.`);
