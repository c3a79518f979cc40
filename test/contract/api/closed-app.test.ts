import v8 from "node:v8";
import vm from "node:vm";
import { expect, it } from "vitest";
import { closeAfterFile } from "../../harness/after-file.ts";
import { createTestApp } from "../../harness/app.ts";

const APPS = 4;
/** As a file's module holds its app in a variable, and the process the module. */
const held: object[] = [];

it("of the apps that a process has had and closed, it holds none but the last, whatever files still name them", async () => {
  const closed: WeakRef<object>[] = [];
  for (let number = 0; number < APPS; number++) closed.push(await closedApp());
  await collectGarbage();
  expect(closed.filter((app) => app.deref() !== undefined).length).toBeLessThan(APPS / 2);
});

async function closedApp(): Promise<WeakRef<object>> {
  const app = await createTestApp();
  expect((await app.send("GET", "/metrics")).body).toContain("nodejs_gc_duration_seconds");
  const database = new WeakRef(app.db);
  held.push(app);
  await closeAfterFile();
  return database;
}

/** All that nothing holds, even what would only be made anew: what is compiled, and caches. */
async function collectGarbage(): Promise<void> {
  v8.setFlagsFromString("--expose-gc");
  const collect: (how: object) => Promise<void> = vm.runInNewContext("gc");
  await collect({ type: "major", execution: "async", flavor: "last-resort" });
}
