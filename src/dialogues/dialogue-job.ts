import { z } from "zod";
import type { Tx } from "../db/database.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { Correspondence, tenantOfTarget } from "./written-target.ts";

/** The job that goes on with dialogues of a medium, one at a time for each of them. */
export type DialogueJob = {
  /** `run_at`: not before. `key`: a later one takes the place of one that has not begun. */
  enqueue(tx: Tx, dialogue: Correspondence, more?: { run_at?: Date; key?: string }): Promise<void>;
  handle(goOn: (dialogue: Correspondence) => Promise<void>): JobHandler;
};

export function dialogueJob(medium: "texts" | "mails"): DialogueJob {
  const job: Job<Correspondence> = {
    name: `go-on-with-${medium}`,
    payload: Correspondence,
    // Waits between tries grow from seconds to hours: a carrier that is down for a day is waited for.
    max_attempts: 16,
    is_dialogue: true,
  };
  return {
    enqueue(tx, dialogue, { run_at, key } = {}) {
      const queue = `${medium}:${dialogue.channel_target_id}:${dialogue.source}`;
      const tenant = tenantOfTarget(dialogue.channel_target_id);
      const at = { ...(run_at && { run_at }), ...(key !== undefined && { key: `${key}-${queue}` }) };
      return enqueue(tx, job, dialogue, { queue, tenant, ...at });
    },
    handle: (goOn) => handle(job, goOn),
  };
}

/** Closes dialogues that nobody goes on with, by a clock of its own. */
export const endIdleJob = (
  medium: "texts" | "mails",
  schedule: string,
  endIdle: () => Promise<unknown>,
): JobHandler =>
  handle({ name: `end-idle-${medium}`, payload: z.object({}), max_attempts: 1, schedule }, async () => {
    await endIdle();
  });
