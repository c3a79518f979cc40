import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type JobHelpers,
  Logger,
  parseCronItems,
  run,
  runMigrations,
  type Job as StoredJob,
  type WorkerEvents,
} from "graphile-worker";
import type pg from "pg";
import { CLOCK_SET_BACK_MS } from "../base/clock.ts";
import { errorText } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { JobHandler } from "./define-job.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { Suspects, standingOf } from "./interrupted.ts";
import { TELL_AGAIN_MS } from "./repeated-fault.ts";
import { createShares, tenantOf } from "./shares.ts";
import { tidyJobsJob } from "./tidy-jobs.ts";

/** Concurrent jobs per process, besides turns; each mostly waits for the database or a peer. */
const BACKGROUND = 10;
/**
 * The poll interval of idle workers; a new job wakes one at once. Each worker fetches for itself, because the library's
 * local queue knows no shares. That gives 2,600 trivial jobs/s instead of 27,000, where a turn takes at least 15 ms.
 */
const POLL_MS = 5_000;

/**
 * The next job of a queue can be fetched once the library has stored the end of the one before: a moment after its worker
 * has fetched again, and without a notification. So a worker is woken after these delays, the later for a busy database.
 */
const LOOK_AGAIN_MS = [15, 150, 1_000];

export type JobRunner = { stop(): Promise<void> };

export const migrateJobs = (pool: pg.Pool, log: Log): Promise<void> =>
  runMigrations({ pgPool: pool, logger: quietLogger(log) });

type Parts = {
  pool: pg.Pool;
  log: Log;
  handlers: JobHandler[];
  /** Concurrent turns. */
  dialogues?: number;
  /** Aborts a start that still waits for the database. */
  signal?: AbortSignal;
};

/** A set of workers for some of the jobs, so that those never wait for others. */
type Lane = {
  pool: pg.Pool;
  log: Log;
  suspects: Suspects;
  handlers: JobHandler[];
  places: number;
  signal: AbortSignal | undefined;
};

const DIALOGUES = 32;

/** Runs jobs until stopped, with separate workers for turns; a stop lets running jobs finish. */
export async function startJobs(parts: Parts): Promise<JobRunner> {
  const { pool, log, handlers, dialogues = DIALOGUES, signal } = parts;
  const inDialogues = handlers.filter(({ job }) => job.is_dialogue);
  const others = [...handlers.filter(({ job }) => !job.is_dialogue), tidyJobsJob(pool, handlers)];
  const suspects = new Suspects(pool);
  const both = { pool, log, suspects, signal };
  const background = await startLane({ ...both, handlers: others, places: BACKGROUND });
  if (inDialogues.length === 0) return background;
  const lane = { ...both, handlers: inDialogues, places: dialogues };
  const conversations = await startLane(lane).catch(async (error) => {
    await background.stop();
    throw error;
  });
  return {
    async stop() {
      await Promise.all([background.stop(), conversations.stop()]);
    },
  };
}

/**
 * The library shuts its workers down for good when it could not store the end of a job, as after a restart of the database.
 * Jobs then continue in a new set of workers, while the old set finishes what it has begun.
 */
async function startLane(parts: Lane): Promise<JobRunner> {
  const { log, signal } = parts;
  const stopping = new AbortController();
  const ending = new Set<Promise<void>>();
  // Empty while a new set is being started.
  let workers: Workers | undefined = await startPatiently(parts, stopping.signal, signal);

  const keepRunning = async (): Promise<void> => {
    while (workers) {
      const { gaveUp, drained } = workers;
      await gaveUp;
      if (stopping.signal.aborted) return;
      log.error({ jobs: true }, "the workers of jobs gave up, others take over");
      workers = undefined;
      const old = drained();
      ending.add(old);
      old.finally(() => ending.delete(old));
      await sleep(REPLACE_AFTER_MS, undefined, { signal: stopping.signal });
      const next = await startPatiently(parts, stopping.signal);
      if (stopping.signal.aborted) return next.stop();
      workers = next;
    }
  };
  const keeping = keepRunning().catch((error) => {
    // Ends a wait between tries.
    if (!stopping.signal.aborted) throw error;
  });

  return {
    async stop() {
      stopping.abort();
      await workers?.stop();
      await keeping;
      await Promise.all(ending);
    },
  };
}

const REPLACE_AFTER_MS = 100;
/** Between tries while the database does not answer. */
const TRY_AGAIN_MS = [500, 1_000, 2_000, 5_000];

async function startPatiently(parts: Lane, stopping: AbortSignal, signal = stopping): Promise<Workers> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await startWorkers(parts, stopping);
    } catch (error) {
      parts.log.warn({ error: errorText(error) }, "jobs do not run yet, trying again");
    }
    const wait = TRY_AGAIN_MS[Math.min(attempt, TRY_AGAIN_MS.length - 1)];
    await sleep(wait, undefined, { signal });
  }
}

type Workers = {
  /** Settles when they fetch no more jobs: after a stop, or when the library shuts them down itself. */
  gaveUp: Promise<unknown>;
  /** Resolves when all jobs they had begun have finished or were aborted. */
  drained(): Promise<void>;
  stop(): Promise<void>;
};

/** By this long after a job's end, the library has stored its result or failed to. */
const LAST_WORDS_MS = 2_000;

