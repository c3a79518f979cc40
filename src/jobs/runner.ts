import { EventEmitter } from "node:events";
import {
  type JobHelpers,
  Logger,
  parseCronItems,
  run,
  runMigrations,
  type WorkerEvents,
} from "graphile-worker";
import type pg from "pg";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { JobHandler } from "./define-job.ts";
import { startHeartbeat } from "./heartbeat.ts";

/** Jobs taken at once per process; each is mostly waiting for the database or a peer. */
const CONCURRENCY = 10;
/** The library's measured settings: 27,000 trivial jobs/s with a local queue and batched completion, 2,600 without. */
const LOCAL_QUEUE = { size: 100, ttl: 60_000, refetchDelay: { durationMs: 20 } };

export type JobRunner = { stop(): Promise<void> };

export const migrateJobs = (pool: pg.Pool, log: Log): Promise<void> =>
  runMigrations({ pgPool: pool, logger: quietLogger(log) });

/** Runs jobs until stopped; a stop lets those that run finish. */
export async function startJobs(parts: {
  pool: pg.Pool;
  clock: Clock;
  log: Log;
  handlers: JobHandler[];
}): Promise<JobRunner> {
  const { pool, clock, log, handlers } = parts;
  const stopping = new AbortController();
  const taskList = Object.fromEntries(
    handlers.map(({ job, run }) => [
      job.name,
      // What cron adds carries the library's own notes in place of a payload.
      async (payload: unknown, helpers: JobHelpers) =>
        run(
          job.schedule ? {} : job.payload.parse(payload),
          Object.assign(helpers, { stopping: stopping.signal }),
        ),
    ]),
  );
  const cron = handlers.flatMap(({ job }) =>
    job.schedule ? [{ task: job.name, match: job.schedule, options: { maxAttempts: job.max_attempts } }] : [],
  );
  const events: WorkerEvents = new EventEmitter();
  // With a local queue, jobs are locked in the name of the pool; its id is what a heartbeat has to carry.
  let runnerId = "";
  events.once("pool:create", ({ workerPool }) => {
    runnerId = workerPool.id;
  });
  const runner = await run({
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems(cron),
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    logger: quietLogger(log),
    events,
    preset: { worker: { localQueue: LOCAL_QUEUE, completeJobBatchDelay: 5, failJobBatchDelay: 5 } },
  });
  const heartbeat = await startHeartbeat({ pool, clock, log, runnerId });
  return {
    async stop() {
      stopping.abort();
      await runner.stop();
      await heartbeat.stop();
    },
  };
}

/** The library tells of every job; a failure is news, the rest is not. */
const quietLogger = (log: Log): Logger =>
  new Logger(() => (level, message) => {
    if (level === "error") log.error({ jobs: true }, message);
    else if (level === "warning") log.warn({ jobs: true }, message);
    else log.trace({ jobs: true }, message);
  });
