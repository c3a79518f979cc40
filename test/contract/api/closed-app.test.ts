import v8 from "node:v8";
import { Kysely } from "kysely";
import { expect, it } from "vitest";
import { closeAfterFile } from "../../harness/after-file.ts";
import { createTestApp } from "../../harness/app.ts";

const APPS = 4;

it("of the apps that a process has had and closed, it holds none but the last", async () => {
  const before = v8.queryObjects(Kysely, { format: "count" });
  for (let number = 0; number < APPS; number++) {
    const app = await createTestApp();
    expect((await app.send("GET", "/metrics")).body).toContain("nodejs_gc_duration_seconds");
    await closeAfterFile();
  }
  expect(v8.queryObjects(Kysely, { format: "count" }) - before).toBeLessThan(APPS / 2);
});
