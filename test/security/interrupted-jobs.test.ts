import { beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { silentLog } from "../../src/base/log.ts";
import { enqueue, handle, type Job } from "../../src/jobs/define-job.ts";
import { beat, reap } from "../../src/jobs/heartbeat.ts";
import { migrateJobs, startJobs } from "../../src/jobs/runner.ts";
import { tellSetAsideJob } from "../../src/reports/set-aside-routes.ts";
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
async function runs(process: string, end: "dies" | "is stopped", begun?: string): Promise<void> {
  const { pool } = app.database;
  await beat(pool, process);
  await pool.query(
    `update graphile_worker._private_jobs
     set locked_at = now() - interval '1 minute', locked_by = $1, attempts = attempts + 1
     where attempts < max_attempts`,
    [process],
  );
  // Suspects are noted as begun before they run: here all of them, as if one after the other had taken long, or one.
  await pool.query(
    "update interrupted_jobs set begun_by = $1 where set_aside_at is null and ($2::bigint is null or job_id = $2)",
    [process, begun ?? null],
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
      `select id::text, locked_by, attempts >= max_attempts as over from graphile_worker.jobs
       where task_identifier = 'talk' order by jobs.id`,
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
      kind: "job",
      name: "talk",
      organization_id: app.admin.organization_id,
      organization_name: expect.any(String),
      sub_organization_id: app.admin.sub_organization_id,
      session_id: null,
      interruptions: 2,
      set_aside_at: expect.any(String),
      last_error: null,
    },
  ]);

  const tell = tellSetAsideJob(app.engine);
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

test("a job whose process dies in its last try is neither lost nor forgotten: it runs once more, and is set aside then", async () => {
  await add("ann");
  const { pool } = app.database;
  await pool.query("update graphile_worker._private_jobs set attempts = max_attempts - 1");
  await runs("first", "dies");
  expect(await jobs()).toMatchObject([{ locked_by: null, over: false }]);
  await runs("second", "dies");
  expect(await jobs()).toMatchObject([{ locked_by: null, over: true }]);
  expect(await setAside()).toMatchObject([{ name: "talk", interruptions: 2 }]);
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

test("of many that went down together only the one that was running at the second death is set aside", async () => {
  for (const person of ["ann", "ben", "cleo"]) await add(person);
  await runs("first", "dies");
  const [, ben] = await jobs();
  await runs("second", "dies", ben.id);
  expect(await setAside()).toMatchObject([{ job_id: ben.id }]);
  const said = await workUntil(async () => (await jobs()).length === 1);
  expect(said.toSorted()).toEqual(["ann", "cleo"]);
});

test("suspects run one at a time, and one that takes long does not hold up the others", async () => {
  for (const person of ["ann", "ben", "cleo"]) await add(person);
  await runs("first", "dies");
  const first = Promise.withResolvers<void>();
  let begun = 0;
  let running = 0;
  let most = 0;
  const handlers = [
    handle(talk, async () => {
      most = Math.max(most, ++running);
      // Whoever comes first: suspects come in no order of their own.
      if (++begun === 1) await first.promise;
      running--;
    }),
  ];
  const runner = await startJobs({ ...app, log: silentLog, pool: app.database.pool, handlers });
  await expect.poll(async () => (await jobs()).length).toBe(1);
  first.resolve();
  await expect.poll(async () => (await jobs()).length).toBe(0);
  await runner.stop();
  expect(most).toBe(2);
});

test("a set-aside job of a key is not begun by another of that key", async () => {
  const tenant = app.admin.sub_organization_id;
  const addKeyed = () =>
    app.db.transaction().execute((tx) => enqueue(tx, talk, { with: "ann" }, { key: "ann", tenant }));
  await addKeyed();
  for (const process of ["first", "second"]) await runs(process, "dies");
  await addKeyed();
  expect(await workUntil(async () => (await jobs()).filter(({ over }) => !over).length === 0)).toEqual([]);
  expect(await setAside()).toHaveLength(1);
});

test("a dropped job is never run, and what comes next in its conversation is", async () => {
  await add("ann");
  for (const process of ["first", "second"]) await runs(process, "dies");
  const [job] = await jobs();
  expect((await app.send("DELETE", `/api/v1/queues/set_aside/${job.id}`)).status).toBe(200);
  expect((await app.send("DELETE", `/api/v1/queues/set_aside/${job.id}`)).status).toBe(404);
  expect(await jobs()).toEqual([]);
  await add("ann");
  expect(await workUntil((said) => said.length === 1)).toEqual(["ann"]);
});

test("only who operates the installation sees what is set aside", async () => {
  const token = await app.createToken(["events_read"]);
  const send = app.sendAs(token);
  expect((await send("GET", "/api/v1/queues/set_aside")).status).toBe(403);
  expect((await send("DELETE", "/api/v1/queues/set_aside/1")).status).toBe(403);
});
