import { expect, test } from "vitest";
import { createTestApp } from "../harness/app.ts";
import { newFolder } from "./program.ts";
import { typedHere } from "./typed-here.ts";

test("no command that knows the tables touches a database that a newer version migrated", async () => {
  const app = await createTestApp();
  const { host, user, port, database } = app.database.pool.options;
  const env = {
    DATABASE_URL: `postgres://${user}@localhost/${database}?host=${host}&port=${port}`,
    DATA_DIR: app.config.data_dir,
    SECRET_KEY: "a secret key for tests, long enough",
  };
  await app.database.pool.query(
    "insert into schema_migrations (version, name, breaking, checksum) values (9999, 'a_column_is_gone', true, '')",
  );
  for (const command of [["rotate-keys"], ["verify-audit"], ["migrate"]])
    expect(await typedHere(command, { folder: newFolder(), env })).toEqual({
      code: command.includes("verify-audit") ? 2 : 1,
      stdout: "",
      stderr:
        "parley: The database was migrated by a newer Parley (migration 9999, a_column_is_gone) in a way this version can't read. Start that newer version.\n",
    });
});
