import { expect, test } from "vitest";
import { createCallCounter } from "../../src/api/call-limits.ts";
import { createTestApp } from "../harness/app.ts";
import { signedInSend } from "../harness/signed-in-send.ts";

test("a token that calls too often is told so in headers and a sentence, and no other token with it", async () => {
  const app = await createTestApp({ API_CALLS_PER_TOKEN: "3" });
  const hasty = app.sendAs(await app.createToken(null));
  const first = await hasty("GET", "/api/v1/services/");
  expect(first).toMatchObject({
    status: 200,
    headers: { "ratelimit-limit": "3", "ratelimit-remaining": "2", "ratelimit-reset": expect.anything() },
  });
  for (let n = 0; n < 2; n++) expect((await hasty("GET", "/api/v1/services/")).status).toBe(200);
  const refused = await hasty("GET", "/api/v1/services/");
  expect(refused).toMatchObject({
    status: 429,
    headers: { "ratelimit-remaining": "0", "retry-after": expect.stringMatching(/^\d+$/) },
    body: { detail: expect.stringMatching(/limit of 3 calls of this API token.*Try again in \d+ s/) },
  });
  expect((await app.sendAs(await app.createToken(null))("GET", "/api/v1/services/")).status).toBe(200);
});

test("one organization's changes and calls are limited together, whoever's they are; a neighbour's are not", async () => {
  const app = await createTestApp({ API_CHANGES_PER_ORGANIZATION: "2" });
  const neighbour = await app.createNeighbour();
  const create = async (send: typeof app.send, name: string) =>
    (await send("POST", "/api/v1/services/", { name, description: "" })).status;
  const other = app.sendAs(await app.createToken(null));
  expect([await create(app.send, "a"), await create(other, "b"), await create(app.send, "c")]).toEqual([
    200, 200, 429,
  ]);
  expect((await app.send("GET", "/api/v1/services/")).status).toBe(200);
  expect(await create(neighbour.send, "a")).toBe(200);
});

test("a minute later the calls count anew", () => {
  let now_ms = 0;
  const calls = createCallCounter({ per_token: 1, per_tenant: 9, changes_per_tenant: 9 }, () => now_ms);
  const caller = { api_token_id: 1, user_id: 1, sub_organization_id: 1 } as never;
  const count = () => calls.count({ caller, is_change: false, own: null }, { headers: () => {} } as never);
  count();
  expect(count).toThrow("Try again in 60 s");
  expect(calls.withTokens(1)).toBe(1);
  now_ms = 60_000;
  expect(calls.withTokens(1)).toBe(0);
  count();
});

test("an organization's own limit holds for its tokens from the next call on, not for people who are signed in or a neighbour", async () => {
  const app = await createTestApp();
  const neighbour = await app.createNeighbour();
  const path = "/api/v1/organizations/limits";
  expect((await app.send("PUT", path, { token_calls_per_minute: 4 })).status).toBe(200);
  const program = app.sendAs(await app.createToken(null));
  const { body } = await app.send("GET", path);
  expect(body.token_calls_per_minute).toEqual({ own: 4, installation: 60_000, used: 2 });
  expect((await program("GET", path)).status).toBe(200);
  expect((await program("GET", path)).status).toBe(200);
  expect(await program("GET", path)).toMatchObject({
    status: 429,
    headers: { "retry-after": expect.stringMatching(/^\d+$/) },
    body: {
      detail: expect.stringMatching(/limit of 4 calls with API tokens that your organization allows itself/),
    },
  });
  expect((await neighbour.send("GET", path)).status).toBe(200);
  const person = await signedInSend(app, app.admin);
  expect((await person("PUT", path, { token_calls_per_minute: null })).status).toBe(200);
  expect((await program("GET", path)).status).toBe(200);
});
