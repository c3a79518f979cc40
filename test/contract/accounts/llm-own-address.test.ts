import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ModelError, readAnswer } from "../../../src/llm/model.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { type LlmServer, startLlmServer } from "../../harness/llm-server.ts";
import { createPeer } from "../../harness/peer.ts";

let server: LlmServer;
let guarded: TestApp;
beforeAll(async () => {
  server = await startLlmServer();
  guarded = await createTestApp({ EGRESS_ALLOW: "10.9.9.9" }, undefined, { llmProviders: server.settings });
});
afterAll(() => server.close());

const PROVIDERS = ["openai", "azure_openai", "anthropic", "google"] as const;
type Name = (typeof PROVIDERS)[number];

async function ask(app: TestApp, provider: Name): Promise<string> {
  const model = await app.engine.resolveModel(app.admin.sub_organization_id, { provider, model: "any" });
  const signal = new AbortController().signal;
  const asked = {
    messages: [{ role: "user" as const, text: "hello" }],
    tools: [],
    tool_choice: "auto" as const,
  };
  const answer = await readAnswer(model, { ...asked, temperature: null, seed: null, signal });
  return answer.text;
}
const refusal = (asked: Promise<string>) => asked.then(String, (error: ModelError) => error.message);
const setOwn = (app: TestApp, provider: Name, base_url: string) =>
  app.send("PUT", `/api/v1/llm_providers/${provider}`, { api_key: "sk-own", base_url });

test.each(PROVIDERS)(
  "%s: the installation's private address is asked, an organization's is refused",
  async (provider) => {
    server.reply({ text: ["Hi ", "there."] });
    expect(await ask(guarded, provider)).toBe("Hi there.");
    const asked = server.requests.length;
    const private_url = server.settings[provider]?.base_url as string;
    expect((await setOwn(guarded, provider, private_url)).status).toBe(200);
    expect(await refusal(ask(guarded, provider))).toMatch(/could not be asked: the address 127\.0\.0\.1/);
    expect(server.requests.length).toBe(asked);
  },
);

test("a key that no request can carry is refused at its place and not echoed", async () => {
  const refused = await guarded.send("PUT", "/api/v1/llm_providers/openai", { api_key: "sk-planted\n" });
  expect(refused).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "api_key"], msg: expect.stringContaining("Paste it again") }] },
  });
  expect(JSON.stringify(refused.body)).not.toContain("planted");
});

test("an organization's address that may be reached answers in a stream; where it leads on to is not followed", async () => {
  const open = await createTestApp();
  server.reply({ text: ["Own ", "model."] });
  await setOwn(open, "openai", server.settings.openai?.base_url as string);
  expect(await ask(open, "openai")).toBe("Own model.");
  expect(server.requests.at(-1)?.headers.authorization).toBe("Bearer sk-own");

  const asked = server.requests.length;
  const leading = await createPeer();
  leading.respond((_, response) =>
    response.writeHead(307, { location: `${server.settings.openai?.base_url}/chat/completions` }).end(),
  );
  await setOwn(open, "openai", leading.url);
  expect(await refusal(ask(open, "openai"))).not.toBe("Own model.");
  expect(server.requests.length).toBe(asked);
});

test.each<[string, (response: ServerResponse) => void]>([
  ["an answer without end", (response) => response.writeHead(200, { "content-type": "text/event-stream" })],
  ["a refusal without end", (response) => response.writeHead(500, { "content-type": "application/json" })],
])("%s from an organization's address is read to 64 MiB and left", async (_what, begin) => {
  const open = await createTestApp();
  const endless = await createPeer();
  const left = Promise.withResolvers<void>();
  const comment = Buffer.from(`: ${"x".repeat(2 ** 20)}\n`);
  endless.respond((_, response) => {
    begin(response);
    const send = () => {
      while (response.write(comment));
    };
    response.on("drain", send).on("close", left.resolve);
    send();
  });
  await setOwn(open, "openai", endless.url);
  expect(await refusal(ask(open, "openai"))).toMatch(/^The answer of OpenAI is more than 64 MiB long/);
  await left.promise;
});
