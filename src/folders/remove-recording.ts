import { z } from "zod";
import type { Db } from "../db/database.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { RecordingStore } from "../sessions/recordings/recording-store.ts";

/**
 * Some four hundred days: the waits grow to six hours and stay so. Nothing else knows of these files, and a disk may refuse
 * for a week, mounted for reading only or owned by another user after a move.
 */
const TRIES = 1_600;

/** The bytes of a recording that is deleted go even if the program dies right after its row. */
export const removeRecording: Job<{ object_key: string }> = {
  name: "remove-recording",
  payload: z.object({ object_key: z.string() }),
  max_attempts: TRIES,
};

/** Left before the first byte is written: what no row names by then is of a program that died before it wrote one. */
export const removeUnlisted: Job<{ sub_organization_id: number; call_id: string; stem: string }> = {
  name: "remove-unlisted-recording",
  payload: z.object({ sub_organization_id: z.int(), call_id: z.string(), stem: z.string() }),
  max_attempts: TRIES,
};
/** No upload takes a day. */
export const UNLISTED_AFTER_ms = 86_400_000;

type Deps = { db: Db; recordings: Pick<RecordingStore, "remove" | "removeStem"> };

export const removeRecordingJobs = ({ db, recordings }: Deps): JobHandler[] => [
  handle(removeRecording, ({ object_key }) => recordings.remove(object_key)),
  handle(removeUnlisted, async ({ sub_organization_id, call_id, stem }) => {
    // Index: insight_files_call.
    const listed = await db
      .selectFrom("insight_files")
      .select("object_key")
      .where("sub_organization_id", "=", sub_organization_id)
      .where("call_id", "=", call_id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (!listed?.object_key.startsWith(`${stem}.`)) await recordings.removeStem(stem);
  }),
];
