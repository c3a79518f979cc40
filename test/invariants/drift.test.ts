import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { consoleTypes } from "../../scripts/console-types.ts";
import { databaseTypes } from "../../scripts/database-types.ts";
import { eventsPage } from "../../scripts/events-page.ts";
import { landedMigrations, readLanded } from "../../scripts/landed-migrations.ts";
import { schemaSql } from "../../scripts/schema-sql.ts";
import type { OpenApi } from "../../scripts/schema-types.ts";
import { sdkOperations } from "../../scripts/sdk-operations.ts";
import { expandShared } from "../../src/api/openapi/expand-shared.ts";
import { documentText } from "../../src/api/openapi/share-common.ts";
import { readMigrations } from "../../src/db/migrate.ts";
import { envExample } from "../../src/settings.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { serverDocument } from "../harness/operations.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const committed = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const HOW = "run `./parley derive` and commit what it writes";

test(".env.example lists exactly the settings of the program", () => {
  expect(committed(".env.example"), HOW).toBe(envExample());
});

test("docs/events.md lists exactly the types of events that the program records", () => {
  expect(committed("docs/events.md"), HOW).toBe(eventsPage(committed("docs/events.md")));
});

test("openapi.json is what the program serves", async () => {
  await app.api.server.ready();
  const served = documentText(app.api.server.swagger());
  expect(committed("openapi.json"), HOW).toBe(served);
});

test("with other settings it serves the same", async () => {
  const PUBLIC_URL = "https://parley.example.com";
  const other = await createTestApp(
    { PUBLIC_URL, ORGANIZATION_CREATION: "everyone", API_KEY_HEADERS: "X-Key", METRICS: "everyone" },
    undefined,
    { simulation: { scenario: { people: [] }, speed: "moved" } },
  );
  await other.api.server.ready();
  const [{ paths, components }, served] = [serverDocument(other.api.server), serverDocument(app.api.server)];
  expect({ paths, components }).toEqual({ paths: served.paths, components: served.components });
});

test("the console's types of the API are those of openapi.json", () => {
  const document = expandShared(JSON.parse(committed("openapi.json")) as OpenApi);
  expect(committed("src/console/api-types.ts"), HOW).toBe(consoleTypes(document));
});

test("the operations of the TypeScript SDK are those of openapi.json", () => {
  const document = expandShared(JSON.parse(committed("openapi.json")) as OpenApi);
  expect(committed("sdk/typescript/operations.ts"), HOW).toBe(sdkOperations(document));
});

test("src/db/types.ts is what the migrated database has", async () => {
  expect(committed("src/db/types.ts"), HOW).toBe(await databaseTypes(app.db));
});

test("src/db/schema.sql is the schema of the migrated database", async () => {
  expect(committed("src/db/schema.sql"), HOW).toBe(await schemaSql(app.db));
});

test("a migration that landed never changes, and none goes", () => {
  expect(committed("src/db/migrations/landed.txt"), HOW).toBe(landedMigrations());
  const files = readMigrations().map(({ version, name, checksum }) => [
    `${String(version).padStart(4, "0")}_${name}`,
    checksum,
  ]);
  expect(files, "put the file back as it was, and write a new migration").toEqual([...readLanded()]);
});
