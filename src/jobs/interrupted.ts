import type pg from "pg";

/**
 * Jobs that went down with their process: a text, a mail or a tool can hold what ends whoever works on it, and would end
 * every process that comes to it next. A job that was interrupted so twice is set aside: nobody runs it until somebody
 * says so, and neither does anybody run another job of the same conversation, which would begin with the same message.
 *
 * A process that is stopped in order gives its jobs back and leaves no heartbeat behind; its jobs count for nothing. Only
 * those done for one sub-organization are counted: what goes round by itself is no message.
 */
export const MOST_INTERRUPTIONS = 2;

const SET_ASIDE = `Set aside: it was running ${MOST_INTERRUPTIONS} times when its process died.`;

/** A job that was set aside just now. */
export type SetAside = { job_id: string; name: string };

/** Counts the jobs that the dead were running, and sets aside those that must not run again. Before they are freed. */
export async function countInterrupted(client: pg.ClientBase, dead: string[]): Promise<SetAside[]> {
  const { rows } = await client.query<SetAside>(
    `with counted as (
       insert into interrupted_jobs (job_id, name, payload, sub_organization_id, interruptions, interrupted_at)
       select jobs.id, tasks.identifier, jobs.payload::jsonb, s.id, 1, now()
       from graphile_worker._private_jobs jobs
       join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
       cross join lateral jsonb_object_keys(jobs.flags) flag
       join sub_organizations s on flag = 'tenant:' || s.id
       where jobs.locked_by = any($1::text[])
       on conflict (job_id) do update
         set interruptions = interrupted_jobs.interruptions + 1, interrupted_at = now(),
           set_aside_at = case when interrupted_jobs.interruptions + 1 >= $2 then now() end
       returning job_id, name, set_aside_at
     ), ended as (
       update graphile_worker._private_jobs jobs set attempts = max_attempts, last_error = $3
       from counted where counted.job_id = jobs.id and counted.set_aside_at is not null
     )
     select job_id, name from counted where set_aside_at is not null`,
    [dead, MOST_INTERRUPTIONS, SET_ASIDE],
  );
  return rows;
}

/** Whether another job of the same conversation is set aside: what that one does once it is retried, this one need not. */
export async function waitsForSetAside(pool: pg.Pool, name: string, payload: unknown): Promise<boolean> {
  const { rowCount } = await pool.query(
    "select from interrupted_jobs where set_aside_at is not null and name = $1 and payload = $2::jsonb",
    [name, JSON.stringify(payload)],
  );
  return (rowCount ?? 0) > 0;
}

/** Those that ran to their end after all, or whose job somebody removed. */
export async function forgetInterrupted(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from interrupted_jobs
     where not exists (select from graphile_worker._private_jobs jobs where jobs.id = interrupted_jobs.job_id)`,
  );
}
