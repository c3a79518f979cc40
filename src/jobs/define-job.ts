import type { JobHelpers } from "graphile-worker";
import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { Tx } from "../db/database.ts";

/**
 * Work for later, stored in the transaction that makes it necessary. A job may run twice (a process may die after doing
 * it and before saying so), so each one must be safe to repeat.
 */
export type Job<Payload> = {
  name: string;
  payload: z.ZodType<Payload>;
  /** Tries before it is given up; waits between them grow exponentially. */
  max_attempts: number;
  /** A turn of a conversation, for which somebody waits: it has workers that do nothing else. */
  is_dialogue?: boolean;
  /** Cron, in UTC, for work that comes round by itself. */
  schedule?: string;
};

/**
 * `stopping` is raised when the process begins to stop: a job that goes on as long as there is work begins nothing new
 * then. `abortSignal` is raised seconds later, to cut off what still runs.
 */
export type JobContext = JobHelpers & { stopping: AbortSignal };

/** A job with what it does; `runner.ts` is handed a list of these. */
export type JobHandler<Payload = unknown> = {
  job: Job<Payload>;
  run(payload: Payload, context: JobContext): Promise<void>;
};

export const handle = <Payload>(job: Job<Payload>, run: JobHandler<Payload>["run"]): JobHandler =>
  ({ job, run }) as unknown as JobHandler;

export type EnqueueOptions = {
  /** A job of the same key that has not begun is replaced, so that it runs once. */
  key?: string;
  run_at?: Date;
  /**
   * The sub-organization it is done for, or what selects it: nobody's jobs take all places of the workers. Left out for
   * what belongs to nobody.
   */
  tenant?: number | RawBuilder<number>;
  /** Jobs of one queue run one after the other, in the order they were added. */
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
