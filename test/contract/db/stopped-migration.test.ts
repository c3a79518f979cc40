import { expect, inject, onTestFinished, test } from "vitest";
import { createLog } from "../../../src/base/log.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { createTestApp } from "../../harness/app.ts";
import { inDatabase } from "../../harness/postgres.ts";

async function createMigrating() {
  const { admin } = inject("testServer");
  const { pool } = (await createTestApp()).database;
  const name: string = (await pool.query("select current_database() as name")).rows[0].name;
  const other = await pool.connect();
  onTestFinished(() => other.release(true));
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(JSON.parse(line).msg) } as never;
  const stop = new AbortController();
  const log = createLog({ level: "info", destination });
  return {
    pool,
    /** Another connection, which holds what the migration needs. */
    other,
    lines,
    stop,
    run: () => migrate({ ...admin, ...inDatabase(admin, name) }, undefined, { log, stop: stop.signal }),
    waiting: async () => {
      const { rows } = await pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    },
  };
}

test("a start that waits for another program's migration says so, and ends at once when it is told to", async () => {
  const { other, lines, stop, run, waiting } = await createMigrating();
  await other.query("select pg_advisory_lock(7246001)");
  const migrating = run();
  await expect.poll(waiting).toBe(1);
  expect(lines).toEqual(["waits for another program that migrates the database"]);
  stop.abort();
  await expect(migrating).rejects.toThrow("Connection terminated");
  await expect.poll(waiting).toBe(0);
});

test("a migration that waits for a table is named, and a stop leaves no statement in the queue for that table", async () => {
  const { pool, other, lines, stop, run, waiting } = await createMigrating();
  await pool.query("delete from schema_migrations where version = 122");
  await other.query("begin");
  await other.query("lock table experiments");
  const migrating = run();
  await expect.poll(waiting).toBe(1);
  expect(lines).toEqual(["the database is being migrated"]);
  stop.abort();
  await expect(migrating).rejects.toThrow(
    /^Migration 122 \(experiment_results\) failed: Connection terminated/,
  );
  await expect.poll(waiting).toBe(0);
  await other.query("rollback");
});
