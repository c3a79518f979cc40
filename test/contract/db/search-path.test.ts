import { expect, inject, test } from "vitest";
import { askPostgres, obstacleIn } from "../../../src/commands/outside-postgres.ts";
import { migrate, readMigrations } from "../../../src/db/migrate.ts";
import { createTestApp } from "../../harness/app.ts";
import { inDatabase } from "../../harness/postgres.ts";

/** An installation in the schema "public" of a database that has the schema "younger", too. */
async function createInPublic() {
  const { admin } = inject("testServer");
  const { pool } = (await createTestApp()).database;
  const name: string = (await pool.query("select current_database() as name")).rows[0].name;
  await pool.query("create schema younger");
  const along = (search_path: string) => ({
    ...admin,
    ...inDatabase(admin, name),
    options: `-c search_path=${search_path}`,
  });
  return { pool, along };
}

test("a schema that comes first on the search path, and is younger than the installation, begins no second one", async () => {
  const { pool, along } = await createInPublic();
  expect(await migrate(along("younger,public"))).toEqual([]);
  const later = { version: 9000, name: "later", breaking: false, checksum: "abc" };
  const sql = "create table later (id int)";
  expect(await migrate(along("younger,public"), [...readMigrations(), { ...later, sql }])).toEqual([9000]);
  const { rows } = await pool.query(
    "select relnamespace::regnamespace::text as schema from pg_class where relname in ('schema_migrations', 'later')",
  );
  expect(rows).toEqual([{ schema: "public" }, { schema: "public" }]);
  expect(obstacleIn(await askPostgres(along("younger,public")))).toBeNull();
});

test("a search path that does not lead to the installation of the database is refused, and no second one begun", async () => {
  const { along } = await createInPublic();
  expect(obstacleIn(await askPostgres(along("younger")))).toBe(
    "The database of DATABASE_URL holds a Parley in the schema public, which the search_path of the address, or of its user, doesn't name. Name it there (?options=-c%20search_path%3Dpublic), or give a new Parley a database of its own.",
  );
});
