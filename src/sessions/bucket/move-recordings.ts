import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { sql } from "kysely";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { readSealedHead } from "../../data-keys/sealed-file.ts";
import { alone } from "../../db/alone.ts";
import type { Db } from "../../db/database.ts";
import { handle, type Job, type JobHandler } from "../../jobs/define-job.ts";
import { BucketProblem, type RecordingBucket } from "./bucket.ts";
import { objectOf, recordingsFolder } from "./open-recording.ts";

/*
 * Moves finished recordings to the bucket, sealed as they are on disk. A file leaves the disk once the bucket has said that
 * it has all of it. Whatever dies, a recording is on disk, in the bucket, or in both:
 *
 *     upload noted → object written → its size and hash asked for → row says both → file removed → row says bucket
 */

const moveJob: Job<object> = {
  name: "move-recordings",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

type MoveDeps = { db: Db; clock: Clock; log: Log; dataDir: string; bucket?: RecordingBucket | null };
type WithBucket = MoveDeps & { bucket: RecordingBucket };

/** Names the lock that one run holds; PostgreSQL gives it back when the process dies. */
const LOCK = 7_315_520_080n;
const AT_ONCE = 100;
/** A store that fails so often in a row is left alone until the next run, in a minute. */
const MOST_FAILURES = 3;

export const moveRecordingsJob = (deps: MoveDeps): JobHandler =>
  handle(moveJob, async (_, { stopping }) => {
    await moveRecordings(deps, stopping);
  });

type Moved = { moved: number; problem: string | null };

/** Null where there is no bucket, or another run is at work. */
export async function moveRecordings(deps: MoveDeps, stopping?: AbortSignal): Promise<Moved | null> {
  const { db, bucket } = deps;
  if (!bucket) return null;
  return alone(db, sql`${LOCK}`, () => moveAll({ ...deps, bucket }, stopping));
}

async function moveAll(deps: WithBucket, stopping: AbortSignal | undefined): Promise<Moved> {
  const { db, log } = deps;
  let moved = 0;
  let failures = 0;
  let problem: string | null = null;
  const failed = (error: unknown, file_name: string) => {
    if (isOfFile(error)) return log.error({ file_name, err: error }, "a recording can't be read from disk");
    if (!(error instanceof BucketProblem)) throw error;
    problem = error.message;
    failures++;
    log.warn({ file_name, problem }, "a recording stays on disk: the bucket did not take it");
  };
  await removeLeftUploads(deps).catch((error) => failed(error, "an upload that was left"));
  for (let after = 0; failures < MOST_FAILURES; ) {
    const rows = await db
      .selectFrom("recordings")
      .select(["id", "file_name", "stored_in"])
      .where("stored_in", "<>", "bucket")
      .where("id", ">", after)
      .orderBy("id")
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) {
      if (stopping?.aborted || failures >= MOST_FAILURES) break;
      try {
        if (row.stored_in === "both") await leaveDisk(deps, row);
        else if (await moveOne(deps, row)) moved++;
        else continue;
        failures = 0;
      } catch (error) {
        failed(error, row.file_name);
      }
    }
    const last = rows.at(-1);
    if (!last || stopping?.aborted) break;
    after = last.id;
  }
  await noteIncident(deps, problem);
  return { moved, problem };
}

/** What one file can't do says nothing of the others. */
const isOfFile = (error: unknown): boolean =>
  ["open", "read", "stat", "unlink", "rm"].includes(String((error as NodeJS.ErrnoException).syscall));

type Row = { id: number; file_name: string };

