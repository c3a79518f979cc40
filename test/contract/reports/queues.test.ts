import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { enqueue, type Job } from "../../../src/jobs/define-job.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

const PATH = "/api/v1/queues/";
const job = (name: string, max_attempts: number): Job<{ secret: string }> => ({
  name,
  payload: z.object({ secret: z.string() }),
  max_attempts,
});

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  const add = (name: string, options: { run_at?: Date } = {}) =>
    app.db.transaction().execute((tx) => enqueue(tx, job(name, 3), { secret: "of somebody" }, options));
  const inAnHour = new Date(Date.now() + 3_600_000);
  await add("due");
  await add("due");
  await add("planned", { run_at: inAnHour });
  await add("running");
  for (const name of ["failing", "failing", "hopeless"]) await add(name);
  // As the library leaves them: one that is held, two that failed once and wait, one that is given up, all of it now.
  const { pool } = app.database;
  const set = (name: string, assignments: string) =>
    pool.query(
      `update graphile_worker._private_jobs j set ${assignments} from graphile_worker._private_tasks t
       where t.id = j.task_id and t.identifier = $1`,
      [name],
    );
  await set("running", "locked_at = now(), locked_by = 'somebody', attempts = 1");
  const failed = (attempts: number) =>
    `attempts = ${attempts}, run_at = now() + exp(${attempts}) * interval '1 second'`;
  await set("failing", `${failed(1)}, last_error = 'peer is away'`);
  await set("hopeless", `${failed(3)}, last_error = repeat('x', 5000)`);
  // It waited long for its turn.
  await set("failing", "created_at = now() - interval '3 days', updated_at = now() - interval '3 days'");
});

const empty = { waiting: 0, later: 0, running: 0, given_up: 0 };

test("each job is counted once, as due, due later, running or given up", async () => {
  const { body } = await app.send("GET", PATH);
  expect(body.queues).toEqual([
    { ...empty, name: "due", waiting: 2 },
    { ...empty, name: "failing", later: 2 },
    { ...empty, name: "hopeless", given_up: 1 },
    { ...empty, name: "planned", later: 1 },
    { ...empty, name: "running", running: 1 },
  ]);
});

test("what failed lately is told with its reason, cut where it is long, and never with what a job carries", async () => {
  const { body } = await app.send("GET", PATH);
  const failures = body.failures.toSorted((one: { name: string }, other: { name: string }) =>
    one.name.localeCompare(other.name),
  );
  expect(failures).toEqual([
    { name: "failing", reason: "peer is away", jobs: 2, given_up: 0, failed_at: expect.any(String) },
    { name: "hopeless", reason: "x".repeat(500), jobs: 1, given_up: 1, failed_at: expect.any(String) },
  ]);
  expect(JSON.stringify(body)).not.toContain("of somebody");
});

test("what failed more than a day ago is counted and no longer told", async () => {
  await app.database.pool.query(
    "update graphile_worker._private_jobs set run_at = run_at - interval '25 hours' where attempts = 3",
  );
  const { body } = await app.send("GET", PATH);
  expect(body.failures.map(({ name }: { name: string }) => name)).toEqual(["failing"]);
  expect(body.queues).toContainEqual({ ...empty, name: "hopeless", given_up: 1 });
});

test("an administrator of another organization is refused: jobs know no tenant", async () => {
  const neighbour = await app.createNeighbour();
  expect(await neighbour.send("GET", PATH)).toMatchObject({
    status: 403,
    body: { detail: "Missing permission: platform_admin" },
  });
});
