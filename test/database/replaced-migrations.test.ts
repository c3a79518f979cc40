import pg from "pg";
import { expect, test } from "vitest";
import type { EmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { migrate, readMigrations, readReplaced } from "../../src/db/migrate.ts";
import { newDataDir, query, start } from "./programs.ts";

/** As a program from before `0001_schema.sql` left it: the same schema, made by the chain of migrations it stands for. */
async function madeBefore(lines: string[]): Promise<EmbeddedPostgres> {
  const database = await start(newDataDir(), { fsync: "off" });
  await migrate(database.connection, readMigrations().slice(0, 1));
  const client = new pg.Client(database.connection);
  await client.connect();
  await client.query("delete from schema_migrations");
  for (const line of lines) {
    const [file = "", checksum] = line.split(" ");
    await client.query(
      "insert into schema_migrations (version, name, breaking, checksum) values ($1, $2, false, $3)",
      [Number(file.slice(0, 4)), file.slice(5), checksum],
    );
  }
  await client.end();
  return database;
}

const noted = (database: EmbeddedPostgres) =>
  query<{ version: number; name: string }>(
    database,
    "select version, name from schema_migrations order by version",
  );

test("a database that has the whole chain before the one schema goes on with it, and keeps its rows", async () => {
  const database = await madeBefore(readReplaced());
  const organization =
    "insert into organizations (name, display_name, last_updated) values ('kept', 'Kept', now())";
  await query(database, organization);
  const [, ...later] = readMigrations();
  expect(await migrate(database.connection)).toEqual(later.map(({ version }) => version));
  const names = readMigrations().map(({ version, name }) => ({ version, name }));
  expect(await noted(database)).toEqual(names);
  expect(await migrate(database.connection)).toEqual([]);
  expect(await query(database, "select name from organizations")).toEqual([{ name: "kept" }]);
});

test("a database that has only a part of that chain is refused with a sentence, and stays as it is", async () => {
  const replaced = readReplaced();
  const database = await madeBefore(replaced.slice(0, -1));
  const before = await noted(database);
  await expect(migrate(database.connection)).rejects.toThrow(
    `The database was made by a Parley from before the first release, and has ${replaced.length - 1} of its ${replaced.length} migrations.`,
  );
  expect(await noted(database)).toEqual(before);
});

test("a connection that breaks in a migration fails that one by its name, and ends no process", async () => {
  const database = await start(newDataDir(), { fsync: "off" });
  const sql = "select pg_terminate_backend(pg_backend_pid())";
  const broken = { version: 1, name: "broken", sql, breaking: false, checksum: "0" };
  await expect(migrate(database.connection, [broken])).rejects.toThrow(/^Migration 1 \(broken\) failed: /);
});
