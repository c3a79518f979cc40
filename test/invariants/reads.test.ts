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
  const [wrote, refused]: [string[], string[]] = [[], []];
  for (const operation of operations.filter(({ method }) => method === "GET")) {
    const example = await EXAMPLES[operation.key]?.(maker);
    if (!example) continue;
    const { method, url, body, headers } = request(operation, example);
    const before = await snapshot(app.db);
    const { status } = await app.send(method, url, body, headers);
    if (status >= 300) refused.push(operation.key);
    const changed = changedTables(before, await snapshot(app.db));
    if (changed.length > 0) wrote.push(`${operation.key}: ${changed.join(", ")}`);
  }
  expect(wrote).toEqual([]);
  // No call was recorded, and no job has written the export.
  expect(refused).toEqual(["GET /api/v1/sessions/recording/stream", "GET /api/v1/takeouts/get/{}/file/{}"]);
}, 300_000);
