import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expandShared } from "../src/api/openapi/expand-shared.ts";
import { documentText } from "../src/api/openapi/share-common.ts";
import { createApp } from "../src/app.ts";
import { systemClock } from "../src/base/clock.ts";
import { createVault } from "../src/base/crypto.ts";
import { silentLog } from "../src/base/log.ts";
import { readConfig } from "../src/config.ts";
import { openDatabase } from "../src/db/database.ts";
import { startEmbeddedPostgres } from "../src/db/embedded-postgres.ts";
import { migrate } from "../src/db/migrate.ts";
import { createEgress } from "../src/egress/egress.ts";
import { envExample } from "../src/settings.ts";
import { runTests } from "../test/run/checks.ts";
import { consoleTypes } from "./console-types.ts";
import { databaseTypes } from "./database-types.ts";
import { eventsPage } from "./events-page.ts";
import { landedMigrations } from "./landed-migrations.ts";
import { schemaSql } from "./schema-sql.ts";
import type { OpenApi } from "./schema-types.ts";
import { sdkOperations } from "./sdk-operations.ts";
import { readToolOptions } from "./tool-options.ts";

/**
 * Writes what is derived from the source and committed: the database's types and schema, openapi.json with its examples, the
 * console's types of it, the operations of the TypeScript SDK, .env.example and the types of docs/events.md. A test fails when
 * one of them no longer fits.
 */
readToolOptions("./parley derive\n  writes what is derived from the source and committed", {});
const ROOT = path.resolve(import.meta.dirname, "..");
const write = (file: string, text: string) => writeFileSync(path.join(ROOT, file), text);

// The examples of openapi.json are what the tests send.
const examples = await runTests(["--project=fast", "--update=all", "test/invariants/body-examples.test.ts"]);
if (examples.failed > 0) throw new Error("the examples of bodies are not written: the test says why");

const folder = mkdtempSync(path.join(tmpdir(), "parley-derive-"));
const postgres = await startEmbeddedPostgres({
  dataDir: path.join(folder, "postgres"),
  log: silentLog,
  settings: { fsync: "off" },
});
try {
  await migrate(postgres.connection);
  const database = openDatabase(postgres.connection);
  const { config } = readConfig({});
  write("src/db/types.ts", await databaseTypes(database.db));
  write("src/db/schema.sql", await schemaSql(database.db));
  write("src/db/migrations/landed.txt", landedMigrations());
  write(".env.example", envExample());
  write("docs/events.md", eventsPage(readFileSync(path.join(ROOT, "docs/events.md"), "utf8")));

  const { api } = await createApp({
    db: database.db,
    notices: database.notices,
    clock: systemClock,
    log: silentLog,
    vault: createVault("only the shape of the API is asked for"),
    egress: createEgress({ allow: config.egress_allow }),
    config,
    llmProviders: {},
  });
  await api.server.ready();
  const document = api.server.swagger();
  write("openapi.json", documentText(document));
  const expanded = expandShared(document) as unknown as OpenApi;
  write("src/console/api-types.ts", consoleTypes(expanded));
  write("sdk/typescript/operations.ts", sdkOperations(expanded));
  await api.server.close();
  await database.close();
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
