import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/**
 * Jobs whose process died while they ran. A text, a mail or a tool's answer may crash every process that works on it, so a
 * job interrupted twice is set aside: it does not run until a person retries it, and neither does another job of the
 * same conversation, which would begin with the same message.
 *
 *     runs ──death──▶ suspect, runs while no other suspect does ──death──▶ set aside ──by hand──▶ runs, or is dropped
 *
 * All jobs that were running in the process become suspects and then run one at a time, so that the second crash is counted
 * for the one that caused it.
 *
 * A process that stops in order returns its jobs and deletes its heartbeat, which is no interruption. Only jobs of a
 * sub-organization are counted, since scheduled jobs carry no message.
 */
export const MOST_INTERRUPTIONS = 2;

const SET_ASIDE = `Set aside: it was running ${MOST_INTERRUPTIONS} times when its process died.`;

/** The job that reports jobs that were set aside (reports/set-aside-routes.ts): at once, and every minute for missed ones. */
export const TELL_SET_ASIDE = "tell-set-aside";

/** A job that was set aside just now. */
export type SetAside = { job_id: string; name: string };

/**
 * Counts interruptions of the jobs that dead processes were running, and sets aside those that must not run again. Runs
 * before they are unlocked. A job that is set aside loses its key, since a new job of that key would replace it and run.
 */
export async function countInterrupted(client: pg.ClientBase, dead: string[]): Promise<SetAside[]> {
  const { rows } = await client.query<SetAside>(
    `with counted as (
       insert into interrupted_jobs (job_id, name, payload, sub_organization_id, interruptions, interrupted_at, begun_by,
         last_error)
       select jobs.id, tasks.identifier, jobs.payload::jsonb, s.id, 1, now(), jobs.locked_by, jobs.last_error
       from graphile_worker._private_jobs jobs
       join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
       cross join lateral jsonb_object_keys(jobs.flags) flag
       join sub_organizations s on flag = 'tenant:' || s.id
       where jobs.locked_by = any($1::text[])
       on conflict (job_id) do update
         set interruptions = interrupted_jobs.interruptions + 1, interrupted_at = now(), last_error = excluded.last_error,
           set_aside_at = case when interrupted_jobs.interruptions + 1 >= $2 then now() end
         where interrupted_jobs.begun_by = excluded.begun_by
       returning job_id, name, set_aside_at
     ), ended as (
       update graphile_worker._private_jobs jobs set attempts = max_attempts, last_error = $3, key = null
       from counted where counted.job_id = jobs.id and counted.set_aside_at is not null
     )
     select job_id, name from counted where set_aside_at is not null`,
    [dead, MOST_INTERRUPTIONS, SET_ASIDE],
  );
  // Who died in the last try has not failed in it: without another one it would never run, and never be set aside.
  await client.query(
    `update graphile_worker._private_jobs jobs set attempts = least(attempts, max_attempts - 1)
     from interrupted_jobs i
     where i.job_id = jobs.id and i.set_aside_at is null and jobs.locked_by = any($1::text[])`,
    [dead],
  );
  if (rows.length > 0)
    await client.query("select graphile_worker.add_job($1, max_attempts => 1, job_key => $1)", [
      TELL_SET_ASIDE,
    ]);
  return rows;
}

type Standing =
  /** Another job of the same conversation is set aside and will do this one's work once it is retried. */
  | "waits"
  /** Its process died while it ran. */
  | "suspect"
  | "clear";

export async function standingOf(
  pool: pg.Pool,
  job: { id: string; name: string; payload: unknown },
): Promise<Standing> {
  const { rows } = await pool.query<{ is_itself: boolean }>(
    `select job_id = $1 as is_itself from interrupted_jobs
     where job_id = $1 or (set_aside_at is not null and name = $2 and payload = $3::jsonb)`,
    [job.id, job.name, JSON.stringify(job.payload)],
  );
  if (rows.some(({ is_itself }) => !is_itself)) return "waits";
  return rows.length > 0 ? "suspect" : "clear";
}

/** After this time without a crash the next suspect may begin, so that a slow turn does not delay the others for long. */
const PROVEN_MS = 5_000;

/** Runs suspects one after the other, each noted as begun before it is. */
export class Suspects {
  #pool: pg.Pool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async run(job_id: string, runnerId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last;
    const proven = Promise.withResolvers<void>();
    this.#last = proven.promise;
    await before;
    try {
      await this.#pool.query("update interrupted_jobs set begun_by = $2 where job_id = $1", [
        job_id,
        runnerId,
      ]);
      const working = work();
      Promise.race([working.catch(() => {}), sleep(PROVEN_MS, undefined, { ref: false })]).then(() =>
        proven.resolve(),
      );
      await working;
    } finally {
      proven.resolve();
    }
  }
}

/** Forgets suspects that finished after all, or whose job was removed. */
export async function forgetInterrupted(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from interrupted_jobs
     where not exists (select from graphile_worker._private_jobs jobs where jobs.id = interrupted_jobs.job_id)`,
  );
}
