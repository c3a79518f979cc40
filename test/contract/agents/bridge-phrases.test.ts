import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { BridgePhrasesResponse } from "../../../src/agents/bridge-phrases.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/bridge_phrases/";
const create = async (input: object) => (await app.send("POST", path, input)).body;
const get = (id: number) => app.send("GET", `${path}${id}`);
const EMPTY = {
  phrases: { messages: [], localized: {} },
  tools: [],
  smart_turn_timeout_seconds: 2.75,
  randomize_bridge_phrases: false,
};

describe("bridge phrases", () => {
  test("a created config comes back with every field of its contract, what was omitted at its default", async () => {
    const { status, body } = await app.send("POST", path, { name: "Patient" });
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "Patient",
      description: null,
      config: EMPTY,
      is_default: false,
      id: expect.any(Number),
      edit_comments: null,
      agents_info: [],
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
    });
    expect((await get(body.id)).body).toEqual(body);
    expect(BridgePhrasesResponse.parse(body)).toEqual(body);
  });

  test("a silence of null seconds stays null: as the service has it", async () => {
    const { config } = await create({ name: "Null", config: { smart_turn_timeout_seconds: null } });
    expect(config).toEqual({ ...EMPTY, smart_turn_timeout_seconds: null });
  });

  test("an update replaces everything but whether it is the default, which null or nothing keeps", async () => {
    const made = await create({
      name: "Before",
      description: "d",
      config: { phrases: { messages: ["One moment."] } },
      is_default: true,
    });
    app.clock.advance(60_000);
    const put = async (more: object) =>
      (await app.send("PUT", path, { id: made.id, name: "After", ...more })).body;
    expect(await put({ edit_comments: "c" })).toEqual({
      ...made,
      name: "After",
      description: null,
      config: EMPTY,
      edit_comments: "c",
      updated_at: "2026-11-18T12:01:00+00:00",
    });
    expect((await put({ is_default: null })).is_default).toBe(true);
    expect((await put({ is_default: false })).is_default).toBe(false);
    expect((await put({})).is_default).toBe(false);
  });

  test("a sub-organization has one default, and another sub-organization its own", async () => {
    const made = await create({ name: "First default", is_default: true });
    const second = await app.send("POST", path, { name: "Second default", is_default: true });
    expect(second).toMatchObject({
      status: 400,
      body: { detail: "Another bridge phrases config is the default. Make it no default first." },
    });
    const other = await create({ name: "No default" });
    const claimed = await app.send("PUT", path, { id: other.id, name: "No default", is_default: true });
    expect(claimed.status).toBe(400);
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("POST", path, { name: "Theirs", is_default: true })).status).toBe(200);
    await app.send("DELETE", `${path}${made.id}?reason=test`);
    expect((await app.send("POST", path, { name: "Second default", is_default: true })).status).toBe(200);
  });

  test("a name is unique among configs that are not deleted", async () => {
    const made = await create({ name: "Twice" });
    expect(await app.send("POST", path, { name: "Twice" })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("already exists") },
    });
    await app.send("DELETE", `${path}${made.id}?reason=test`);
    expect((await app.send("POST", path, { name: "Twice" })).status).toBe(200);
  });

  test("a config that an agent uses names it and is not deleted", async () => {
    const made = await create({ name: "Held" });
    const { agent_id } = await createAgent(app, { script: "", agent: { bridge_phrases_id: made.id } });
    const { body } = await get(made.id);
    expect(body.agents_info).toEqual([{ id: agent_id, name: expect.any(String) }]);
    expect(await app.send("DELETE", `${path}${made.id}?reason=test`)).toMatchObject({
      status: 400,
      body: { detail: "Cannot delete bridge phrases config with associated agents" },
    });
    expect((await get(made.id)).status).toBe(200);
  });

  test("a config that only the published version of an agent has is not deleted", async () => {
    const made = await create({ name: "Live" });
    const { agent_id } = await createAgent(app, { script: "", agent: { bridge_phrases_id: made.id } });
    await app.send("POST", `/api/v1/agents/${agent_id}/versions`, {});
    const { body } = await app.send("GET", `/api/v1/agents/${agent_id}`);
    await app.send("PUT", "/api/v1/agents/", { ...body, bridge_phrases_id: null });
    expect(await app.send("DELETE", `${path}${made.id}?reason=test`)).toMatchObject({
      status: 400,
      body: {
        detail: `Cannot delete bridge phrases "Live" while it is used by version 1 of agent "${body.name}".`,
      },
    });
    await app.send("POST", `/api/v1/agents/${agent_id}/versions`, {});
    expect((await app.send("DELETE", `${path}${made.id}?reason=test`)).status).toBe(200);
  });

  test("a deleted config is gone, and its end is in the audit trail", async () => {
    const made = await create({ name: "Gone" });
    expect(await app.send("DELETE", `${path}${made.id}`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "reason"], type: "missing" }] },
    });
    expect((await app.send("DELETE", `${path}${made.id}?reason=test`)).body).toEqual({ success: true });
    expect(await get(made.id)).toMatchObject({
      status: 404,
      body: { detail: `Bridge phrases config with ID ${made.id} not found` },
    });
    const entries = await app.db
      .selectFrom("audit_entries")
      .select("action")
      .where("resource", "=", "bridge_phrases")
      .where("resource_id", "=", String(made.id))
      .orderBy("id")
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(["create", "delete"]);
  });

  test("a neighbour's config answers 404 like one that never was", async () => {
    const made = await create({ name: "Mine" });
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${path}${made.id}`],
      ["PUT", path, { id: made.id, name: "Taken" }],
      ["DELETE", `${path}${made.id}?reason=x`],
    ] as const) {
      expect((await neighbour.send(method, url, body)).status).toBe(404);
    }
    expect((await get(made.id)).body).toEqual(made);
  });

  test.each([
    ["no name", { name: undefined }, ["name"], "missing"],
    ["a list for a config", { config: [] }, ["config"], "dict_type"],
    [
      "a silence that is too short",
      { config: { smart_turn_timeout_seconds: 0.2 } },
      ["config", "smart_turn_timeout_seconds"],
      "greater_than_equal",
    ],
    [
      "a silence that is too long",
      { config: { smart_turn_timeout_seconds: 31 } },
      ["config", "smart_turn_timeout_seconds"],
      "less_than_equal",
    ],
    [
      "one phrase for a list",
      { config: { phrases: { messages: "Hm" } } },
      ["config", "phrases", "messages"],
      "list_type",
    ],
    [
      "phrases of a language that are no set",
      { config: { phrases: { localized: { es: ["Un momento"] } } } },
      ["config", "phrases", "localized", "es"],
      "dict_type",
    ],
    [
      "a tool without its name",
      { config: { tools: [{ phrases: {} }] } },
      ["config", "tools", 0, "tool_name"],
      "missing",
    ],
    [
      "a tool without phrases",
      { config: { tools: [{ tool_name: "t" }] } },
      ["config", "tools", 0, "phrases"],
      "missing",
    ],
    ["a default that is no boolean", { is_default: "yes" }, ["is_default"], "bool_type"],
  ])("%s is refused at its place", async (_, more, at, type) => {
    const answer = await app.send("POST", path, { name: "Refused", ...more });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test("configs are searched, ordered and paged as every list", async () => {
    for (const name of ["list b", "list a", "list c"]) await create({ name, description: "of lists" });
    const search = "search_fields=description&search_field_values=OF%20lists";
    const { body } = await app.send("GET", `${path}?${search}&order_by=name&order_by_direction=desc&limit=2`);
    expect(body).toMatchObject({ page: 0, page_size: 2, total_pages: 2, total_count: 3 });
    expect(body.items.map((item: { name: string }) => item.name)).toEqual(["list c", "list b"]);
  });

  test("whatever config is accepted comes back equal", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((value) => !value.includes("\0"));
    const messages = fc.array(text, { maxLength: 3 });
    const tag = fc.constantFrom("en-US", "es", "zh-CN", "x");
    const phrases = fc.record({
      messages,
      localized: fc.dictionary(tag, fc.record({ messages }), { maxKeys: 3, noNullPrototype: true }),
    });
    const config = fc.record({
      phrases,
      tools: fc.array(fc.record({ tool_name: text, phrases }), { maxLength: 2 }),
      smart_turn_timeout_seconds: fc.option(fc.double({ min: 0.25, max: 30, noNaN: true })),
      randomize_bridge_phrases: fc.boolean(),
    });
    const { id } = await create({ name: "Any" });
    await fc.assert(
      fc.asyncProperty(config, fc.option(text), async (config, description) => {
        const sent = { id, name: "Any", description, config };
        const { status, body } = await app.send("PUT", path, sent);
        expect(status).toBe(200);
        expect(body).toMatchObject({ description });
        expect(body.config).toEqual(config);
        expect((await get(id)).body).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
