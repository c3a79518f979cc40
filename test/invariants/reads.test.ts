import { expect, test } from "vitest";
import { Scenario } from "../../src/simulator/people.ts";
import { createExampleApp, request } from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import { changedTables, snapshot } from "../harness/snapshot.ts";

test("no GET changes anything that is stored", async () => {
  // With a carrier: what it answers is not stored either.
  const simulation = { scenario: Scenario.parse({}), speed: "moved" as const };
  const { app, operations, maker } = await createExampleApp({ simulation });
  await app.listen();
  const calls: { key: string; send: () => Promise<{ status: number }> }[] = [];
  for (const operation of operations.filter(({ method }) => method === "GET")) {
    const example = await EXAMPLES[operation.key]?.(maker);
    if (!example) continue;
    const { method, url, body, headers } = request(operation, example);
    calls.push({ key: operation.key, send: () => app.send(method, url, body, headers) });
  }
  /** What changes while something is done: two looks at every table. */
  const changedBy = async (act: () => Promise<unknown>) => {
    const before = await snapshot(app.db);
    await act();
    return changedTables(before, await snapshot(app.db));
  };
  const refused: string[] = [];
  const changed = await changedBy(async () => {
    for (const { key, send } of calls) if ((await send()).status >= 300) refused.push(key);
  });
  const wrote: string[] = [];
  // Which of them it was is asked only where there is one.
  for (const { key, send } of changed.length > 0 ? calls : []) {
    const tables = await changedBy(send);
    if (tables.length > 0) wrote.push(`${key}: ${tables.join(", ")}`);
  }
  expect({ changed, wrote }).toEqual({ changed: [], wrote: [] });
  // No call was recorded, and no job has written the export.
  expect(refused).toEqual(["GET /api/v1/sessions/recording/stream", "GET /api/v1/takeouts/get/{}/file/{}"]);
});
