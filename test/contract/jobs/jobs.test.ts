import { beforeAll, expect, inject, test, vi } from "vitest";
import { z } from "zod";
import { createLog, silentLog } from "../../../src/base/log.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { isAtWork } from "../../../src/jobs/at-work.ts";
import { enqueue, handle, type Job } from "../../../src/jobs/define-job.ts";
import { beat, freeLost, reap } from "../../../src/jobs/heartbeat.ts";
import { migrateJobs, startJobs } from "../../../src/jobs/runner.ts";
import { forgetQueues, forgetRounds } from "../../../src/jobs/tidy-jobs.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDatabase } from "../../harness/database.ts";
import { runAsAdmin } from "../../harness/postgres.ts";
import { WAITING } from "../../harness/waiting.ts";

const note: Job<{ text: string }> = {
  name: "note",
  payload: z.object({ text: z.string() }),
  max_attempts: 3,
};

const dialogue: Job<{ source: string }> = {
  name: "talk",
  payload: z.object({ source: z.string() }),
  max_attempts: 3,
};

/** A machine may be slow, and a lost job is freed only by the heartbeats. */

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
});

const lockedJobs = async () => {
  const { rows } = await app.database.pool.query(
    "select locked_by from graphile_worker.jobs where locked_by is not null",
  );
  return rows.map((row) => row.locked_by);
};

test("a job runs if its transaction commits, and only then", async () => {
  const ran: string[] = [];
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "kept" }));
  await app.db
    .transaction()
    .execute(async (tx) => {
      await enqueue(tx, note, { text: "rolled back" });
      throw new Error("undone");
    })
    .catch(() => {});
  await new Promise<void>((resolve, reject) => {
    startJobs({
      ...app,
      pool: app.database.pool,
      handlers: [
        handle(note, async ({ text }) => {
          ran.push(text);
          resolve();
        }),
      ],
    }).then((runner) => stopLater(runner.stop), reject);
  });
  await stopAll();
  expect(ran).toEqual(["kept"]);
});

test("the next of a queue, added while the one before it runs, does not wait for the next look round", async () => {
  const LINKS = 20;
  const links: number[] = [];
  const done = Promise.withResolvers<void>();
  const link: Job<{ n: number }> = {
    name: "link",
    payload: z.object({ n: z.number() }),
    max_attempts: 1,
  };
  const add = (n: number) =>
    app.db.transaction().execute((tx) => enqueue(tx, link, { n }, { queue: "a chain" }));
  const runner = await startJobs({
    pool: app.database.pool,
    log: silentLog,
    handlers: [
      handle(link, async ({ n }) => {
        links.push(n);
        if (n < LINKS) await add(n + 1);
        else done.resolve();
      }),
    ],
  });
  await add(1);
  await done.promise;
  await runner.stop();
  expect(links).toEqual(Array.from({ length: LINKS }, (_, n) => n + 1));
  // Each waiting for the look round, they would take a hundred seconds.
});

test("the jobs of a process whose heart stopped are freed; those of a living one are not", async () => {
  const { pool } = app.database;
  await beat(pool, "living");
  await beat(pool, "killed");
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "a" }));
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "b" }));
  await pool.query(`update graphile_worker._private_jobs set locked_at = now(),
    locked_by = case when payload::text like '%a%' then 'living' else 'killed' end`);
  await beat(pool, "living");
  await reap(pool);
  expect((await lockedJobs()).toSorted()).toEqual(["killed", "living"]);

  await pool.query("update job_runners set heartbeat_at = heartbeat_at - interval '30 seconds'");
  await beat(pool, "living");
  await reap(pool);
  expect(await lockedJobs()).toEqual(["living"]);
});

test("the jobs of a process that has just begun are its own before its first heartbeat, and freed when none comes", async () => {
  const { pool } = app.database;
  await pool.query("delete from graphile_worker._private_jobs");
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "fetched" }));
  await pool.query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'just begun'");
  await reap(pool);
  expect(await lockedJobs()).toEqual(["just begun"]);
  await pool.query("update graphile_worker._private_jobs set locked_at = locked_at - interval '30 seconds'");
  await reap(pool);
  expect(await lockedJobs()).toEqual([]);
});

