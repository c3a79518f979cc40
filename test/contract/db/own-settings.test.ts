import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { type Connection, openDatabase } from "../../../src/db/database.ts";
import { migrate, readMigrations } from "../../../src/db/migrate.ts";
import { createTestApp } from "../../harness/app.ts";
import { inDatabase, runAsAdmin } from "../../harness/postgres.ts";

/** As an address in DATABASE_URL, with what may stand in one. */
function addressOf(connection: Connection, options: string): Connection {
  const { connectionString, host = "", port = 5432, user = "", database } = connection;
  const url = new URL(connectionString ?? `postgres:///${database}`);
  const beside = connectionString ? { options } : { host, port: String(port), user, options };
  for (const [name, value] of Object.entries(beside)) url.searchParams.set(name, value);
  return { connectionString: url.href };
}

const UNUSUAL = {
  timezone: "Asia/Kolkata",
  datestyle: "German, DMY",
  default_transaction_isolation: "serializable",
  standard_conforming_strings: "off",
  array_nulls: "off",
  statement_timeout: "50ms",
  idle_session_timeout: "1h",
  idle_in_transaction_session_timeout: "1s",
};

/** A bound for whole transactions, which PostgreSQL has since 17. */
async function sinceSeventeen(admin: pg.ClientConfig): Promise<Record<string, string>> {
  const client = new pg.Client(admin);
  await client.connect();
  const { rows } = await client.query("select current_setting('server_version_num')::int >= 170000 as it");
  await client.end();
  return rows[0].it ? { transaction_timeout: "150ms" } : {};
}

test.each(["database", "address"])(
  "times, isolation and patience of connections are ours, whatever the %s is set to",
  async (where) => {
    const { admin } = inject("testServer");
    const { database } = await createTestApp();
    const name: string = (await database.pool.query("select current_database() as name")).rows[0].name;
    const plain = { ...admin, ...inDatabase(admin, name) } as Connection;
    const settings = Object.entries({ ...UNUSUAL, ...(await sinceSeventeen(admin)) });
    if (where === "database")
      for (const [setting, value] of settings)
        await runAsAdmin(admin, `alter database ${name} set ${setting} = '${value}'`);
    const said = settings
      .map(([setting, value]) => `-c ${setting}=${value.replaceAll(" ", "\\ ")}`)
      .join(" ");
    const opened = openDatabase(
      where === "database" ? plain : addressOf(plain, `-c search_path=public,app ${said}`),
    );
    onTestFinished(opened.close);

    const { rows } = await opened.pool.query(
      `select timestamptz '2026-11-29 09:30:00.5+00' as at, current_setting('transaction_isolation') as isolation,
         current_setting('idle_session_timeout') as idle,
         current_setting('idle_in_transaction_session_timeout') as pause, current_setting('search_path') as path, 
         'a\\b' as literal, array_to_json('{null}'::text[])::text as nulls, pg_sleep(0.2)`,
    );
    expect(rows[0]).toMatchObject({
      at: "2026-11-29T09:30:00.5+00:00",
      isolation: "read committed",
      idle: "0",
      pause: "5min",
      literal: "a\\b",
      nulls: "[null]",
      ...(where === "address" && { path: "public,app" }),
    });
    const bounds = await opened.reading.query(
      `select current_setting('transaction_read_only') as read_only, current_setting('statement_timeout') as patience`,
    );
    expect(bounds.rows).toEqual([{ read_only: "on", patience: "15s" }]);
    for (const pool of [opened.pool, opened.reading]) {
      const { rows: late } = await pool.query("select current_setting('transaction_timeout', true) as it");
      expect(late[0].it ?? "0").toBe("0");
    }
  },
);

test("a migration takes longer than the transactions of the database may", async () => {
  const { admin } = inject("testServer");
  const { database } = await createTestApp();
  const name: string = (await database.pool.query("select current_database() as name")).rows[0].name;
  for (const [setting, value] of Object.entries(await sinceSeventeen(admin)))
    await runAsAdmin(admin, `alter database ${name} set ${setting} = '${value}'`);
  const long = { version: 9_999, name: "long", sql: "select pg_sleep(0.3)", breaking: false, checksum: "" };
  const applied = await migrate({ ...admin, ...inDatabase(admin, name) }, [...readMigrations(), long]);
  expect(applied).toEqual([9_999]);
});
