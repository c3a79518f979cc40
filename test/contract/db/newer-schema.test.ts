import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

/** As a newer program does that starts beside this one. */
const migrate = (version: number, name: string, breaking: boolean) =>
  app.database.pool.query(
    "insert into schema_migrations (version, name, breaking, checksum) values ($1, $2, $3, '')",
    [version, name, breaking],
  );
const ready = () => app.sendAs(null)("GET", "/readyz");

test("a program is no longer ready once a newer one changed the database in a way it can't read", async () => {
  await migrate(9_998, "one_more_column", false);
  expect(await ready()).toMatchObject({ status: 200 });
  await migrate(9_999, "a_column_is_gone", true);
  await expect.poll(ready, WAITING).toMatchObject({
    status: 503,
    body: {
      detail:
        "The database was migrated by a newer Parley (migration 9999, a_column_is_gone) in a way this version can't read. Start that newer version.",
    },
  });
});