test("the jobs of a process that died before the clock was set back are freed at once where it was alone, else as soon as others'", async () => {
  const { pool } = app.database;
  const hold = async () => {
    await pool.query("delete from graphile_worker._private_jobs");
    await pool.query("delete from job_runners");
    await beat(pool, "living");
    await beat(pool, "killed");
    await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "left" }));
    await pool.query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed'");
    await pool.query("update job_runners set heartbeat_at = heartbeat_at + interval '1 hour'");
  };
  await hold();
  await reap(pool);
  expect(await lockedJobs()).toEqual(["killed"]);
  await pool.query("update job_runners set heartbeat_at = heartbeat_at - interval '30 seconds'");
  expect(await beat(pool, "living")).toBe(false);
  await reap(pool);
  expect(await lockedJobs()).toEqual([]);

  await hold();
  await reap(pool, 0);
  expect(await lockedJobs()).toEqual([]);
});

test("a process knows of its own silence, and judges nobody's until it was heard twice in time", async () => {
  const { pool } = app.database;
  expect(await beat(pool, "silent")).toBe(false);
  expect(await beat(pool, "silent")).toBe(true);
  await pool.query("update job_runners set heartbeat_at = heartbeat_at - interval '30 seconds'");
  expect(await beat(pool, "silent")).toBe(false);
  expect(await beat(pool, "silent")).toBe(true);
});

test("what a process fetched and never got is freed at the second look, unspent; what it has is not", async () => {
  const { pool } = app.database;
  await pool.query("delete from graphile_worker._private_jobs");
  for (const text of ["has", "lost"])
    await app.db.transaction().execute((tx) => enqueue(tx, note, { text }, { queue: text }));
  await pool.query(
    "update graphile_worker._private_jobs set locked_at = now(), locked_by = 'fetcher', attempts = 1",
  );
  await pool.query("update graphile_worker._private_job_queues set locked_at = now(), locked_by = 'fetcher'");
  const { rows } = await pool.query("select id from graphile_worker._private_jobs order by id");
  const held = new Set([String(rows[0].id)]);
  const state = async () =>
    (
      await pool.query(
        `select j.locked_by, j.attempts, q.locked_by as queue from graphile_worker._private_jobs j
         join graphile_worker._private_job_queues q on q.id = j.job_queue_id order by j.id`,
      )
    ).rows;
  const locked = { locked_by: "fetcher", attempts: 1, queue: "fetcher" };

  const missed = await freeLost(pool, "fetcher", held, new Set());
  expect(missed).toEqual(new Set([String(rows[1].id)]));
  expect(await state()).toEqual([locked, locked]);
  await freeLost(pool, "fetcher", held, missed);
  expect(await state()).toEqual([locked, { locked_by: null, attempts: 0, queue: null }]);
  await pool.query("delete from graphile_worker._private_jobs");
  await pool.query("delete from graphile_worker._private_job_queues");
});

test("a scheduled job that failed for good is forgotten after a day; what was asked for once is kept", async () => {
  const { pool } = app.database;
  const round = { ...note, name: "round", schedule: "* * * * *" };
  for (const job of [note, round])
    for (const text of ["given up", "given up lately", "waiting"])
      await app.db.transaction().execute((tx) => enqueue(tx, job, { text }));
  await pool.query(
    "update graphile_worker._private_jobs set attempts = max_attempts where payload->>'text' like 'given up%'",
  );
  await pool.query(
    "update graphile_worker._private_jobs set updated_at = now() - interval '25 hours' where payload->>'text' <> 'given up lately'",
  );
  await forgetRounds(pool, [round.name]);
  const { rows } = await pool.query(
    `select t.identifier as name, j.payload->>'text' as text from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id order by j.id`,
  );
  expect(rows.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    "note: given up",
    "note: given up lately",
    "note: waiting",
    "round: given up lately",
    "round: waiting",
  ]);
  await pool.query("delete from graphile_worker._private_jobs");
});

test("a scheduled job goes on where the clock was set back by an hour, and does not wait for the hour", async () => {
  const { config, drop } = await createTestDatabase();
  const { pool, close } = openDatabase(config);
  const ran = Promise.withResolvers<void>();
  const round = handle({ ...note, name: "each-minute", payload: z.any(), schedule: "* * * * *" }, async () =>
    ran.resolve(),
  );
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const ahead = new Date(minute + 3_600_000);
  vi.useFakeTimers({ toFake: ["Date"], now: ahead.getTime() - 10 });
  try {
    const runner = await startJobs({ ...app, pool, handlers: [round] });
    await pool.query("update graphile_worker._private_known_crontabs set last_execution = $1", [ahead]);
    vi.setSystemTime(minute);
    await ran.promise;
    await runner.stop();
  } finally {
    vi.useRealTimers();
  }
  expect(app.logged.some((line) => line.includes("the clock was set back"))).toBe(true);
  await close();
  await drop();
});

