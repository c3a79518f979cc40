import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { cancelSlice, resumeCancels, SLICE } from "../../../src/batches/cancel-waiting.ts";
import { expireBatches } from "../../../src/batches/tidy-batches.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createOutbound, request } from "../../harness/batch.ts";

let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
});

const WAITING = 2 * SLICE + 5_000;

/** A batch in which more wait than one slice takes, and one is done. */
async function filled(more: object = {}): Promise<{ batch_id: string; key: number }> {
  const { batch_id } = await outbound.createBatch(more);
  await outbound.add(batch_id, [request("done", "+15125550001")]);
  const { key } = await app.db
    .selectFrom("batches")
    .select("key")
    .where("batch_id", "=", batch_id)
    .executeTakeFirstOrThrow();
  await sql`update requests set request_status = 'COMPLETED', channel_manager_status = 'COMPLETED', due_at = null
    where batch_key = ${key}`.execute(app.db);
  await sql`
    insert into requests (batch_key, reference_id, target, request_status, channel_manager_status, due_at, created_at,
      request_variables)
    select ${key}, 'r' || n, '+1' || (5125600000 + n), 'PENDING', 'PENDING', now(), ${app.clock.now().toISOString()}, '{}'
    from generate_series(1, ${WAITING}::int) n`.execute(app.db);
  return { batch_id, key };
}

/** What the rows themselves say. */
const written = async (key: number) => {
  const { rows } = await sql<{ request_status: string; n: number }>`
    select request_status, count(*) as n from requests where batch_key = ${key} group by 1 order by 1`.execute(
    app.db,
  );
  return Object.fromEntries(rows.map((row) => [row.request_status, row.n]));
};
const countsOf = async (batch_id: string) => (await outbound.get(batch_id)).body.status_counts;
const resultsOf = async (batch_id: string, status: string) =>
  (await outbound.results(batch_id, `?status=${status}`)).body as { request_status: string }[];
const job = () => {
  const found = app.jobs.find(({ job }) => job.name === "cancel-waiting-requests");
  if (!found) throw new Error("there is no such job");
  return found;
};
const runJob = (batch_key: number, stopping = new AbortController().signal) =>
  job().run({ batch_key }, { stopping } as never);
const queued = async (key: number) => {
  const { rows } = await app.database.pool.query(
    "select count(*)::int as n from graphile_worker._private_jobs where key = $1",
    [`cancel-waiting-${key}`],
  );
  return rows[0].n;
};
const ALL = { CANCELED: WAITING, COMPLETED: 1 };

test("a batch that can't be expired holds up no other one, nor what else is tidied in that minute", async () => {
  const expires_on = new Date(app.clock.now().getTime() + 60_000).toISOString();
  const keyOf = async () => {
    const { batch_id } = await outbound.createBatch({ expires_on });
    return app.db
      .selectFrom("batches")
      .select(["key", "batch_id"])
      .where("batch_id", "=", batch_id)
      .executeTakeFirstOrThrow();
  };
  const [broken, next] = [await keyOf(), await keyOf()];
  const lost = await outbound.createBatch();
  await sql`
    insert into batch_uploads (batch_key, upload_id, filename, rows_read, beat_at)
    select key, 'lost', 'people.csv', 0, ${app.clock.now().toISOString()} from batches where batch_id = ${lost.batch_id}`.execute(
    app.db,
  );
  await sql`create function refuse_broken() returns trigger language plpgsql as ${sql.lit(
    `begin if new.key = ${broken.key} then raise exception 'broken'; end if; return new; end`,
  )}`.execute(app.db);
  await sql`create trigger broken before update on batches for each row execute function refuse_broken()`.execute(
    app.db,
  );
  app.clock.advance(61_000);
  const job = app.jobs.find(({ job }) => job.name === "tidy-batches");
  await expect(job?.run({}, { stopping: new AbortController().signal } as never)).rejects.toThrow("broken");
  await sql`drop trigger broken on batches`.execute(app.db);
  const stored = async (batch_id: string) =>
    await app.db
      .selectFrom("batches")
      .select(["status", "error_message"])
      .where("batch_id", "=", batch_id)
      .executeTakeFirstOrThrow();
  expect(await stored(next.batch_id)).toMatchObject({ status: "EXPIRED" });
  expect(await stored(lost.batch_id)).toMatchObject({
    status: "FAILED",
    error_message: expect.stringContaining("people.csv"),
  });
});