/** False where the file is not there, or was sealed anew meanwhile: the next run looks again. */
async function moveOne(deps: WithBucket, row: Row): Promise<boolean> {
  const { db, clock, dataDir, bucket } = deps;
  const file = path.join(recordingsFolder(dataDir), path.basename(row.file_name));
  const before = await stat(file).catch(() => null);
  if (!before) return false;
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const facts = { bytes: before.size, sha256: hash.digest("hex") };
  const began_at = clock.now().toISOString();
  await db
    .insertInto("recording_uploads")
    .values({ file_name: row.file_name, began_at })
    .onConflict((conflict) => conflict.column("file_name").doUpdateSet({ began_at }))
    .execute();
  const key = objectOf(row.file_name);
  await bucket.put(key, createReadStream(file), facts);
  const seen = await bucket.facts(key);
  if (seen?.bytes !== facts.bytes || seen.sha256 !== facts.sha256)
    throw new BucketProblem("The bucket does not have what was sent to it.");
  const bucket_key_id = await keyOf(file);
  const outcome = await db.transaction().execute(async (tx) => {
    const { rows } = await sql`select from recordings where id = ${row.id} for update`.execute(tx);
    if (rows.length === 0) return "gone";
    // A rotation of keys may have put another file in its place; it holds the row's lock while it does.
    const now = await stat(file).catch(() => null);
    if (now?.ino !== before.ino || now.mtimeMs !== before.mtimeMs) return "changed";
    await tx
      .updateTable("recordings")
      .set({ stored_in: "both", bucket_key_id })
      .where("id", "=", row.id)
      .execute();
    await tx.deleteFrom("recording_uploads").where("file_name", "=", row.file_name).execute();
    return "stored";
  });
  if (outcome === "gone") await removeLeftUploads(deps);
  if (outcome === "stored") await leaveDisk(deps, row);
  return outcome === "stored";
}

async function leaveDisk({ db, dataDir }: WithBucket, { id, file_name }: Row): Promise<void> {
  await rm(path.join(recordingsFolder(dataDir), path.basename(file_name)), { force: true });
  await db
    .updateTable("recordings")
    .set({ stored_in: "bucket" })
    .where("id", "=", id)
    .where("stored_in", "=", "both")
    .execute();
}

async function keyOf(file: string): Promise<number | null> {
  const handle = await open(file);
  try {
    return (await readSealedHead(handle))?.key_id ?? null;
  } finally {
    await handle.close();
  }
}

/** Objects of recordings that were deleted while they were sent. */
async function removeLeftUploads({ db, bucket }: WithBucket): Promise<void> {
  const { rows } = await sql<{ file_name: string }>`
    select file_name from recording_uploads u
    where not exists (select from recordings r where r.file_name = u.file_name)`.execute(db);
  for (const { file_name } of rows) {
    await bucket.remove(objectOf(file_name));
    await db.deleteFrom("recording_uploads").where("file_name", "=", file_name).execute();
  }
}

const INCIDENT = "Recordings can't be moved to their store";

/** One notice for everybody while it lasts. It names no address and no key: every organization reads it. */
async function noteIncident({ db, clock }: WithBucket, problem: string | null): Promise<void> {
  const now = clock.now().toISOString();
  const open = await db
    .selectFrom("incidents")
    .select("id")
    .where("description", "=", INCIDENT)
    .where("impact_category", "=", "Low")
    .where("last_updated_by", "=", BY)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (problem === null) {
    if (open)
      await db
        .updateTable("incidents")
        .set({ impact_category: "Resolved", resolution_datetime: now, updated_at: now })
        .where("id", "=", open.id)
        .execute();
    return;
  }
  const told = {
    markdown: `${problem.split(":")[0]?.replace(/[.]$/, "")}. Recordings are kept on disk and moved as soon as the store answers. Those that are there already may not play meanwhile.`,
    resolution_datetime: now,
    updated_at: now,
  };
  if (open) {
    await db.updateTable("incidents").set(told).where("id", "=", open.id).execute();
    return;
  }
  await db
    .insertInto("incidents")
    .values({
      ...told,
      description: INCIDENT,
      start_datetime: now,
      impact_category: "Low",
      sessions_impacted: 0,
      created_at: now,
      last_updated_by: BY,
    })
    .execute();
}

const BY = "Parley";
