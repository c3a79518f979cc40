import { expect, onTestFinished, test } from "vitest";
import { addUsed } from "../../src/accounts/allowance.ts";
import { createModelAllowance } from "../../src/accounts/model-allowance.ts";
import { createOwnLimits } from "../../src/accounts/own-limits.ts";
import { retryWait } from "../../src/insights/retry-policy.ts";
import type { LanguageModel } from "../../src/llm/model.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { type LlmServer, startLlmServer } from "../harness/llm-server.ts";

const DAY_MS = 24 * 3_600_000;

const LLM = { provider: "openai", model: "gpt-4.1", api_version: null } as never;

async function ask(model: LanguageModel): Promise<string> {
  const request = { messages: [{ role: "user", text: "Hi" }], tools: [], tool_choice: "auto" };
  const signal = AbortSignal.timeout(60_000);
  let text = "";
  for await (const part of model.stream({ ...request, temperature: null, seed: null, signal } as never))
    if (part.type === "text") text += part.delta;
  return text;
}

const eventsOf = async (app: TestApp, type: string): Promise<string[]> =>
  (await app.db.selectFrom("events").select("description").where("type", "=", type).execute()).map(
    ({ description }) => String(description),
  );

let server: LlmServer | undefined;

/** A provider whose answers take 110 tokens each. */
async function withModels(env: Record<string, string>): Promise<TestApp> {
  server = await startLlmServer();
  onTestFinished(server.close);
  server.reply({ text: ["Noted."], usage: { input: 60, output: 50, cached: 0 } });
  return createTestApp(env, undefined, { llmProviders: server.settings });
}

test.each([
  ["MODEL_TOKENS_PER_DAY", "100", "model-tokens-used-up", /100 model tokens a day is used up.*00:00 UTC/],
])(
  "an organization that has had its %s is told so, once in an event, and a neighbour's models answer",
  async (name, most, type, sentence) => {
    const app = await withModels({ [name]: most });
    const neighbour = (await app.createNeighbour()).caller.sub_organization_id;
    const modelOf = (tenant: number) => app.engine.resolveModel(tenant, LLM);
    const own = await modelOf(app.admin.sub_organization_id);
    expect(await ask(own)).toBe("Noted.");
    await expect(ask(own)).rejects.toThrow(sentence);
    await expect(ask(await modelOf(app.admin.sub_organization_id))).rejects.toMatchObject({
      kind: "used-up",
      retryable: false,
      retry_after_ms: DAY_MS / 2,
    });
    expect(await ask(await modelOf(neighbour))).toBe("Noted.");
    // One of each organization.
    await expect.poll(() => eventsOf(app, type)).toHaveLength(2);
    app.clock.advance(DAY_MS);
    expect(await ask(own)).toBe("Noted.");
  },
);

test("what models cost is limited as well, at list prices", async () => {
  const app = await withModels({ MODEL_USD_PER_DAY: "1" });
  const { sub_organization_id } = app.admin;
  // 110 tokens cost less than a cent: what was used before stands in the sum of the day.
  await app.db
    .insertInto("allowances")
    .values({
      sub_organization_id,
      name: "model-cost",
      began_at: "2026-11-18T00:00:00.000Z",
      used: 999_999,
      told_at: null,
    })
    .execute();
  const model = await app.engine.resolveModel(sub_organization_id, LLM);
  expect(await ask(model)).toBe("Noted.");
  await expect.poll(() => eventsOf(app, "model-cost-used-up")).toHaveLength(1);
  await expect(ask(model)).rejects.toThrow(/1 US dollars for models a day is used up/);
});

test("what a clock counted before it was set back keeps nobody out, and processes a moment apart count together", async () => {
  const { db, admin } = await createTestApp();
  const allowance = { name: "visitors", most: 9, period_ms: 60_000, description: "" } as const;
  const countAt = async (time: string) =>
    (
      await addUsed(
        db,
        admin.sub_organization_id,
        [{ allowance, amount: 1 }],
        new Date(`2026-11-18T${time}Z`),
      )
    )[0];
  expect(await countAt("13:00:00")).toBe(1);
  expect(await countAt("13:00:10")).toBe(2);
  expect(await countAt("12:00:00")).toBe(1);
  expect(await countAt("12:01:00")).toBe(1);
  expect(await countAt("12:00:59.9")).toBe(2);
});