test("a job that fails is a warning in the log while attempts are left, and an error with the last one", async () => {
  const { config, drop } = await createTestDatabase();
  const { db, pool, close } = openDatabase(config);
  const lines: { level: number; name: string; msg: string; err: { message: string } }[] = [];
  const log = createLog({
    level: "warn",
    destination: { write: (line: string) => lines.push(JSON.parse(line)) } as never,
  });
  await migrateJobs(pool, silentLog);
  await db.transaction().execute(async (tx) => {
    await enqueue(tx, note, { text: "first" });
    await enqueue(tx, { ...note, max_attempts: 1 }, { text: "only" });
  });
  const failing = handle(note, ({ text }) => Promise.reject(new Error(text)));
  const runner = await startJobs({ log, pool, handlers: [failing] });
  await expect.poll(() => lines.length, WAITING).toBe(2);
  await runner.stop();
  expect(lines.toSorted((a, b) => a.level - b.level)).toMatchObject([
    { level: 40, name: "note", msg: "a job failed and is tried again", err: { message: "first" } },
    { level: 50, name: "note", msg: "a job failed with its last attempt", err: { message: "only" } },
  ]);
  await close();
  await drop();
});

test("a queue that nothing waits in is forgotten; one that a job is just being added to is not", async () => {
  const { pool } = app.database;
  const add = (queue: string) =>
    app.db.transaction().execute((tx) => enqueue(tx, note, { text: queue }, { queue }));
  await add("waiting");
  await add("empty");
  await add("being added to");
  await pool.query("delete from graphile_worker._private_jobs where payload->>'text' <> 'waiting'");
  const queues = async () =>
    (
      await pool.query("select queue_name from graphile_worker._private_job_queues order by queue_name")
    ).rows.map((row) => row.queue_name);

  await app.db.transaction().execute(async (tx) => {
    await enqueue(tx, note, { text: "late" }, { queue: "being added to" });
    expect(await forgetQueues(pool)).toBe(0);
  });
  await forgetQueues(pool);
  expect(await queues()).toEqual(["being added to", "waiting"]);
  const { rowCount } = await pool.query(
    `select from graphile_worker._private_jobs j
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id where q.id is null`,
  );
  expect(rowCount).toBe(0);
  await pool.query("delete from graphile_worker._private_jobs");
});

test("a job whose fetch was answered to nobody, as on a broken connection, still runs soon", async () => {
  const { config, drop } = await createTestDatabase();
  const { db, pool, close } = openDatabase(config);
  const ran: string[] = [];
  let lost = 0;
  // What the database did stands; the answer does not arrive.
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...all: unknown[]) => unknown;
    client.query = (async (...all: unknown[]) => {
      const answer = (await query(...all)) as { rowCount: number };
      const { text } = all[0] as { text?: string };
      if (lost === 0 && text?.includes("with j as (") && answer.rowCount > 0) {
        lost = answer.rowCount;
        throw new Error("Connection terminated unexpectedly");
      }
      return answer;
    }) as never;
  });
  await db.transaction().execute((tx) => enqueue(tx, { ...note, max_attempts: 1 }, { text: "once" }));
  const runner = await startJobs({
    log: silentLog,
    pool,
    handlers: [handle(note, async ({ text }) => void ran.push(text))],
  });
  await expect.poll(() => ran, WAITING).toEqual(["once"]);
  expect(lost).toBe(1);
  await runner.stop();
  await close();
  await drop();
});