describe("a batch with more waiting requests than one transaction should change", () => {
  test("that is deleted reads as canceled at once, and its requests are canceled slice by slice", async () => {
    const { batch_id, key } = await filled();
    expect((await outbound.remove(batch_id)).status).toBe(200);
    expect(await written(key)).toEqual({ PENDING: WAITING - SLICE, CANCELED: SLICE, COMPLETED: 1 });
    const check = async () => {
      expect((await outbound.get(batch_id)).body).toMatchObject({
        status: "CANCELED",
        status_counts: ALL,
        detailed_status_counts: { CANCELED: { total_count: WAITING, counts: { CANCELED: WAITING } } },
      });
      expect(await resultsOf(batch_id, "PENDING")).toEqual([]);
      const canceled = await resultsOf(batch_id, "CANCELED");
      expect(canceled).toHaveLength(WAITING);
      expect(new Set(canceled.map((row) => row.request_status))).toEqual(new Set(["CANCELED"]));
    };
    await check();
    expect(await queued(key)).toBe(1);
    expect(await cancelSlice(app.db, key)).toBe(true);
    await check();
    await runJob(key);
    expect(await written(key)).toEqual(ALL);
    await check();
    await runJob(key);
    expect(await cancelSlice(app.db, key)).toBe(false);
  });

  test("whose job is cut off by a stop is left to the next one, and one that was given up is begun again", async () => {
    const { batch_id, key } = await filled();
    await outbound.remove(batch_id);
    await app.database.pool.query("delete from graphile_worker._private_jobs where key = $1", [
      `cancel-waiting-${key}`,
    ]);
    const stop = new AbortController();
    stop.abort();
    await runJob(key, stop.signal);
    expect(await queued(key)).toBe(1);
    await app.database.pool.query("delete from graphile_worker._private_jobs where key = $1", [
      `cancel-waiting-${key}`,
    ]);
    await resumeCancels(app.db);
    expect(await queued(key)).toBe(1);
    await runJob(key);
    await resumeCancels(app.db);
    expect(await written(key)).toEqual(ALL);
  });

  test("that expired tells once how many were left, and can be opened again when they are canceled", async () => {
    const expires_on = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const { batch_id, key } = await filled({ expires_on });
    app.clock.advance(60_000);
    await expireBatches(app.db, app.clock);
    expect(await countsOf(batch_id)).toEqual(ALL);
    const query = `search_fields=type&search_field_values=batch-expired&search_fields=attributes&search_field_values="${batch_id}"`;
    const { items } = (await app.send("GET", `/api/v1/events/?${query}`)).body;
    expect(items).toMatchObject([{ attributes: { canceled: WAITING } }]);

    const later = { expires_on: new Date(app.clock.now().getTime() + 60_000).toISOString() };
    const removing = await app.send("POST", `/api/v1/outbound/batches/${batch_id}/remove-requests`, [
      `r${WAITING}`,
    ]);
    expect(removing.body).toEqual({ removed: [], not_removed: [`r${WAITING}`] });
    expect(await outbound.put(batch_id, later)).toMatchObject({
      status: 409,
      body: { detail: `Batch "${batch_id}" is still canceling what waited in it. Try again in a moment.` },
    });
    await runJob(key);
    expect((await outbound.put(batch_id, later)).body.status).toBe("ACTIVE");
    expect((await outbound.add(batch_id, request("new", "+15125550002"))).body.accepted).toBe(1);
    await runJob(key);
    expect(await countsOf(batch_id)).toEqual({ ...ALL, PENDING: 1 });
  });

  test("that an edit says expired long ago tells its webhooks that all were canceled at that edit", async () => {
    const webhook = { url: "https://hooks.example/", request_method: "POST", trigger_statuses: ["CANCELED"] };
    const { id } = await outbound.createCampaign({ webhooks: [webhook] });
    const { batch_id, key } = await filled({ campaign_id: id });
    app.clock.advance(60_000);
    expect((await outbound.put(batch_id, { expires_on: "2020-01-01T00:00:00Z" })).body.status).toBe(
      "EXPIRED",
    );
    const edited_at = app.clock.now().toISOString();
    app.clock.advance(60_000);
    await runJob(key);
    const told = await app.db
      .selectFrom("webhook_deliveries")
      .select((of) => ["created_at", of.fn.countAll<number>().as("n")])
      .where("campaign_id", "=", id)
      .groupBy("created_at")
      .execute();
    expect(told.map(({ created_at, n }) => [new Date(created_at).toISOString(), Number(n)])).toEqual([
      [edited_at, WAITING],
    ]);
  });
});
