import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { type Db, openDatabase } from "../../../src/db/database.ts";
import { settleAttempts } from "../../../src/dialing/settle-store.ts";
import { afterFile } from "../../harness/after-file.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing } from "../../harness/dialing.ts";

let app: TestApp;
/** One connection, which tells of itself what it read. Others tell up to ten seconds late, so all that reads much reads by this one. */
let db: Db;
beforeAll(async () => {
  app = await createTestApp();
  const database = openDatabase({ ...app.database.pool.options, max: 1 });
  afterFile(() => database.close());
  ({ db } = database);
});

test("what settling an attempt reads does not grow with its campaign", async () => {
  const dialing = await createDialing(app);
  await dialing.filled(LIVE);
  // PostgreSQL knows the tables as they were before anybody was tried.
  await sql`vacuum analyze`.execute(app.db);
  await createTestDialer(app, () => ({ tells: [] })).tick();
  await sql`
    insert into attempts
    select (json_populate_record(a, json_build_object(
      'key', 'live-' || r.id, 'request_id', r.id, 'reference_id', r.reference_id, 'target', r.target))).*
    from attempts a join requests r on r.batch_key = a.batch_key and r.id <> a.request_id`.execute(db);
  await sql`
    insert into attempts
    select (json_populate_record(a, json_build_object('key', 'ended-' || n, 'state', 'ENDED', 'holds_slot', false, 'reference_id', 'r' || n))).*
    from attempts a, generate_series(1, 30000) n where a.key = (select min(key) from attempts)`.execute(db);

  await expectFewReadBy("IN-PROGRESS", 10);
  // Of a retry it is also asked whether an attempt before it reached the person. What was updated is in the indexes twice.
  await sql`update attempts set attempt_number = 2 where state = 'PLACED'`.execute(db);
  await sql`update requests set attempt_count = 2`.execute(db);
  await expectFewReadBy("HUMAN", 20);
});

/** All live attempts are told this in one transaction. */
async function expectFewReadBy(status: "IN-PROGRESS" | "HUMAN", most_each: number): Promise<void> {
  const live = await db.selectFrom("attempts").select("key").where("state", "=", "PLACED").execute();
  expect(live).toHaveLength(LIVE);
  const at = app.clock.now();
  const before = await entriesRead();
  await settleAttempts(
    db,
    live.map(({ key }) => ({ kind: "status", key, status, is_transient: null, at })),
    at,
  );
  const read = (await entriesRead()) - before;
  const told = db.selectFrom("attempts").select("key").where("channel_status", "=", status);
  expect(await told.where("state", "=", "PLACED").execute()).toHaveLength(LIVE);
  expect(read).toBeGreaterThanOrEqual(LIVE);
  expect(read).toBeLessThan(most_each * LIVE);
}

const LIVE = 200;

/** Of the indexes of attempts, and its rows that were read without one. */
async function entriesRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ n: number }>`
    select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'attempts')
      + (select seq_tup_read from pg_stat_user_tables where relname = 'attempts') as n`.execute(db);
  return Number(rows[0]?.n);
}
