import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createMaker, type Maker, request } from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import { type Operation, operationsOf } from "../harness/operations.ts";

/** Operations whose example can't succeed in a test, and what they answer instead. */
const REFUSED: Record<string, number> = {};

let app: TestApp;
let maker: Maker;
let operations: Operation[];
beforeAll(async () => {
  app = await createTestApp();
  operations = await operationsOf(app.api.server);
  maker = await createMaker(app, { caller: app.admin, send: app.send });
});

test("every documented operation has an example of a call", () => {
  expect(operations.filter(({ key }) => !EXAMPLES[key]).map(({ key }) => key)).toEqual([]);
});

// `send` itself holds each answer against the operation's schema in openapi.json.
test("every operation answers its example with success, in the shape that openapi.json promises", async () => {
  const wrong: string[] = [];
  for (const operation of operations) {
    try {
      const example = await EXAMPLES[operation.key]?.(maker);
      if (!example) continue;
      const { method, url, body, headers } = request(operation, example);
      const token = await app.createToken(null, example.caller);
      const answer = await app.sendAs(token)(method, url, body, headers);
      const expected = REFUSED[operation.key];
      if (expected === undefined ? answer.status >= 300 : answer.status !== expected)
        wrong.push(`${operation.key}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
    } catch (error) {
      wrong.push(`${operation.key}: ${(error as Error).message}`);
    }
  }
  expect(wrong).toEqual([]);
}, 60_000);
