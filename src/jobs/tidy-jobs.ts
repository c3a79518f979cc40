import type pg from "pg";
import { z } from "zod";
import { handle, type Job, type JobHandler } from "./define-job.ts";
import { forgetInterrupted } from "./interrupted.ts";

const tidyJobs: Job<object> = {
  name: "tidy-jobs",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "53 * * * *",
};

/** Deletes rows that the library never deletes itself. */
export const tidyJobsJob = (pool: pg.Pool, handlers: JobHandler[]): JobHandler =>
  handle(tidyJobs, async (_, { stopping }) => {
    const scheduled = handlers.filter(({ job }) => job.schedule).map(({ job }) => job.name);
    await forgetInterrupted(pool);
    await forgetRounds(pool, [...scheduled, tidyJobs.name]);
    while (!stopping.aborted) if ((await forgetQueues(pool)) < MOST_QUEUES) break;
  });

/**
 * Deletes runs of scheduled jobs that failed for good, since the next run did the same work. They are listed as failures for
 * a day. Other failed jobs are kept, because their work has not been done.
 */
export async function forgetRounds(pool: pg.Pool, scheduled: string[]): Promise<void> {
  await pool.query(
    `delete from graphile_worker._private_jobs as jobs using graphile_worker._private_tasks as tasks
     where tasks.id = jobs.task_id and tasks.identifier = any($1::text[]) and jobs.key is null
       and jobs.attempts >= jobs.max_attempts and jobs.locked_at is null
       and jobs.updated_at < now() - interval '24 hours'`,
    [scheduled],
  );
}

/** As many as can be deleted in some ten milliseconds, during which no job can be added. */
const MOST_QUEUES = 10_000;
/** PostgreSQL's lock_not_available. */
const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Deletes empty queues. There is one for each person who ever wrote, and each fetch of a queued job locks all their rows.
 * Resolves with the number deleted.
 *
 * Locks the table against transactions that add jobs, since one may have added a job to a queue that looks empty here: the
 * library has no foreign key, and a job whose queue is gone never runs. Left to the next round when the lock takes long.
 */
export async function forgetQueues(pool: pg.Pool): Promise<number> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    await client.query("set local lock_timeout = '1s'");
    await client.query("lock table graphile_worker._private_job_queues in share row exclusive mode");
    const { rowCount } = await client.query(
      `delete from graphile_worker._private_job_queues where id in (
         select id from graphile_worker._private_job_queues as queues
         where locked_at is null
           and not exists (select from graphile_worker._private_jobs as jobs where jobs.job_queue_id = queues.id)
         limit ${MOST_QUEUES}
       )`,
    );
    await client.query("commit");
    return rowCount ?? 0;
  } catch (error) {
    await client.query("rollback").catch((cause) => {
      broken = cause;
    });
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return 0;
    throw error;
  } finally {
    client.release(broken);
  }
}
