import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { seedDemo } from "../../../src/demo/seed.ts";
import { converse } from "../../harness/agent.ts";
import { createTestApp } from "../../harness/app.ts";
import { guideSteps } from "../../harness/guide.ts";

const page = readFileSync(new URL("../../../docs/debug-a-conversation.md", import.meta.url), "utf8");

test("the requests of docs/debug-a-conversation.md answer as the page shows, with the demo's reminder", async () => {
  const app = await createTestApp({}, seedDemo);
  const found = await app.send(
    "GET",
    "/api/v1/agents/?search_fields=name_exact&search_field_values=Demo%20reminder",
  );
  const say = converse(app, found.body.items[0].id);
  await say("");
  await say("Hello?");
  const { session_id } = (await say("yes I can come")).content;
  const requests = guideSteps(page).filter((step) => step.kind === "request");
  expect(requests.map(({ path }) => path)).toEqual([
    "/api/v1/sessions/7/forks",
    "/api/v1/sessions/8/continue",
  ]);
  // The page's own numbers: 7 is the session, 8 its fork.
  const numbers = new Map<number, number>([[7, session_id]]);
  for (const { method, path, body, answer } of requests) {
    const url = path.replace(/sessions\/(\d+)/, (_, shown) => `sessions/${numbers.get(Number(shown))}`);
    const { body: got } = await app.send(method, url, body);
    const shown = answer as { session_id: number };
    if (!numbers.has(shown.session_id)) numbers.set(shown.session_id, got.session_id);
    expect(got, url).toMatchObject({ ...shown, session_id: numbers.get(shown.session_id) });
  }
});
