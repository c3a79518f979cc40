import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PROVIDERS, type Provider } from "../../../src/llm/catalogue.ts";
import type { ModelPolicy } from "../../../src/llm/model-for.ts";
import { wordsOf } from "../../../src/turns/language/language-words.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import type { LlmServer, Reply } from "../../harness/llm-server.ts";
import { createLoopbackModels, type LoopbackModels } from "../../harness/loopback-models.ts";
import { plannedSession } from "../../harness/planned-session.ts";
import { eventually } from "../../harness/simulated.ts";

let app: TestApp;
let models: LoopbackModels;
let server: LlmServer;
beforeAll(async () => {
  app = await createTestApp();
  models = await createLoopbackModels(app);
  ({ server } = models);
});
beforeEach(() => {
  server.requests.length = 0;
});

async function talking(provider: Provider, policy: Partial<ModelPolicy> = {}) {
  const session = await plannedSession(app, [], { engine: models.engine(provider, { policy }) });
  const llmRows = async () => {
    const { body } = await app.send("GET", `/api/v1/sessions/${session.session_id}/trace`);
    return body.entries.filter(({ category }: { category: string }) => category === "llm");
  };
  return { ...session, llmRows };
}

const SILENT: Reply = { text: ["never"], after: { events: 0, comes: "hang" } };
const STALLED: Reply = { text: ["One ", "two ", "three ", "four "], after: { events: 3, comes: "hang" } };
const asked = (count: number) =>
  eventually(
    async () => server.requests.length,
    (seen) => seen === count,
  );

describe.each(PROVIDERS)("%s", (provider) => {
  test("a model that is silent is asked again after 10 s, and after 20 s the person hears the apology", async () => {
    server.reply(SILENT);
    const { say } = await talking(provider);
    const began = app.clock.now().getTime();
    const turn = say("Hello?");
    await asked(1);
    app.clock.advance(9_999);
    expect(server.requests).toHaveLength(1);
    app.clock.advance(1);
    await asked(2);
    app.clock.advance(10_000);
    expect(await turn).toMatchObject({ messages: [wordsOf("en-US").apology], failed: true });
    expect(app.clock.now().getTime() - began).toBe(20_000);
    expect(server.requests).toHaveLength(2);
  });

  test("a model that stalls within its answer is asked to go on after 10 s, with what was heard", async () => {
    server.reply(STALLED, { text: ["five."] });
    const { say, events } = await talking(provider);
    const turn = say("Count.");
    await eventually(
      async () => events,
      (seen) => seen.some((event) => event.type === "delta"),
    );
    app.clock.advance(10_000);
    const { messages, failed } = await turn;
    expect(messages[0]).toMatch(/^One/);
    expect(messages.slice(1)).toEqual(["five."]);
    expect(failed).toBe(false);
    const again = JSON.stringify(server.requests[1]?.body);
    expect(again).toContain("One");
    expect(again).toContain("broke off");
  });

  test("a model that breaks off and begins anew is heard from where it broke off, and never twice", async () => {
    const whole = ["Your appointment is ", "on Monday ", "at nine ", "in Room 4."];
    const broken: Reply = { text: whole, after: { events: 3, comes: "cut" }, delay_ms: 15 };
    const { say } = await talking(provider);
    server.reply(broken, { text: whole });
    const { messages } = await say("When?");
    expect(messages).toHaveLength(2);
    expect(messages.join(" ").replaceAll(/\s+/g, " ")).toBe(whole.join(""));
    server.reply(broken);
    const twice = await say("When?");
    expect(twice.messages).toEqual([expect.stringMatching(/^Your appointment is/), wordsOf("en-US").apology]);
    expect(twice.failed).toBe(true);
  });
});

test.each(["length", "content-filter"] as const)(
  "an answer that the provider stops in the middle (%s) is gone on with once, so that nobody is left with half a sentence",
  async (finish) => {
    const { say } = await talking("openai");
    server.reply({ text: ["Your appointment is ", "on Monday"], finish }, { text: ["at nine."] });
    expect((await say("When?")).messages).toEqual(["Your appointment is on Monday", "at nine."]);
    server.reply({ text: ["Your appointment is ", "on Monday"], finish });
    server.requests.length = 0;
    expect((await say("When?")).messages).toEqual(["Your appointment is on Monday"]);
    expect(server.requests).toHaveLength(2);
  },
);

test("the second try goes to the installation's fallback, also for what would fail again; the trace says so", async () => {
  const fallback = { provider: "anthropic" as const, model: "claude-haiku-4-5" };
  const { say, llmRows } = await talking("openai", { fallback });
  server.reply({ status: 401 }, { text: ["Here I am."] });
  expect((await say("Hello?")).messages).toEqual(["Here I am."]);
  expect(server.requests.map(({ path }) => path.split("/")[1])).toEqual(["openai", "anthropic"]);
  const [row] = await llmRows();
  expect(row).toMatchObject({
    metadata: ["claude-haiku-4-5", "anthropic"],
    details: {
      retries: [{ asked: "anthropic/claude-haiku-4-5", because: expect.stringContaining("API key") }],
    },
  });
});

test("the waits are the installation's settings", async () => {
  const patient = await createTestApp(
    { LLM_FIRST_TOKEN_TIMEOUT_S: "3", LLM_FALLBACK: "anthropic/claude-haiku-4-5" },
    undefined,
    { llmProviders: server.settings },
  );
  const model = await patient.engine.resolveModel(patient.admin.sub_organization_id, {
    provider: "openai",
    model: "gpt-4.1",
  });
  server.reply(SILENT, { text: ["Here."] });
  const read = async () => {
    let text = "";
    for await (const part of model.stream({
      messages: [{ role: "user", text: "Hi" }],
      tools: [],
      tool_choice: "auto",
      temperature: null,
      seed: null,
      signal: new AbortController().signal,
    })) {
      if (part.type === "text") text += part.delta;
    }
    return text;
  };
  const answer = read();
  await asked(1);
  patient.clock.advance(3_000);
  expect(await answer).toBe("Here.");
  expect(server.requests[1]?.path).toMatch(/^\/anthropic/);
});

test("reasoning and arguments being written are signs of an answer", async () => {
  const { say } = await talking("anthropic");
  const thinking = { text: "hmm", signature: "s" };
  // Three events of reasoning come, then nothing: it is the wait between tokens that ends it.
  server.reply({ thinking, text: ["Yes."], after: { events: 3, comes: "hang" } }, { text: ["Yes."] });
  const turn = say("Is it?");
  await asked(1);
  app.clock.advance(10_000);
  expect((await turn).messages).toEqual(["Yes."]);
});

test("a model that answers a mail may take its time, for nobody sits before it", async () => {
  for (const [channel, unwatched] of [
    ["email", true],
    ["chat", false],
  ] as const) {
    const { say, requests } = await plannedSession(app, [], { channel, plans: [{ text: "On Monday." }] });
    await say("When?");
    expect(requests.at(-1)?.unwatched).toBe(unwatched);
  }
});
