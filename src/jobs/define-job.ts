import type { JobHelpers } from "graphile-worker";
import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { Tx } from "../db/database.ts";

/**
 * Background work, stored in the transaction that makes it necessary. A job may run twice, because a process may die after
 * doing it and before recording that, so each one must be safe to repeat.
 */
export type Job<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** The most attempts; waits between them grow exponentially. */
  max_attempts: number;
  /** A turn of a conversation, for which a person waits, so it has workers of its own. */
  is_dialogue?: boolean;
  /** Cron expression, in UTC, of a scheduled job. */
  schedule?: string;
};

/**
 * `stopping` is aborted when the process begins to stop, so that a job that loops over a backlog begins nothing new.
 * `abortSignal` is aborted seconds later, to end what still runs.
 */
export type JobContext = JobHelpers & { stopping: AbortSignal };

/** A job with its handler; `runner.ts` takes a list of these. */
export type JobHandler<Payload = unknown> = {
  job: Job<Payload>;
  run(payload: Payload, context: JobContext): Promise<void>;
};

export const handle = <Payload>(job: Job<Payload>, run: JobHandler<Payload>["run"]): JobHandler =>
  ({ job, run }) as unknown as JobHandler;

type EnqueueOptions = {
  /** Replaces a job of the same key that has not begun, so that it runs once. */
  key?: string;
  run_at?: Date;
  /**
   * The sub-organization it belongs to, or a query for it, so that no sub-organization takes all workers. Left out for jobs
   * of the installation.
   */
  tenant?: number | RawBuilder<number>;
  /** Jobs of one queue run one at a time, in the order they were added. */
  queue?: string;
};

/** Adds a job in the caller's transaction: it runs if and only if that commits. */
export async function enqueue<Payload>(
  tx: Tx,
  job: Job<Payload>,
  payload: Payload,
  options: EnqueueOptions = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(
    ${job.name}::text, ${JSON.stringify(payload)}::json, max_attempts => ${job.max_attempts}::int,
    job_key => ${options.key ?? null}::text, run_at => ${options.run_at?.toISOString() ?? null}::timestamptz,
    queue_name => ${options.queue ?? null}::text,
    flags => (select array['tenant:' || t.id] from (select ${options.tenant ?? null}::bigint as id) t where t.id is not null)
  )`.execute(tx);
}
