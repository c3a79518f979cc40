import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createPeer, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let provider: Peer;
beforeAll(async () => {
  app = await createTestApp();
  provider = await createPeer();
});

const set = (send: TestApp["send"], name: string, api_key: string, base_url: string) =>
  send("PUT", `/api/v1/llm_providers/${name}`, { api_key, base_url });
const ask = (send: TestApp["send"], name: string) => send("POST", `/api/v1/llm_providers/${name}/test`);

test("without a key there is nothing to try, and another organization's key is not tried", async () => {
  const neighbour = await app.createNeighbour();
  await set(neighbour.send, "anthropic", "sk-neighbour", provider.url);
  const answer = await ask(app.send, "anthropic");
  expect(answer).toMatchObject({
    status: 400,
    body: { detail: "There is no key for anthropic: the scripted model answers." },
  });
  expect((await ask(app.send, "mistral")).status).toBe(422);
});

test.each([
  [200, "good"],
  [401, "refused"],
  [403, "refused"],
  [500, "unclear"],
])("a provider that answers %i: the key is %s, and is told to nobody", async (status, verdict) => {
  let asked = "";
  provider.respond((request, response) => {
    asked = `${request.path} ${request.headers["x-api-key"]}`;
    response.writeHead(status).end("{}");
  });
  await set(app.send, "anthropic", "sk-ours", provider.url);
  const { status: ours, body } = await ask(app.send, "anthropic");
  expect([ours, body.verdict]).toEqual([200, verdict]);
  expect(asked).toBe("/models sk-ours");
  expect(JSON.stringify(body)).not.toContain("sk-ours");
});

test("an address that nobody answers at, or that the guard refuses, is told as such", async () => {
  await set(app.send, "openai", "sk", "http://127.0.0.1:9");
  expect((await ask(app.send, "openai")).body).toMatchObject({ verdict: "unreachable" });
  await set(app.send, "openai", "sk", "http://169.254.169.254/latest");
  const { body } = await ask(app.send, "openai");
  expect(body.verdict).toBe("unreachable");
  expect(body.message).toContain("169.254.169.254");
});

test("a stored key is kept at its address, and never sent to another one that comes without a key", async () => {
  const put = (body: object) => app.send("PUT", "/api/v1/llm_providers/google", body);
  await put({ api_key: "sk-stored", base_url: provider.url });
  expect((await put({ base_url: provider.url })).status).toBe(200);
  for (const base_url of ["https://elsewhere.example", null]) {
    expect(await put({ base_url })).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ["body", "api_key"], msg: expect.stringContaining("base_url it was given with") }],
      },
    });
  }
  expect((await put({ base_url: "https://elsewhere.example", api_key: "sk-new" })).status).toBe(200);
});
