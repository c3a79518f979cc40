import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { promptVersion } from "../../src/agents/prompt-history.ts";
import { PromptResponse } from "../../src/agents/prompt-record.ts";
import { ensureSystemTools } from "../../src/agents/system-tools.ts";
import { endpointTool } from "../harness/agent.ts";
import { createTestApp, START, type TestApp } from "../harness/app.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  await app.db.transaction().execute((tx) => ensureSystemTools(tx, app.admin, app.clock.now()));
  service_id = (await app.send("POST", "/api/v1/services/", { name: "Clinic", description: "" })).body.id;
  for (const name of ["book", "cancel", "close"]) await createTool(name);
});

const path = "/api/v1/prompts/";
const llm_config = { provider: "openai", model: "scripted" };
const createTool = async (name: string) =>
  (
    await app.send("POST", "/api/v1/tools/", {
      name,
      service_id,
      definition: endpointTool(name, "https://example.com"),
    })
  ).body;
const toolId = async (name: string) => (await app.send("GET", `/api/v1/tools/${name}`)).body.id;
const create = async (name: string, more: object = {}) => {
  const answer = await app.send("POST", path, { name, type: "prompt_v1", llm_config, ...more });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const update = (id: number, name: string, more: object = {}) =>
  app.send("PUT", path, { id, name, type: "prompt_v1", llm_config, ...more });
const get = async (id: number) => (await app.send("GET", `${path}${id}`)).body;
const history = async (id: number) => (await app.send("GET", `${path}${id}/history`)).body;
const agentOn = async (prompt_id: number, more: object = {}) =>
  (
    await app.send("POST", "/api/v1/agents/", {
      name: `Agent of ${prompt_id}`,
      type: "ca_v1",
      prompt_id,
      timezone: "UTC",
      variables: {},
      tool_headers: null,
      ...more,
    })
  ).body;

describe("prompts", () => {
  test("a created prompt comes back with the 17 fields of its contract", async () => {
    const close = await toolId("close");
    const { status, body } = await app.send("POST", path, {
      name: "Reception",
      type: "prompt_v1",
      context: "You answer the phone.",
      tools: ["book", "cancel"],
      llm_config: { provider: "azure_openai", model: "gpt-4o", temperature: 0.3 },
      session_end_enabled: true,
      session_end_tool_id: close,
      edit_comments: "first",
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "Reception",
      description: null,
      type: "prompt_v1",
      context: "You answer the phone.",
      tools: ["book", "cancel", "hangup"],
      llm_config: {
        provider: "azure_openai",
        model: "gpt-4o",
        version: null,
        api_version: null,
        temperature: 0.3,
        seed: null,
      },
      session_end_enabled: true,
      session_end_tool_id: close,
      edit_comments: "first",
      id: expect.any(Number),
      last_updated: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      session_end_tool: expect.objectContaining({ id: close, name: "close", service_name: "Clinic" }),
      agent_count: 0,
      version_number: 1,
      tools_full: [
        expect.objectContaining({ name: "book", service_id, version_number: 1 }),
        expect.objectContaining({ name: "cancel" }),
        expect.objectContaining({ name: "hangup", service_name: "System" }),
      ],
      validation_issues: [],
    });
    expect(Object.keys(body)).toHaveLength(17);
    expect(PromptResponse.parse(body)).toEqual(body);
    expect(await get(body.id)).toEqual(body);
  });

  test("the model is azure_openai's gpt-4o unless said otherwise", async () => {
    const { llm_config } = await create("Default model", { llm_config: {} });
    expect(llm_config).toMatchObject({ provider: "azure_openai", model: "gpt-4o" });
  });

  test("an update replaces everything and is the next version", async () => {
    const made = await create("Replaced", { context: "a", description: "d", tools: ["book"] });
    const { status, body } = await update(made.id, "Renamed", { tools: ["cancel", "book", "cancel"] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: made.id,
      name: "Renamed",
      context: null,
      description: null,
      tools: ["cancel", "book", "hangup"],
      version_number: 2,
    });
    expect(await get(made.id)).toEqual(body);
  });

  test("default tools are added unless that is declined, on create as on update", async () => {
    const made = await create("Defaults", { include_default_tools: false });
    expect(made.tools).toEqual([]);
    expect((await update(made.id, "Defaults", { include_default_tools: false })).body.tools).toEqual([]);
    expect((await update(made.id, "Defaults", { tools: ["hangup", "book"] })).body.tools).toEqual([
      "hangup",
      "book",
    ]);
    await agentOn(made.id, { enable_verbal_language_change: true });
    expect((await update(made.id, "Defaults")).body.tools).toEqual(["hangup", "set_current_language"]);
    expect((await update(made.id, "Defaults", { include_default_tools: false })).body.tools).toEqual([]);
  });

  test("where there are no built-in tools yet, none are added", async () => {
    const neighbour = await app.createNeighbour();
    const body = { name: "Bare", type: "prompt_v1", llm_config };
    expect((await neighbour.send("POST", path, body)).body.tools).toEqual([]);
  });

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
    const answer = await app.send("POST", path, { name: "Broken", type: "prompt_v1", llm_config, ...broken });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

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
      await app.send("POST", path, { name: "New", type: "prompt_v1", llm_config, ...broken }),
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

  test("a neighbour's prompt and tools answer like ones that never were", async () => {
    const made = await create("Mine");
    const close = await toolId("close");
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${path}${made.id}`],
      ["GET", `${path}${made.id}/history`],
      ["PUT", path, { id: made.id, name: "Taken", type: "prompt_v1", llm_config }],
      ["DELETE", `${path}${made.id}?reason=x`],
    ] as const) {
      expect(await neighbour.send(method, url, body)).toMatchObject({
        status: 404,
        body: { detail: `Prompt with ID ${made.id} not found` },
      });
    }
    const body = { name: "Mine", type: "prompt_v1", llm_config };
    expect((await neighbour.send("POST", path, { ...body, tools: ["book"] })).body.detail).toBe(
      "Tool not found: book",
    );
    expect((await neighbour.send("POST", path, { ...body, session_end_tool_id: close })).status).toBe(404);
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
  });

  test("a name is taken until its prompt is deleted", async () => {
    const made = await create("Twice");
    expect(await app.send("POST", path, { name: "Twice", type: "prompt_v1", llm_config })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("already exists") },
    });
    await app.send("DELETE", `${path}${made.id}?reason=x`);
    await create("Twice");
  });

  test("a prompt that agents use can't be deleted; deleted, it lets go of its tools", async () => {
    await createTool("only-here");
    const made = await create("Held", { tools: ["only-here"] });
    const agent = await agentOn(made.id, { name: "Holder" });
    expect((await get(made.id)).agent_count).toBe(1);
    expect(await app.send("DELETE", `${path}${made.id}?reason=x`)).toMatchObject({
      status: 400,
      body: { detail: 'Cannot delete prompt "Held" while it is used by agent "Holder".' },
    });
    await app.send("DELETE", `/api/v1/agents/${agent.id}?reason=x`);
    expect((await app.send("DELETE", `${path}${made.id}?reason=x`)).status).toBe(200);
    expect((await app.send("GET", `${path}${made.id}/history`)).status).toBe(404);
    expect((await app.send("DELETE", "/api/v1/tools/only-here?reason=x")).status).toBe(200);
  });

  test("lists are searched by their fields, ordered and paged", async () => {
    await create("list a", { description: "spring", tools: ["book"], context: "alpha" });
    await create("list ab", { tools: ["book", "cancel"], session_end_enabled: true });
    const used = await create("list c", { description: "spring list a", include_default_tools: false });
    await agentOn(used.id);
    const names = async (query: string) =>
      (await app.send("GET", `${path}?${query}`)).body.items.map((item: { name: string }) => item.name);
    const by = (field: string, value: string) => `search_fields=${field}&search_field_values=${value}`;
    const listed = by("name", "list");
    expect(await names(by("name_exact", "list%20a"))).toEqual(["list a"]);
    expect(await names(by("name_description", "list%20a"))).toEqual(["list a", "list ab", "list c"]);
    expect(await names(`${listed}&${by("tools", "canc")}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("context", "ALPHA")}`)).toEqual(["list a"]);
    expect(await names(`${listed}&${by("agent_count", "1")}`)).toEqual(["list c"]);
    expect(await names(`${listed}&${by("session_end_enabled", "true")}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("llm_config", "scripted")}&limit=1&page=1`)).toEqual(["list ab"]);
    expect(await names(`${listed}&order_by=agent_count&order_by_direction=desc`)).toEqual([
      "list c",
      "list ab",
      "list a",
    ]);
    expect(await names(`${listed}&order_by=tools`)).toEqual(["list ab", "list a", "list c"]);
  });

  test("any accepted prompt comes back as it was sent", async () => {
    const text = fc.string({ unit: "grapheme" });
    const input = fc.record({
      type: fc.string({ minLength: 1 }),
      description: fc.option(text),
      context: fc.option(text),
      tools: fc.shuffledSubarray(["book", "cancel", "close", "hangup"]),
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
      { numRuns: 30 },
    );
  });
});

describe("versions of a prompt", () => {
  test("every write leaves one, the latest first, with what became of its tools since", async () => {
    await createTool("changing");
    await createTool("going");
    const made = await create("Told", {
      context: "one",
      tools: ["changing", "going"],
      session_end_tool_id: await toolId("close"),
      edit_comments: "begin",
      include_default_tools: false,
    });
    const changing = (await app.send("GET", "/api/v1/tools/changing")).body;
    await app.send("PUT", "/api/v1/tools/", changing);
    app.clock.advance(60_000);
    await update(made.id, "Told anew", { tools: ["changing"], include_default_tools: false });
    await app.send("DELETE", "/api/v1/tools/going?reason=x");

    const [second, first] = await history(made.id);
    expect(second).toEqual({
      timestamp: "2026-11-18T12:01:00+00:00",
      prompt_id: String(made.id),
      version_number: 2,
      prompt_text: "",
      prompt_description: null,
      prompt_name: "Told anew",
      llm_config: made.llm_config,
      comments: null,
      user_email: "admin@example.com",
      linked_tools: [
        { tool_id: changing.id, current_tool_name: "changing", out_of_date: false, deleted: false },
      ],
      session_end_tool: null,
      is_pre_enhancements: false,
    });
    expect(first).toMatchObject({
      timestamp: "2026-11-18T12:00:00+00:00",
      version_number: 1,
      prompt_text: "one",
      prompt_name: "Told",
      comments: "begin",
      linked_tools: [
        { current_tool_name: "changing", out_of_date: true, deleted: false },
        { current_tool_name: "going", deleted: true },
      ],
      session_end_tool: { current_tool_name: "close", out_of_date: false, deleted: false },
    });
    app.clock.set(START);
  });

  test("two updates at once are two versions", async () => {
    const made = await create("Raced");
    await Promise.all([1, 2, 3, 4].map((n) => update(made.id, "Raced", { context: String(n) })));
    const numbers = (await history(made.id)).map((row: { version_number: number }) => row.version_number);
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
  });

  test("a session can freeze the latest or any earlier one, of its own sub-organization", async () => {
    const made = await create("Frozen", { context: "old", tools: ["book", "cancel"] });
    await update(made.id, "Frozen", { context: "new", tools: ["cancel"] });
    const version = (number: number | null, of = app.admin.sub_organization_id) =>
      promptVersion(app.db, of, made.id, number);
    expect(await version(1)).toEqual({
      prompt_id: made.id,
      version_number: 1,
      name: "Frozen",
      context: "old",
      llm_config: made.llm_config,
      tools: await Promise.all(
        ["book", "cancel", "hangup"].map(async (name) => ({
          tool_id: await toolId(name),
          version_number: 1,
        })),
      ),
      session_end_enabled: false,
      session_end_tool: null,
    });
    expect(await version(null)).toMatchObject({ version_number: 2, context: "new" });
    await expect(version(3)).rejects.toThrow(`Prompt with ID ${made.id} not found`);
    await expect(version(1, app.admin.sub_organization_id + 1)).rejects.toThrow("not found");
  });
});

describe("the models on offer", () => {
  const offered = async (query = "") => (await app.send("GET", `${path}llms/supported${query}`)).body;

  test("leave out the retired ones, but for the one that is selected", async () => {
    const names = (await offered()).map((llm: { model: string }) => llm.model);
    expect(names).toContain("gpt-4o");
    expect(names.filter((name: string) => name === "scripted")).toHaveLength(4);
    expect(names).not.toContain("gemini-2.0-flash");
    expect(await offered("?selected_model=gemini-2.0-flash")).toContainEqual({
      provider: "google",
      model: "gemini-2.0-flash",
      display_name: "Gemini 2.0 Flash",
      version: null,
      api_version: null,
      deprecated: false,
      sunset_date: "2026-06-01",
      removed: false,
      fallback: "gemini-3.5-flash",
      status: "retired",
    });
  });

  test("tell by today's date what still answers", async () => {
    const gpt = async () =>
      (await offered("?selected_model=gpt-4o")).find(
        (llm: { provider: string; model: string }) => llm.provider === "openai" && llm.model === "gpt-4o",
      );
    expect(await gpt()).toMatchObject({ deprecated: true, status: "deprecated", sunset_date: "2027-01-14" });
    app.clock.set("2027-01-14T00:00:00Z");
    expect(await gpt()).toMatchObject({ deprecated: false, status: "retired" });
    app.clock.set(START);
  });
});
