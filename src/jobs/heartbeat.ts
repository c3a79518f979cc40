import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../base/log.ts";
import { countInterrupted, type SetAside } from "./interrupted.ts";
import { RepeatedFault } from "./repeated-fault.ts";

/**
 * graphile-worker leaves the jobs of a killed process locked for four hours. Each process that runs jobs therefore
 * writes a heartbeat and unlocks the jobs of processes whose heartbeat stopped, so a lost job runs again within `DEAD_S` +
 * `BEAT_MS`. Only the database's clock is used, since the clocks of machines differ.
 */
const BEAT_MS = 8_000;
const DEAD_S = 20;

type Heartbeat = { stop(): Promise<void> };

type Parts = {
  pool: pg.Pool;
  log: Log;
  runnerId: string;
  /** The jobs that this process has fetched and not finished. */
  held: ReadonlySet<string>;
};

export async function startHeartbeat(parts: Parts): Promise<Heartbeat> {
  const { pool, log, runnerId } = parts;
  const round = async () => {
    // A process whose own beat is late, as after an outage of the database, waits one round for the others' beats.
    if (!(await beat(pool, runnerId))) return;
    tellOfSetAside(log, await reap(pool));
  };
  await round();
  const fault = new RepeatedFault((error) => log.warn({ error }, "could not write this process's heartbeat"));
  const timer = setInterval(() => {
    round().then(
      () => fault.worked(),
      (error) => fault.failed(error),
    );
  }, BEAT_MS);
  const stopping = new AbortController();
  lookForLost(parts, stopping.signal).catch(() => {});
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await pool.query("delete from job_runners where id = $1", [runnerId]).catch(() => {});
    },
  };
}

export function tellOfSetAside(log: Log, jobs: SetAside[]): void {
  for (const job of jobs) log.error(job, "a job was set aside: its process died on it twice");
}

/** Beats until stopped. A whole `BEAT_MS` lies between two rounds, however long one takes. */
async function lookForLost({ pool, log, runnerId, held }: Parts, stopping: AbortSignal): Promise<never> {
  let missed: ReadonlySet<string> = new Set();
  const fault = new RepeatedFault((error) =>
    log.warn({ error }, "could not look for jobs whose fetch was not answered"),
  );
  for (;;) {
    await sleep(BEAT_MS, undefined, { signal: stopping, ref: false });
    try {
      missed = await freeLost(pool, runnerId, held, missed);
      fault.worked();
    } catch (error) {
      fault.failed(error);
    }
  }
}

/** `startHeartbeat` calls this, `reap` and `freeLost` every `BEAT_MS`. Returns whether the previous beat came in time. */
export async function beat(pool: pg.Pool, runnerId: string): Promise<boolean> {
  const { rows } = await pool.query<{ in_time: boolean }>(
    `with before as (
       select heartbeat_at >= now() - make_interval(secs => $2) as in_time from job_runners where id = $1
     )
     insert into job_runners (id, heartbeat_at) values ($1, now())
     on conflict (id) do update set heartbeat_at = excluded.heartbeat_at
     returning coalesce((select in_time from before), false) as in_time`,
    [runnerId, DEAD_S],
  );
  return rows[0]?.in_time ?? false;
}

/**
 * Unlocks the jobs of dead processes and counts the interruption of each. Resolves with the jobs that are set aside. A process
 * without a heartbeat is dead only once it has had time for its first: its workers fetch jobs before that is written.
 */
export async function reap(pool: pg.Pool, silent_s = DEAD_S): Promise<SetAside[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    // Written by a clock that was set back since: from now on they have as long as the others.
    await client.query("update job_runners set heartbeat_at = now() where heartbeat_at > now()");
    const { rows: dead } = await client.query<{ id: string }>(
      "delete from job_runners where heartbeat_at < clock_timestamp() - make_interval(secs => $1) returning id",
      [silent_s],
    );
    const setAside =
      dead.length > 0
        ? await countInterrupted(
            client,
            dead.map(({ id }) => id),
          )
        : [];
    const { rows } = await client.query<{ locked_by: string }>(
      `select distinct locked_by from graphile_worker.jobs
       where locked_by is not null and locked_by not in (select id from job_runners)
         and (locked_by = any($2::text[]) or locked_at < now() - make_interval(secs => $1))`,
      [silent_s, dead.map(({ id }) => id)],
    );
    if (rows.length > 0) {
      await client.query("select graphile_worker.force_unlock_workers($1::text[])", [
        rows.map((row) => row.locked_by),
      ]);
    }
    await client.query("commit");
    return setAside;
  } catch (error) {
    await client.query("rollback").catch((cause) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Unlocks jobs that are locked by this process and never arrived, because the connection broke during their fetch. A job
 * must be missing in two rounds, since its fetch or its completion may be under way. Resolves with those missing now.
 */
export async function freeLost(
  pool: pg.Pool,
  runnerId: string,
  held: ReadonlySet<string>,
  missed: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: unknown }>(
    "select id from graphile_worker.jobs where locked_by = $1",
    [runnerId],
  );
  const missing = rows.map(({ id }) => String(id)).filter((id) => !held.has(id));
  const lost = missing.filter((id) => missed.has(id));
  // The same update that the library uses to return jobs it has not begun.
  if (lost.length > 0)
    await pool.query(
      `with freed as (
         update graphile_worker._private_jobs
         set locked_at = null, locked_by = null, attempts = greatest(0, attempts - 1)
         where id = any($2::bigint[]) and locked_by = $1 returning job_queue_id
       )
       update graphile_worker._private_job_queues as queues set locked_at = null, locked_by = null
       from freed where queues.id = freed.job_queue_id and queues.locked_by = $1`,
      [runnerId, lost],
    );
  return new Set(missing);
}
