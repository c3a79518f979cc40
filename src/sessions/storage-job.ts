import { stat } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import { z } from "zod";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { recordingsFolder } from "./bucket/open-recording.ts";

const countStorage: Job<object> = {
  name: "count-storage",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "*/10 * * * *",
};

/** The most recordings of an earlier version that one run measures. */
const MOST_MEASURED = 5_000;

export const storageJob = (deps: { db: Db; dataDir: string }): JobHandler =>
  handle(countStorage, async () => {
    await foldCounts(deps.db);
    await measureRecordings(deps);
  });

/**
 * Measures recordings stored by an earlier version, which has no sizes. A missing file counts as 0 bytes. One that can't be
 * asked about now, as on a disk that is away, is measured by a later run; rejects once the others are measured.
 */
export async function measureRecordings({ db, dataDir }: { db: Db; dataDir: string }): Promise<void> {
  // Index: recordings_unmeasured.
  const rows = await db
    .selectFrom("recordings")
    .select(["id", "file_name"])
    .where("size_bytes", "is", null)
    .orderBy("id")
    .limit(MOST_MEASURED)
    .execute();
  const faults: Error[] = [];
  for (const { id, file_name } of rows) {
    const file = path.join(recordingsFolder(dataDir), path.basename(file_name));
    const size_bytes = await sizeOf(file).catch((error: Error) => {
      faults.push(error);
      return null;
    });
    if (size_bytes === null) continue;
    await db
      .updateTable("recordings")
      .set({ size_bytes })
      .where("id", "=", id)
      .where("size_bytes", "is", null)
      .execute();
  }
  if (faults[0]) throw faults[0];
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

/** Compacts many rows into one per kind. A single statement, so that a concurrent sum counts nothing twice. */
export async function foldCounts(db: Db): Promise<void> {
  await sql`
    with gone as (delete from storage_counts returning *)
    insert into storage_counts
    select sub_organization_id, kind, sum(bytes) from gone group by 1, 2 having sum(bytes) <> 0`.execute(db);
}
