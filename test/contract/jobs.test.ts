import { beforeAll, expect, inject, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { openDatabase } from "../../src/db/database.ts";
import { enqueue, handle, type Job } from "../../src/jobs/define-job.ts";
import { beat, reap } from "../../src/jobs/heartbeat.ts";
import { migrateJobs, startJobs } from "../../src/jobs/runner.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createTestDatabase } from "../harness/database.ts";
import { runAsAdmin } from "../harness/postgres.ts";

const note: Job<{ text: string }> = {
  name: "note",
  payload: z.object({ text: z.string() }),
  max_attempts: 3,
};

/** A machine may be slow, and a lost job is freed only by the heartbeats. */
const WAIT = { timeout: 90_000 };

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

test("the jobs of a process whose heart stopped are freed; those of a living one are not", async () => {
  const { pool } = app.database;
  await beat(pool, app.clock.now(), "living");
  await beat(pool, app.clock.now(), "killed");
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "a" }));
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "b" }));
  await pool.query(`update graphile_worker._private_jobs set locked_at = now(),
    locked_by = case when payload::text like '%a%' then 'living' else 'killed' end`);
  await beat(pool, app.clock.now(), "living");
  await reap(pool, app.clock.now());
  expect((await lockedJobs()).toSorted()).toEqual(["killed", "living"]);

  app.clock.advance(30_000);
  await beat(pool, app.clock.now(), "living");
  await reap(pool, app.clock.now());
  expect(await lockedJobs()).toEqual(["living"]);
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
    clock: systemClock,
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
    .poll(() => app.logged.filter((line) => line.includes("jobs do not run yet")).length, WAIT)
    .toBeGreaterThan(1);
  await runAsAdmin(admin, `alter database ${name} allow_connections true`);

  await expect
    .poll(
      () =>
        db
          .transaction()
          .execute((tx) => enqueue(tx, note, { text: "later" }))
          .then(() => "stored", String),
      WAIT,
    )
    .toBe("stored");
  await expect.poll(() => ran, WAIT).toContain("later");
  const left = async () => (await pool.query("select locked_by from graphile_worker.jobs")).rowCount;
  await expect.poll(left, WAIT).toBe(0);
  await runner.stop();
  await close();
  await drop();
}, 180_000);

const stops: (() => Promise<void>)[] = [];
const stopLater = (stop: () => Promise<void>) => void stops.push(stop);
async function stopAll(): Promise<void> {
  // The runner may still be starting when its first job is done.
  while (stops.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const stop of stops.splice(0)) await stop();
}
