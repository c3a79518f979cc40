import { beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { silentLog } from "../../src/base/log.ts";
import { enqueue, handle, type Job } from "../../src/jobs/define-job.ts";
import { beat, reap } from "../../src/jobs/heartbeat.ts";
import { migrateJobs, startJobs } from "../../src/jobs/runner.ts";
import { tellSetAsideJob } from "../../src/reports/set-aside-jobs.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

const talk: Job<{ with: string }> = {
  name: "talk",
  payload: z.object({ with: z.string() }),
  max_attempts: 16,
  is_dialogue: true,
};

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
});
beforeEach(async () => {
  await app.database.pool.query("delete from interrupted_jobs");
  await app.database.pool.query("delete from graphile_worker._private_jobs");
});

const add = (person: string) =>
  app.db
    .transaction()
    .execute((tx) => enqueue(tx, talk, { with: person }, { tenant: app.admin.sub_organization_id }));

/** A process takes all that waits, and dies of it; or it is stopped in order and leaves its heartbeat's row to nobody. */
async function runs(process: string, end: "dies" | "is stopped"): Promise<void> {
  const { pool } = app.database;
  await beat(pool, process);
  await pool.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = $1, attempts = attempts + 1
     where attempts < max_attempts`,
    [process],
  );
  if (end === "is stopped") await pool.query("delete from job_runners where id = $1", [process]);
  else
    await pool.query("update job_runners set heartbeat_at = now() - interval '1 minute' where id = $1", [
      process,
    ]);
  await reap(pool);
}

const jobs = async () =>
  (
    await app.database.pool.query(
      "select id::text, locked_by, attempts >= max_attempts as over from graphile_worker.jobs order by id",
    )
  ).rows;

const setAside = async () => (await app.send("GET", "/api/v1/queues/set_aside")).body;

async function workUntil(done: (said: string[]) => Promise<boolean> | boolean): Promise<string[]> {
  const said: string[] = [];
  const handlers = [handle(talk, async ({ with: person }) => void said.push(person))];
  const runner = await startJobs({ ...app, log: silentLog, pool: app.database.pool, handlers });
  await expect.poll(() => done(said)).toBe(true);
  await runner.stop();
  return said;
}

test("a job that twice went down with its process is set aside, listed, told once and run again by hand", async () => {
  await add("ann");
  await runs("first", "dies");
  expect(await setAside()).toEqual([]);
  expect(await jobs()).toMatchObject([{ locked_by: null, over: false }]);
  await runs("second", "dies");
  const [job] = await jobs();
  expect(job).toMatchObject({ locked_by: null, over: true });
  expect(await setAside()).toEqual([
    {
      job_id: job.id,
      name: "talk",
      sub_organization_id: app.admin.sub_organization_id,
      interruptions: 2,
      set_aside_at: expect.any(String),
    },
  ]);

  const tell = tellSetAsideJob(app);
  for (let round = 0; round < 2; round++) await tell.run({}, {} as never);
  const told = (await app.send("GET", "/api/v1/events/?search_fields=type&search_field_values=job_set_aside"))
    .body.items;
  expect(told).toEqual([
    expect.objectContaining({ category: "platform", attributes: { job_id: job.id, name: "talk" } }),
  ]);

  const retried = await app.send("POST", `/api/v1/queues/set_aside/${job.id}/retry`);
  expect(retried).toMatchObject({ status: 200, body: { job_id: job.id } });
  expect(await setAside()).toEqual([]);
  expect(await workUntil((said) => said.length === 1)).toEqual(["ann"]);
  expect((await app.send("POST", `/api/v1/queues/set_aside/${job.id}/retry`)).status).toBe(404);
});

test("processes that are stopped in order set nothing aside, however often", async () => {
  await add("ann");
  for (const process of ["a", "b", "c"]) await runs(process, "is stopped");
  expect(await setAside()).toEqual([]);
  expect(await jobs()).toMatchObject([{ locked_by: null, over: false }]);
});

test("what comes in a conversation that stands still does not run into the same message; others go on", async () => {
  await add("ann");
  for (const process of ["first", "second"]) await runs(process, "dies");
  await add("ann");
  await add("ben");
  const said = await workUntil(async () => (await jobs()).filter(({ over }) => !over).length === 0);
  expect(said).toEqual(["ben"]);
});

test("only who operates the installation sees what is set aside", async () => {
  const token = await app.createToken(["events_read"]);
  expect((await app.sendAs(token)("GET", "/api/v1/queues/set_aside")).status).toBe(403);
});
