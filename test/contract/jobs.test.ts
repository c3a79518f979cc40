import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { silentLog } from "../../src/base/log.ts";
import { enqueue, handle, type Job } from "../../src/jobs/define-job.ts";
import { beatAndReap } from "../../src/jobs/heartbeat.ts";
import { migrateJobs, startJobs } from "../../src/jobs/runner.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

const note: Job<{ text: string }> = {
  name: "note",
  payload: z.object({ text: z.string() }),
  max_attempts: 3,
};

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
  await beatAndReap(pool, app.clock.now(), "living");
  await beatAndReap(pool, app.clock.now(), "killed");
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "a" }));
  await app.db.transaction().execute((tx) => enqueue(tx, note, { text: "b" }));
  await pool.query(`update graphile_worker._private_jobs set locked_at = now(),
    locked_by = case when payload::text like '%a%' then 'living' else 'killed' end`);
  await beatAndReap(pool, app.clock.now(), "living");
  expect((await lockedJobs()).toSorted()).toEqual(["killed", "living"]);

  app.clock.advance(30_000);
  await beatAndReap(pool, app.clock.now(), "living");
  expect(await lockedJobs()).toEqual(["living"]);
});

const stops: (() => Promise<void>)[] = [];
const stopLater = (stop: () => Promise<void>) => void stops.push(stop);
async function stopAll(): Promise<void> {
  // The runner may still be starting when its first job is done.
  while (stops.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const stop of stops.splice(0)) await stop();
}
