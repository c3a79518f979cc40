import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { consoleTypes, type OpenApi } from "../../scripts/console-types.ts";
import { databaseTypes } from "../../scripts/database-types.ts";
import { envExample } from "../../src/settings.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

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

test("openapi.json is what the program serves", async () => {
  await app.api.server.ready();
  const served = `${JSON.stringify(app.api.server.swagger(), null, 2)}\n`;
  expect(committed("openapi.json"), HOW).toBe(served);
});

test("the console's types of the API are those of openapi.json", () => {
  const document = JSON.parse(committed("openapi.json")) as OpenApi;
  expect(committed("src/console/api-types.ts"), HOW).toBe(consoleTypes(document));
});

test("src/db/types.ts is what the migrated database has", async () => {
  expect(committed("src/db/types.ts"), HOW).toBe(await databaseTypes(app.db));
});
