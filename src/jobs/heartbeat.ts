import type pg from "pg";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

/**
 * graphile-worker leaves the jobs of a killed process locked for four hours. Each process that runs jobs therefore
 * writes a heartbeat, and frees the jobs of those that stopped: a lost job runs again within `DEAD_MS` + `BEAT_MS`.
 */
const BEAT_MS = 8_000;
const DEAD_MS = 20_000;

export type Heartbeat = { stop(): Promise<void> };

export async function startHeartbeat(parts: {
  pool: pg.Pool;
  clock: Clock;
  log: Log;
  runnerId: string;
}): Promise<Heartbeat> {
  const { pool, clock, log, runnerId } = parts;
  let last: number | undefined;
  const round = async () => {
    const now = clock.now();
    await beat(pool, now, runnerId);
    // Whoever was not heard itself for so long, as when the database was away, gives the others a round to be heard again.
    if (last !== undefined && now.getTime() - last < DEAD_MS) await reap(pool, now);
    last = now.getTime();
  };
  await round();
  const timer = setInterval(() => {
    round().catch((error) => log.warn({ err: error }, "could not write this process's heartbeat"));
  }, BEAT_MS);
  return {
    async stop() {
      clearInterval(timer);
      await pool.query("delete from job_runners where id = $1", [runnerId]).catch(() => {});
    },
  };
}

/** Both exported for their test; `startHeartbeat` calls them every `BEAT_MS`. */
export async function beat(pool: pg.Pool, now: Date, runnerId: string): Promise<void> {
  await pool.query(
    `insert into job_runners (id, heartbeat_at) values ($1, $2)
     on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`,
    [runnerId, now.toISOString()],
  );
}

/** Frees the jobs of those who stopped. */
export async function reap(pool: pg.Pool, now: Date): Promise<void> {
  const dead = new Date(now.getTime() - DEAD_MS).toISOString();
  await pool.query("delete from job_runners where heartbeat_at < $1", [dead]);
  const { rows } = await pool.query<{ locked_by: string }>(
    `select distinct locked_by from graphile_worker.jobs
     where locked_by is not null and locked_by not in (select id from job_runners)`,
  );
  if (rows.length === 0) return;
  await pool.query("select graphile_worker.force_unlock_workers($1::text[])", [
    rows.map((row) => row.locked_by),
  ]);
}
