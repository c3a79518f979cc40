import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../harness/app.ts";
import { createExampleApp, type Maker, request } from "../harness/examples/example.ts";
import { EXAMPLES } from "../harness/examples/examples.ts";
import type { Operation } from "../harness/operations.ts";

/** Operations that can't succeed here, and what they answer instead. */
const REFUSED: Record<string, number> = {
  // Nothing here speaks, telephones or sends mail.
  "POST /api/v1/voice_groups/voices/sample": 501,
  "POST /api/v1/language_groups/voices/sample": 501,
  "GET /api/v1/channels/twilio/{}/numbers": 501,
  "POST /api/v1/channels/twilio/{}/numbers": 501,
  "PUT /api/v1/channels/twilio/{}/numbers": 501,
  "DELETE /api/v1/channels/twilio/{}/numbers/{}": 501,
  "POST /api/v1/channels/twilio/{}/numbers/verify-a2p-compliance": 501,
  "POST /api/v1/users/{}/send_email": 501,
  "POST /api/v1/channels/{}/simulated_contacts": 412,
  "POST /chat/v1/calls": 403,
  "POST /api/v1/agents/{}/test/calls": 501,
  // No call was recorded, and no job has written the export.
  "GET /api/v1/sessions/recording/stream": 401,
  "GET /api/v1/takeouts/get/{}/file/{}": 404,
};

let app: TestApp;
let maker: Maker;
let operations: Operation[];
beforeAll(async () => {
  ({ app, operations, maker } = await createExampleApp());
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
});
