import path from "node:path";
import { expect, test } from "vitest";
import { createExampleApp } from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import { serverDocument } from "../harness/operations.ts";
import { COUNTED_FROM, readersBody } from "../harness/readers-body.ts";

const FILE = path.resolve(import.meta.dirname, "../../src/api/openapi/body-examples.json");

test("openapi.json has an example of each JSON body, which is what the tests send", async () => {
  const { app, operations, maker } = await createExampleApp();
  let counted = COUNTED_FROM;
  const counting = { ...maker, next: () => ++counted };
  const document = serverDocument(app.api.server);
  const examples: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const { key, method, path, consumes } of operations) {
    if (consumes !== "application/json") continue;
    const { body } = (await EXAMPLES[key]?.(counting)) ?? {};
    const { operationId } = document.paths[path]?.[method.toLowerCase()] ?? {};
    if (body === undefined || operationId === undefined) wrong.push(`${key}: no body`);
    else examples[operationId] = readersBody(body);
  }
  expect(wrong).toEqual([]);
  // `./parley derive` writes it.
  await expect(bodyExamplesText(examples)).toMatchFileSnapshot(FILE);
});

/** A line for each operation. */
const bodyExamplesText = (examples: Record<string, unknown>): string =>
  `{\n${Object.entries(examples)
    .map(([operation_id, example]) => `  ${JSON.stringify(operation_id)}: ${JSON.stringify(example)}`)
    .join(",\n")}\n}\n`;
