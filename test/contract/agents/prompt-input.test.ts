import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { createTools, llm_config, PROMPTS, promptCalls } from "../../harness/prompts.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  ({ service_id } = await createTools(app));
});

const { create, update, get, history } = promptCalls(() => ({ app, service_id }));

describe("what a prompt may be", () => {
  test.each([
    ["no name", { name: undefined }, ["name"], "missing"],
    ["no type", { type: undefined }, ["type"], "missing"],
    ["no llm_config", { llm_config: undefined }, ["llm_config"], "missing"],
    ["an unknown provider", { llm_config: { provider: "acme" } }, ["llm_config", "provider"], "enum"],
    [
      "a temperature above 2",
      { llm_config: { ...llm_config, temperature: 2.01 } },
      ["llm_config", "temperature"],
      "less_than_equal",
    ],
    [
      "a temperature below 0",
      { llm_config: { ...llm_config, temperature: -0.1 } },
      ["llm_config", "temperature"],
      "greater_than_equal",
    ],
    ["a seed of text", { llm_config: { ...llm_config, seed: "x" } }, ["llm_config", "seed"], "int_parsing"],
    ["tools that are no list", { tools: "book" }, ["tools"], "list_type"],
    [
      "a retired model",
      { llm_config: { provider: "google", model: "gemini-2.0-flash" } },
      ["llm_config", "model"],
      "retired-model",
    ],
  ])("a prompt with %s is refused at its place", async (_, broken, at, type) => {
    const answer = await app.send("POST", PROMPTS, {
      name: "Broken",
      type: "prompt_v1",
      llm_config,
      ...broken,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test.each([
    [{ provider: "google", model: "gemini-2.0-flash" }, "retired-model"],
    [{ provider: "anthropic", model: "gpt-4o" }, "unknown-model"],
  ])(
    "a model that can't be chosen is told beside all else that is wrong with a prompt: %j",
    async (llm_config, type) => {
      const { status, body } = await app.send("POST", PROMPTS, { name: "", type: "prompt_v1", llm_config });
      expect(status).toBe(422);
      expect(body.detail).toMatchObject([
        { loc: ["body", "name"], type: "string_too_short" },
        { loc: ["body", "llm_config", "model"], type },
      ]);
      // Of a choice of model whose own shape is wrong, only that is told.
      const broken = { name: "", type: "prompt_v1", llm_config: { ...llm_config, temperature: 3 } };
      expect((await app.send("POST", PROMPTS, broken)).body.detail).toMatchObject([
        { loc: ["body", "name"] },
        { loc: ["body", "llm_config", "temperature"] },
      ]);
    },
  );

  test.each([
    [{ tools: ["book", "bok"] }, 400, "Tool not found: bok"],
    [{ session_end_tool_id: 999_999 }, 404, "Tool with ID 999999 not found"],
    [
      { llm_config: { provider: "anthropic", model: "gpt-4o" } },
      400,
      expect.stringMatching(
        /^Model "gpt-4o" of Anthropic is not offered here\. Choose one of claude-.+scripted\.$/,
      ),
    ],
  ])("what is named but does not exist is refused by name: %j", async (broken, status, detail) => {
    const made = await create(`Named ${JSON.stringify(broken)}`);
    expect(
      await app.send("POST", PROMPTS, { name: "New", type: "prompt_v1", llm_config, ...broken }),
    ).toMatchObject({
      status,
      body: { detail },
    });
    expect(await update(made.id, made.name, broken)).toMatchObject({ status, body: { detail } });
    expect((await history(made.id)).length).toBe(1);
  });

  test("settings that the model ignores and a known last day are warnings that ride along", async () => {
    const issues = async (name: string, llm_config: object) =>
      (await create(name, { llm_config })).validation_issues;
    expect(
      await issues("Reasoning", { provider: "azure_openai", model: "gpt-5.1", temperature: 0.5 }),
    ).toMatchObject([
      { id: "unsupported-temperature", severity: "warning", path: "$.llm_config.temperature", value: "0.5" },
    ]);
    expect(
      await issues("Seeded", { provider: "anthropic", model: "claude-haiku-4-5", seed: 7 }),
    ).toMatchObject([{ id: "unsupported-seed", severity: "warning", path: "$.llm_config.seed" }]);
    expect(await issues("Ending", { provider: "openai", model: "gpt-4o" })).toMatchObject([
      { id: "deprecated-model", severity: "warning", path: "$.llm_config.model", value: "gpt-4o" },
    ]);
  });

  test("a saved model that retires later is told on reading and refused on writing", async () => {
    const made = await create("Outlived", { llm_config: { provider: "openai", model: "gpt-4o" } });
    app.clock.set("2027-01-14T00:00:00Z");
    expect((await get(made.id)).validation_issues).toMatchObject([
      { id: "retired-model", severity: "error" },
    ]);
    expect((await update(made.id, "Outlived", { llm_config: made.llm_config })).status).toBe(422);
    app.clock.set(START);
  });

  test("any accepted prompt comes back as it was sent", async () => {
    const text = fc.string({ unit: "grapheme" });
    const input = fc.record({
      type: fc.string({ minLength: 1 }),
      description: fc.option(text),
      context: fc.option(text),
      tools: fc.shuffledSubarray(["book", "cancel", "close"]),
      llm_config: fc.record({
        provider: fc.constantFrom("anthropic", "azure_openai", "google", "openai"),
        model: fc.constant("scripted"),
        version: fc.option(text),
        api_version: fc.option(text),
        temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0)),
        seed: fc.option(fc.maxSafeInteger()),
      }),
      session_end_enabled: fc.boolean(),
      edit_comments: fc.option(text),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(input, async (one) => {
        const sent = { name: `Any ${count++}`, ...one };
        const body = await create(sent.name, { ...sent, include_default_tools: false });
        expect(body).toEqual({ ...body, ...sent });
        expect(await get(body.id)).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