test("when the database comes back after a restart, jobs go on by themselves, the interrupted one too", async () => {
  const { name, config, drop } = await createTestDatabase();
  const { admin } = inject("testServer");
  const { db, pool, close } = openDatabase(config);
  const begun = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const ran: string[] = [];
  const runner = await startJobs({
    ...app,
    pool,
    handlers: [
      handle(note, async ({ text }) => {
        begun.resolve();
        if (text === "interrupted") await gone.promise;
        ran.push(text);
      }),
    ],
  });
  await db.transaction().execute((tx) => enqueue(tx, note, { text: "interrupted" }));
  await begun.promise;
  await runAsAdmin(admin, `alter database ${name} allow_connections false`);
  await runAsAdmin(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  gone.resolve();
  await expect
    .poll(() => app.logged.filter((line) => line.includes("jobs do not run yet")).length, WAITING)
    .toBeGreaterThan(1);
  await runAsAdmin(admin, `alter database ${name} allow_connections true`);

  await expect
    .poll(
      () =>
        db
          .transaction()
          .execute((tx) => enqueue(tx, note, { text: "later" }))
          .then(() => "stored", String),
      WAITING,
    )
    .toBe("stored");
  await expect.poll(() => ran, WAITING).toContain("later");
  const left = async () => (await pool.query("select locked_by from graphile_worker.jobs")).rowCount;
  await expect.poll(left, WAITING).toBe(0);
  await runner.stop();
  await close();
  await drop();
});

test("workers whose first start finds no database begin once it is there, and a stop ends the wait for it", async () => {
  const { name, config, drop } = await createTestDatabase();
  const { admin } = inject("testServer");
  const { db, pool, close } = openDatabase(config);
  const told = () => app.logged.filter((line) => line.includes("jobs do not run yet")).length;
  const ran = Promise.withResolvers<string>();
  const parts = { ...app, pool, handlers: [handle(note, async ({ text }) => ran.resolve(text))] };
  await db.transaction().execute((tx) => enqueue(tx, note, { text: "waited" }));
  await runAsAdmin(admin, `alter database ${name} allow_connections false`);
  await runAsAdmin(admin, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);

  const before = told();
  const stop = new AbortController();
  const stopped = startJobs({ ...parts, signal: stop.signal });
  await expect.poll(told, WAITING).toBeGreaterThan(before);
  stop.abort();
  await expect(stopped).rejects.toThrow("aborted");

  const again = told();
  const started = startJobs(parts);
  await expect.poll(told, WAITING).toBeGreaterThan(again);
  await runAsAdmin(admin, `alter database ${name} allow_connections true`);
  expect(await ran.promise).toBe("waited");
  await (await started).stop();
  await close();
  await drop();
});

test("three connections, the fewest that DATABASE_CONNECTIONS may be, are enough for jobs and dialogues", async () => {
  const { config, drop } = await createTestDatabase();
  const { db, pool, close } = openDatabase({ ...config, max: 3 });
  const ran = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const runner = await startJobs({
    pool,
    log: silentLog,
    handlers: [
      handle(note, async ({ text }) => ran[0]?.resolve(text)),
      handle({ ...dialogue, is_dialogue: true }, async ({ source }) => ran[1]?.resolve(source)),
    ],
  });
  await db.transaction().execute(async (tx) => {
    await enqueue(tx, note, { text: "a note" });
    await enqueue(tx, dialogue, { source: "a talk" });
  });
  expect(await Promise.all(ran.map(({ promise }) => promise))).toEqual(["a note", "a talk"]);
  await runner.stop();
  await close();
  await drop();
});

const stops: (() => Promise<void>)[] = [];
const stopLater = (stop: () => Promise<void>) => void stops.push(stop);
async function stopAll(): Promise<void> {
  // The runner may still be starting when its first job is done.
  while (stops.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const stop of stops.splice(0)) await stop();
}

test("a queue is at work while a job runs or is due, not while one waits for its moment or has failed for good", async () => {
  const { pool } = app.database;
  const jobs = "graphile_worker._private_jobs";
  await pool.query(`delete from ${jobs}`);
  expect(await isAtWork(app.db)).toBe(false);
  await app.db.transaction().execute((tx) => enqueue(tx, dialogue, { source: "+15125550101" }));
  expect(await isAtWork(app.db)).toBe(true);
  expect(await isAtWork(app.db, "+15125550101")).toBe(true);
  expect(await isAtWork(app.db, "+15125550102")).toBe(false);
  await pool.query(`update ${jobs} set run_at = now() + interval '1 hour'`);
  expect(await isAtWork(app.db)).toBe(false);
  await pool.query(`update ${jobs} set locked_at = now(), locked_by = 'worker'`);
  expect(await isAtWork(app.db)).toBe(true);
  await pool.query(
    `update ${jobs} set run_at = now(), locked_at = null, locked_by = null, attempts = max_attempts`,
  );
  expect(await isAtWork(app.db)).toBe(false);
  await pool.query(`delete from ${jobs}`);
});
