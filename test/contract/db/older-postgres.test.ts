import { sql } from "kysely";
import { expect, test } from "vitest";
import { readMigrations } from "../../../src/db/migrate.ts";
import { createTestApp } from "../../harness/app.ts";

test("no migration says how a column is stored where PostgreSQL 15 can't read it, and it is stored so all the same", async () => {
  const said = readMigrations().filter(({ sql: text }) => /^ +\w+ \w+ storage \w+/m.test(text));
  expect(said.map(({ name }) => name)).toEqual([]);
  const { db } = await createTestApp();
  const { rows } = await sql<{ storage: string }>`
    select attstorage::text as storage from pg_attribute
    where attrelid = 'data_source_chunks'::regclass and attname = 'embedding'`.execute(db);
  expect(rows).toEqual([{ storage: "e" }]);
});
