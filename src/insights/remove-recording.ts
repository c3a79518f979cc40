import { z } from "zod";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { RecordingStore } from "./recording-store.ts";

/** The bytes of a recording that is deleted go even if the program dies right after its row. */
export const removeRecording: Job<{ object_key: string }> = {
  name: "remove-recording",
  payload: z.object({ object_key: z.string() }),
  max_attempts: 10,
};

export const removeRecordingJob = (recordings: Pick<RecordingStore, "remove">): JobHandler =>
  handle(removeRecording, ({ object_key }) => recordings.remove(object_key));
