import { rm } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import { Fault } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { BucketProblem, type RecordingBucket } from "../sessions/bucket/bucket.ts";
import { IN_BUCKET } from "../sessions/bucket/open-recording.ts";

/*
 * Files of deleted rows. Their names are stored by the transaction that deletes the rows, and each name goes once its file
 * is gone, so that a process may die anywhere in between. Names are relative to the data directory, or of objects in the
 * bucket of recordings.
 */

export async function listFiles(tx: Tx, tenant: number, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  await sql`
    insert into files_to_remove (path, sub_organization_id)
    select distinct path, ${tenant}::bigint from unnest(${paths}::text[]) as p (path)
    on conflict do nothing`.execute(tx);
}

const MOST_AT_ONCE = 500;

type Deps = { db: Db; dataDir: string; bucket?: RecordingBucket | null };

/**
 * Removes all that are listed for a sub-organization, or for all. Resolves with how many names were worked off. Files on disk
 * go first, whatever the bucket does. What can't be removed stays listed and holds up no other file; throws once the others
 * are gone.
 */
export async function removeListedFiles(
  { db, dataDir, bucket }: Deps,
  tenant: number | null = null,
): Promise<number> {
  let total = 0;
  const faults: unknown[] = [];
  const prefix = `${IN_BUCKET}%`;
  const work = async (inBucket: boolean, remove: (name: string) => Promise<void>) => {
    for (let after = ""; ; ) {
      const { rows } = await sql<{ path: string }>`
        select path from files_to_remove
        where (${tenant}::bigint is null or sub_organization_id = ${tenant}::bigint)
          and (path like ${prefix}::text) = ${inBucket}::boolean and path > ${after}::text
        order by path limit ${MOST_AT_ONCE}::bigint`.execute(db);
      const last = rows.at(-1);
      if (!last) return;
      const removed: string[] = [];
      for (const { path: name } of rows) {
        try {
          await remove(name);
          removed.push(name);
        } catch (error) {
          // The bucket refuses, or does not answer: it would the next one too.
          if (error instanceof BucketProblem) throw error;
          faults.push(error);
        }
      }
      await sql`delete from files_to_remove where path = any(${removed}::text[])`.execute(db);
      total += removed.length;
      after = last.path;
    }
  };
  await work(false, (name) => rm(path.join(dataDir, name), { recursive: true, force: true }));
  // Without a bucket nothing was ever put there, or whoever took it out of the settings keeps what it holds.
  await work(true, async (name) => bucket?.remove(name.slice(IN_BUCKET.length))).catch((error) => {
    if (!(error instanceof BucketProblem)) throw error;
    const message = "Recordings wait for their store to delete them. It is asked again every minute.";
    throw new Fault("unavailable", message, { cause: error });
  });
  if (faults.length > 0) throw faults[0];
  return total;
}
