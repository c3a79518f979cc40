import { isDeepStrictEqual } from "node:util";
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

/** Updates whose answer is another record than their body, and what says so. */
const ANSWER_ANOTHER: Record<string, string> = {
  "PUT /api/v1/organizations/": "a form",
  "PUT /api/v1/directory_members/upload/": "a form",
  "PUT /api/v1/directory_members/{}/restore": "is done once",
  "PUT /api/v1/organizations/limits": "a limit beside what is used of it",
  "PUT /api/v1/insights/workflows/{}/activate": "the workflow",
  "PUT /api/v1/experiments/{}/weights": "the experiment",
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
test("every operation answers its example with success, in the shape that openapi.json promises; what an update answers can be sent back as it is, and changes nothing", async () => {
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
      if (method !== "PUT" || expected !== undefined || ANSWER_ANOTHER[operation.key]) continue;
      const again = await app.sendAs(token)(method, url, answer.body);
      if (again.status !== answer.status || !isDeepStrictEqual(settled(again.body), settled(answer.body)))
        wrong.push(
          `${operation.key}, sent back: ${again.status} ${JSON.stringify(again.body).slice(0, 300)}`,
        );
    } catch (error) {
      wrong.push(`${operation.key}: ${(error as Error).message}`);
    }
  }
  expect(wrong).toEqual([]);
});

/** Without the number of the saved state, which each save raises. */
const settled = (answer: unknown) =>
  typeof answer === "object" && answer !== null ? { ...answer, version_number: 0 } : answer;