test("processes count together: one knows of the other's use with its own next answer", async () => {
  const app = await withModels({});
  const [one, other] = [0, 1].map(() =>
    createModelAllowance({
      ...app,
      own: createOwnLimits(app),
      limits: { tokens_per_day: 200, usd_per_day: 1000 },
    }),
  ) as [ReturnType<typeof createModelAllowance>, ReturnType<typeof createModelAllowance>];
  const { sub_organization_id: own } = app.admin;
  const model = await app.engine.resolveModel((await app.createNeighbour()).caller.sub_organization_id, LLM);
  const used = () =>
    app.db
      .selectFrom("allowances")
      .select("used")
      .where("sub_organization_id", "=", own)
      .where("name", "=", "model-tokens")
      .executeTakeFirst();
  expect(await ask(one.guard(model, own))).toBe("Noted.");
  await expect.poll(used).toEqual({ used: 110 });
  expect(await ask(other.guard(model, own))).toBe("Noted.");
  await expect.poll(used).toEqual({ used: 220 });
  await expect.poll(() => eventsOf(app, "model-tokens-used-up")).toHaveLength(1);
  await expect.poll(() => ask(other.guard(model, own)).catch(String)).toMatch(/used up/);
});

test("what models used last is stored before a stop closes the database", async () => {
  const app = await withModels({});
  const allowance = createModelAllowance({
    ...app,
    own: createOwnLimits(app),
    limits: { tokens_per_day: 10_000, usd_per_day: 1000 },
  });
  const tenant = app.admin.sub_organization_id;
  for (let n = 0; n < 3; n++) allowance.count(tenant, { tokens: 10, cost_usd: 0 });
  await allowance.stored();
  const rows = await app.db
    .selectFrom("allowances")
    .select("used")
    .where("sub_organization_id", "=", tenant)
    .where("name", "=", "model-tokens")
    .execute();
  expect(rows).toEqual([{ used: 30 }]);
});

test("embeddings count to the models' allowance, and are refused with its sentence, told once", async () => {
  const app = await withModels({
    MODEL_TOKENS_PER_DAY: "100",
    EMBEDDING_MODEL: "openai/text-embedding-3-small",
  });
  const { sub_organization_id } = app.admin;
  const embedder = await app.engine.embedderOf(sub_organization_id);
  const embed = () =>
    embedder?.embed(["Refunds"], {
      purpose: "passage",
      timeout_ms: 60_000,
      signal: AbortSignal.timeout(60_000),
    });
  // 110 tokens of a model first.
  expect(await ask(await app.engine.resolveModel(sub_organization_id, LLM))).toBe("Noted.");
  await expect(embed()).rejects.toThrow(/100 model tokens a day is used up/);
  app.clock.advance(DAY_MS);
  server?.reply({ vector: () => [1, 2], usage: { input: 150, output: 0, cached: 0 } });
  await embed();
  await expect(embed()).rejects.toMatchObject({ kind: "used-up" });
  await expect(ask(await app.engine.resolveModel(sub_organization_id, LLM))).rejects.toThrow(/used up/);
  // One of each day.
  await expect.poll(() => eventsOf(app, "model-tokens-used-up")).toHaveLength(2);
});

test("a visitor whose organization has had its tokens of the day hears the apology", async () => {
  const app = await withModels({ MODEL_TOKENS_PER_DAY: "100" });
  const { resolveModel } = app.engine;
  app.engine.resolveModel = (tenant) => resolveModel(tenant, LLM);
  const { target } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
  const stranger = app.sendAs(null);
  const { body } = await stranger("POST", "/chat/v1/sessions", { client_id: target });
  const say = async () =>
    (
      await stranger("POST", `/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`, {
        text: "Hello",
      })
    ).body.events.map(({ text }: { text: string }) => text);
  expect(await say()).toContain("Noted.");
  expect((await say()).join(" ")).toMatch(/sorry|apolog/i);
});

test("an insight waits until the day's end, however often it has, and has not failed", () => {
  for (const tries of [1, 3, 50])
    expect(retryWait({ when: "after", wait_ms: DAY_MS / 2 }, tries)).toBe(DAY_MS / 2);
});

test("new visitors of one organization are limited in a minute, with a sentence for them and one event", async () => {
  const app = await createTestApp({ VISITORS_PER_MINUTE: "2" });
  const { target } = await createAgent(app, { script: 'otherwise -> say "Noted."' });
  const open = () => app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  expect(await open()).toMatchObject({
    status: 200,
    headers: { "ratelimit-limit": "2", "ratelimit-remaining": "1", "ratelimit-reset": "60" },
  });
  expect((await open()).status).toBe(200);
  for (let n = 0; n < 3; n++)
    expect(await open()).toMatchObject({
      status: 429,
      headers: { "retry-after": "60" },
      body: { detail: expect.stringMatching(/Many people.*again in 60 s/) },
    });
  app.clock.advance(60_000);
  for (let n = 0; n < 2; n++) expect((await open()).status).toBe(200);
  expect(await eventsOf(app, "visitors-used-up")).toHaveLength(1);
});
