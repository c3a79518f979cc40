import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Log } from "../base/log.ts";
import { countInterrupted, type SetAside } from "./interrupted.ts";

/**
 * graphile-worker leaves the jobs of a killed process locked for four hours. Each process that runs jobs therefore
 * writes a heartbeat, and frees the jobs of those that stopped: a lost job runs again within `DEAD_S` + `BEAT_MS`.
 * Beats are written and judged by the database's clock alone, since those of machines differ.
 */
const BEAT_MS = 8_000;
const DEAD_S = 20;

export type Heartbeat = { stop(): Promise<void> };

type Parts = {
  pool: pg.Pool;
  log: Log;
  runnerId: string;
  /** The jobs that were fetched and are not over yet. */
  held: ReadonlySet<string>;
};

export async function startHeartbeat(parts: Parts): Promise<Heartbeat> {
  const { pool, log, runnerId } = parts;
  const round = async () => {
    // Whoever was not heard itself for so long, as when the database was away, gives the others a round to be heard again.
    if (!(await beat(pool, runnerId))) return;
    tellOfSetAside(log, await reap(pool));
  };
  await round();
  const timer = setInterval(() => {
    round().catch((error) => log.warn({ err: error }, "could not write this process's heartbeat"));
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

/** Until stopped. A whole `BEAT_MS` lies between two looks, however long one takes. */
async function lookForLost({ pool, log, runnerId, held }: Parts, stopping: AbortSignal): Promise<never> {
  let missed: ReadonlySet<string> = new Set();
  for (;;) {
    await sleep(BEAT_MS, undefined, { signal: stopping, ref: false });
    try {
      missed = await freeLost(pool, runnerId, held, missed);
    } catch (error) {
      log.warn({ err: error }, "could not look for jobs whose fetch was not answered");
    }
  }
}

/** The three exported for their tests; `startHeartbeat` calls them every `BEAT_MS`. Tells whether the beat before came in time. */
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

/** Frees the jobs of those who stopped, and counts what went down with those who died. Resolves with what is set aside. */
export async function reap(pool: pg.Pool, silent_s = DEAD_S): Promise<SetAside[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const { rows: dead } = await client.query<{ id: string }>(
      "delete from job_runners where heartbeat_at < now() - make_interval(secs => $1) returning id",
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
       where locked_by is not null and locked_by not in (select id from job_runners)`,
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
 * Frees what is locked in this process's name and never came here: the answer to its fetch was lost with a connection.
 * Only what the look before missed too, since an answer may be on its way, as may the word that a job is done.
 * Resolves with what this look missed.
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
  // As the library itself returns jobs that it has not begun.
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
