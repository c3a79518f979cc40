import { z } from "zod";
import type { Tx } from "../db/database.ts";
import { enqueue, type Job } from "../jobs/define-job.ts";

/** Writes what a session is found by (src/search); enqueued by each transaction that ends one or changes it afterwards. */
export const indexSession: Job<{ session_id: number }> = {
  name: "index-session",
  payload: z.object({ session_id: z.int() }),
  max_attempts: 12,
};

export const queueIndexing = (tx: Tx, session: { id: number; sub_organization_id: number }): Promise<void> =>
  enqueue(
    tx,
    indexSession,
    { session_id: session.id },
    { key: `index-session-${session.id}`, tenant: session.sub_organization_id },
  );
