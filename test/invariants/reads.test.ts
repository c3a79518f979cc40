import { expect, test } from "vitest";
import { createExampleApp, request } from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import { changedTables, snapshot } from "../harness/snapshot.ts";

test("no GET changes anything that is stored", async () => {
  const { app, operations, maker } = await createExampleApp();
  const wrote: string[] = [];
  for (const operation of operations.filter(({ method }) => method === "GET")) {
    const example = await EXAMPLES[operation.key]?.(maker);
    if (!example) continue;
    const { method, url, body, headers } = request(operation, example);
    const before = await snapshot(app.db);
    await app.send(method, url, body, headers);
    const changed = changedTables(before, await snapshot(app.db));
    if (changed.length > 0) wrote.push(`${operation.key}: ${changed.join(", ")}`);
  }
  expect(wrote).toEqual([]);
}, 300_000);