async function startWorkers(parts: Lane, stopping: AbortSignal): Promise<Workers> {
  const { pool, log, suspects, handlers, places } = parts;
  const events: WorkerEvents = new EventEmitter();
  const shares = createShares(events, places);
  const running = new Set<Promise<void>>();
  const taskList = Object.fromEntries(
    handlers.map(({ job, run }) => [
      job.name,
      // Scheduled jobs carry the library's own data instead of a payload.
      (payload: unknown, helpers: JobHelpers) => {
        const done = Promise.try(async () => {
          const work = async () =>
            run(job.schedule ? {} : job.payload.parse(payload), Object.assign(helpers, { stopping }));
          if (tenantOf(helpers.job) === undefined) return work();
          const id = String(helpers.job.id);
          const standing = await standingOf(pool, { id, name: job.name, payload });
          if (standing === "clear") return work();
          if (standing === "suspect") return suspects.run(id, runnerId, work);
        });
        running.add(done);
        return done.finally(() => {
          running.delete(done);
          shares.leave(helpers.job);
        });
      },
    ]),
  );
  const cron = handlers.flatMap(({ job }) =>
    job.schedule ? [{ task: job.name, match: job.schedule, options: { maxAttempts: job.max_attempts } }] : [],
  );
  // Jobs are locked by the worker pool, so the heartbeat carries the pool's id.
  let runnerId = "";
  events.once("pool:create", ({ workerPool }) => {
    runnerId = workerPool.id;
    let isEnding = false;
    events.once("pool:gracefulShutdown", () => {
      isEnding = true;
    });
    const lookAgain = () => {
      if (isEnding) return;
      try {
        workerPool.nudge(1);
      } catch {
        // A worker that has ended can't be woken; another fetches the job, at its next poll at the latest.
      }
    };
    events.on("job:complete", ({ job }) => {
      if (job.job_queue_id === null) return;
      for (const ms of LOOK_AGAIN_MS) setTimeout(lookAgain, ms).unref();
    });
  });
  const held = heldJobs(events);
  const gaveUp = once(events as EventEmitter, "pool:gracefulShutdown");
  await forgetRoundsAhead(pool);
  const runner = await run({
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems(cron),
    concurrency: places,
    pollInterval: POLL_MS,
    forbiddenFlags: shares.forbiddenFlags,
    noHandleSignals: true,
    logger: quietLogger(log),
    events,
    preset: { worker: { completeJobBatchDelay: 5, failJobBatchDelay: 5 } },
  });
  events.on("cron:prematureTimer", ({ currentTimestamp, expectedTimestamp }) => {
    const ahead_ms = expectedTimestamp - currentTimestamp;
    if (ahead_ms <= CLOCK_SET_BACK_MS || stopping.aborted) return;
    log.warn({ jobs: true, back_s: ahead_ms / 1000 }, "the clock was set back, scheduled jobs follow it");
    runner.stop().catch(() => {});
  });
  // Rejects when the library's shutdown was not clean, which it has logged itself.
  const ended = runner.promise.catch(() => {});
  const heartbeat = await startHeartbeat({ pool, log, runnerId, held }).catch(async (error) => {
    await runner.stop();
    throw error;
  });
  const drained = async (): Promise<void> => {
    while (running.size > 0) await Promise.allSettled(running);
    // The library's shutdown may never finish, because it miscounts its outstanding writes after a failed one.
    await Promise.race([ended, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
    await heartbeat.stop();
  };
  return {
    gaveUp,
    drained,
    async stop() {
      // The runner refuses when it is shutting down already.
      await runner.stop().catch(() => {});
      await drained();
    },
  };
}

/** The library begins a scheduled job only later than before, so a clock that was set back would stop it until then. */
const forgetRoundsAhead = (pool: pg.Pool) =>
  pool.query(
    `update graphile_worker._private_known_crontabs set last_execution = null
     where last_execution > now() + make_interval(secs => $1)`,
    [CLOCK_SET_BACK_MS / 1000],
  );

/** The ids of jobs that were fetched and have not finished. */
function heldJobs(events: WorkerEvents): ReadonlySet<string> {
  const held = new Set<string>();
  events.on("job:start", ({ job }) => held.add(String(job.id)));
  events.on("job:complete", ({ job }) => held.delete(String(job.id)));
  return held;
}

/** Silences the warning about more workers than connections: workers wait for models, not for the database. */
const FEW_CONNECTIONS = "WARNING: having maxPoolSize";

/** The library retries these itself, at first within a second. Their cause is the database, whose outage is logged elsewhere. */
const TRIED_AGAIN =
  /^(Error with notify listener|Error occurred attempting to UNLISTEN|Cron hit an error|Failed to reset locked)/;

/** What the library says of a job that failed. */
type Failure = { job: StoredJob; error: unknown };

/** The library logs every job; only failures are passed on. */
function quietLogger(log: Log): Logger {
  const toldAt = new Map<string, number>();
  const isTold = (kind: string) => performance.now() < (toldAt.get(kind) ?? -Infinity) + TELL_AGAIN_MS;
  return new Logger(() => (level, message, meta) => {
    const [kind] = TRIED_AGAIN.exec(message) ?? [];
    if (meta?.failure) tellFailed(log, meta as unknown as Failure);
    else if (level === "error" && kind !== undefined) {
      if (isTold(kind)) return;
      toldAt.set(kind, performance.now());
      log.warn({ jobs: true }, message);
    } else if (level === "error") log.error({ jobs: true }, message);
    else if (level === "warning" && !message.startsWith(FEW_CONNECTIONS)) log.warn({ jobs: true }, message);
    else log.trace({ jobs: true }, message);
  });
}

function tellFailed(log: Log, { job, error }: Failure): void {
  const { id: job_id, task_identifier: name, attempts, max_attempts } = job;
  const told = { err: error, name, job_id, attempts, max_attempts };
  if (attempts < max_attempts) log.warn(told, "a job failed and is tried again");
  else log.error(told, "a job failed with its last attempt");
}
