import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

/** What is left out has a default, and mostly that is the weaker one: a name that nobody reads must not pass for it. */
test.each([
  ["/api/v1/organizations/access_rules", { require_second_factors: true }, ["require_second_factors"]],
  ["/api/v1/organizations/safety_rules", { call_per_tool: 3 }, ["call_per_tool"]],
  [
    "/api/v1/organizations/safety_rules",
    { output_rules: [{ name: "Prices", pattern: "\\d", phrase: ["free"] }] },
    ["output_rules", 0, "phrase"],
  ],
  ["/api/v1/organizations/privacy", { seal_text: true }, ["seal_text"]],
  ["/api/v1/organizations/privacy", { retention: { sessions: 30 } }, ["retention", "sessions"]],
  ["/api/v1/organizations/redaction", { kind: ["card"] }, ["kind"]],
])("PUT %s of %j is refused at the name that is not known, and changes nothing", async (path, body, at) => {
  const before = (await app.send("GET", path)).body;
  const refused = await app.send("PUT", path, body);
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", ...at] }] } });
  expect((await app.send("GET", path)).body).toEqual(before);
});

test("a token whose limits are misspelt is not made", async () => {
  const make = (limit: object) => app.send("POST", "/api/v1/api_tokens/", { name: "Reader", ...limit });
  expect((await make({ permission: ["agents_read"] })).status).toBe(422);
  expect((await make({ networks: ["10.0.0.0/8"] })).status).toBe(422);
  expect((await make({ permissions: ["agents_read"] })).status).toBe(200);
});

test("an agent's retention of a kind that there is not is refused", async () => {
  const { agent_id } = await createAgent(app, { script: 'otherwise -> say "Yes."' });
  const path = `/api/v1/agents/${agent_id}/retention`;
  expect((await app.send("PUT", path, { retention: { sessions: 30 } })).status).toBe(422);
});

test.each([
  "/api/v1/organizations/access_rules",
  "/api/v1/organizations/announcements",
  "/api/v1/organizations/contact-sources",
  "/api/v1/organizations/privacy",
  "/api/v1/organizations/redaction",
  "/api/v1/organizations/safety_rules",
  "/api/v1/outbound/confirmation",
  "/api/v1/outbound/rules",
])("what %s answers can be sent back as it is, and one misspelt name beside it can't", async (path) => {
  const { body: answer } = await app.send("GET", path);
  expect(await app.send("PUT", path, answer)).toMatchObject({ status: 200 });
  const again = (await app.send("GET", path)).body;
  const { updated_at, updated_by, ...settings } = answer;
  expect(again).toMatchObject(settings);
  const refused = await app.send("PUT", path, { ...again, misspelt: 1 });
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "misspelt"] }] } });
});
