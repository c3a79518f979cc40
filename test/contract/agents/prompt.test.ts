import { beforeAll, describe, expect, test } from "vitest";
import { PromptResponse } from "../../../src/agents/prompt-record.ts";
import { ensureSystemTools } from "../../../src/tools/system-tools.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createTools, llm_config, PROMPTS, promptCalls } from "../../harness/prompts.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  await app.db.transaction().execute((tx) => ensureSystemTools(tx, app.admin, app.clock.now()));
  ({ service_id } = await createTools(app));
});

const { createTool, toolId, create, update, get } = promptCalls(() => ({ app, service_id }));
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
    const { status, body } = await app.send("POST", PROMPTS, {
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
    expect((await neighbour.send("POST", PROMPTS, body)).body.tools).toEqual([]);
  });

  test("a neighbour's prompt and tools answer like ones that never were", async () => {
    const made = await create("Mine");
    const close = await toolId("close");
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${PROMPTS}${made.id}`],
      ["GET", `${PROMPTS}${made.id}/history`],
      ["PUT", PROMPTS, { id: made.id, name: "Taken", type: "prompt_v1", llm_config }],
      ["DELETE", `${PROMPTS}${made.id}?reason=x`],
    ] as const) {
      expect(await neighbour.send(method, url, body)).toMatchObject({
        status: 404,
        body: { detail: `Prompt with ID ${made.id} not found` },
      });
    }
    const body = { name: "Mine", type: "prompt_v1", llm_config };
    expect((await neighbour.send("POST", PROMPTS, { ...body, tools: ["book"] })).body.detail).toBe(
      "Tool not found: book",
    );
    expect((await neighbour.send("POST", PROMPTS, { ...body, session_end_tool_id: close })).status).toBe(404);
    expect((await neighbour.send("GET", PROMPTS)).body.items).toEqual([]);
  });

  test("a name is taken until its prompt is deleted", async () => {
    const made = await create("Twice");
    expect(await app.send("POST", PROMPTS, { name: "Twice", type: "prompt_v1", llm_config })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("already exists") },
    });
    await app.send("DELETE", `${PROMPTS}${made.id}?reason=x`);
    await create("Twice");
  });

  test("a prompt that agents use can't be deleted; deleted, it lets go of its tools", async () => {
    await createTool("only-here");
    const made = await create("Held", { tools: ["only-here"] });
    const agent = await agentOn(made.id, { name: "Holder" });
    expect((await get(made.id)).agent_count).toBe(1);
    expect(await app.send("DELETE", `${PROMPTS}${made.id}?reason=x`)).toMatchObject({
      status: 400,
      body: { detail: 'Cannot delete prompt "Held" while it is used by agent "Holder".' },
    });
    await app.send("DELETE", `/api/v1/agents/${agent.id}?reason=x`);
    expect((await app.send("DELETE", `${PROMPTS}${made.id}?reason=x`)).status).toBe(200);
    expect((await app.send("GET", `${PROMPTS}${made.id}/history`)).status).toBe(404);
    expect((await app.send("DELETE", "/api/v1/tools/only-here?reason=x")).status).toBe(200);
  });

  test("lists are searched by their fields, ordered and paged", async () => {
    await create("list a", { description: "spring", tools: ["book"], context: "alpha" });
    await create("list ab", { tools: ["book", "cancel"], session_end_enabled: true });
    const used = await create("list c", { description: "spring list a", include_default_tools: false });
    await agentOn(used.id);
    const names = async (query: string) =>
      (await app.send("GET", `${PROMPTS}?${query}`)).body.items.map((item: { name: string }) => item.name);
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
});
