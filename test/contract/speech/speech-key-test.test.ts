import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createPeer, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let service: Peer;
beforeAll(async () => {
  app = await createTestApp();
  service = await createPeer();
});

const ask = (name: string) => app.send("POST", `/api/v1/speech_providers/${name}/test`);

test("without a key there is nothing to ask", async () => {
  expect(await ask("deepgram")).toMatchObject({
    status: 400,
    body: { detail: "There is no key for deepgram: it is not used." },
  });
  expect((await ask("openai")).status).toBe(422);
});

test.each([
  ["deepgram", "GET /v1/projects", { authorization: "Token the secret" }],
  ["assemblyai", "GET /v3/token?expires_in_seconds=1", { authorization: "the secret" }],
  ["elevenlabs", "GET /v2/voices?page_size=1", { "xi-api-key": "the secret" }],
  [
    "cartesia",
    "GET /voices?limit=1",
    { authorization: "Bearer the secret", "cartesia-version": "2026-03-01" },
  ],
])(
  "%s is asked in its own way whether the key is good, and nobody is told the key",
  async (name, asked, headers) => {
    const body = { api_key: "the secret", base_url: service.url };
    expect((await app.send("PUT", `/api/v1/speech_providers/${name}`, body)).status).toBe(200);
    for (const [status, verdict] of [
      [200, "good"],
      [401, "refused"],
      [500, "unclear"],
    ] as const) {
      service.requests.splice(0);
      service.respond((_, response) => response.writeHead(status).end("{}"));
      const answer = await ask(name);
      expect(answer).toMatchObject({ status: 200, body: { provider: name, verdict } });
      expect(JSON.stringify(answer.body)).not.toContain("secret");
      const [request] = service.requests;
      expect(`${request?.method} ${request?.path}`).toBe(asked);
      expect(request?.headers).toMatchObject(headers);
    }
  },
);
