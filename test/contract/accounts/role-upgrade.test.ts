import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { expect, inject, test } from "vitest";
import { SYSTEM_ROLES } from "../../../src/accounts/permission.ts";
import { migrate, readMigrations } from "../../../src/db/migrate.ts";
import { afterFile } from "../../harness/after-file.ts";
import { inDatabase, runAsAdmin } from "../../harness/postgres.ts";

/** What the built-in roles allowed when `0001_schema.sql` was all there was. It never changes. */
const FIRST: Record<string, string[]> = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, "../../fixtures/first-roles.json"), "utf8"),
);

test("an installation that is upgraded has built-in roles that allow what those of a new one do", async () => {
  const { admin } = inject("testServer");
  const name = `parley_test_${randomBytes(6).toString("hex")}`;
  await runAsAdmin(admin, `create database ${name}`);
  afterFile(() => runAsAdmin(admin, `drop database ${name} with (force)`));
  const connection = inDatabase(admin, name);
  const migrations = readMigrations();
  await migrate(connection, migrations.slice(0, 1));

  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    "insert into organizations (name, display_name, last_updated) values ('old', 'Old', now())",
  );
  await client.query(
    "insert into sub_organizations (organization_id, name, created_at) select id, 'Old', now() from organizations",
  );
  for (const [role, permissions] of Object.entries(FIRST))
    await client.query(
      `insert into roles (sub_organization_id, name, permissions, is_system_role, last_updated, last_updated_by)
       select id, $1, $2, true, now(), 'x' from sub_organizations`,
      [role, permissions],
    );
  await migrate(connection, migrations);
  const { rows } = await client.query("select name, permissions from roles order by id");
  await client.end();

  const upgraded = Object.fromEntries(
    rows.map(({ name, permissions }) => [name, [...permissions].toSorted()]),
  );
  expect(upgraded).toEqual(
    Object.fromEntries(SYSTEM_ROLES.map(({ name, permissions }) => [name, [...permissions].toSorted()])),
  );
});
