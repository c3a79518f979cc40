import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { AgentResponse } from "../../src/agents/agent-record.ts";
import { ensureSystemTools } from "../../src/agents/system-tools.ts";
import { json } from "../../src/db/database.ts";
import { endpointTool } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

let app: TestApp;
let prompt_id: number;
beforeAll(async () => {
  app = await createTestApp();
  await app.db.transaction().execute((tx) => ensureSystemTools(tx, app.admin, app.clock.now()));
  prompt_id = (await createPrompt("Shared prompt")).id;
});

const path = "/api/v1/agents/";
const post = async (url: string, body: object) => {
  const answer = await app.send("POST", url, body);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};
const createPrompt = (name: string, more: object = {}) =>
  post("/api/v1/prompts/", { name, type: "prompt_v1", llm_config: { model: "scripted" }, ...more });
const agent = (name: string, more: object = {}) => ({
  name,
  type: "ca_v1",
  prompt_id,
  timezone: "America/New_York",
  variables: {},
  tool_headers: null,
  ...more,
});
const create = (name: string, more: object = {}) => post(path, agent(name, more));
const get = async (id: number) => (await app.send("GET", `${path}${id}`)).body;
const createTarget = async (agent_id: number, target: string) => {
  const channel = await post("/api/v1/channels/", {
    name: `Web ${target}`,
    channel_service: "webchat",
    config: {},
  });
  const body = { agent_id, channel_id: channel.id, target, target_mode: "chat" };
  return post(`/api/v1/channels/${channel.id}/targets`, body);
};

describe("agents", () => {
  test("a created agent comes back with the 28 fields of its contract and what it is made of", async () => {
    const service = await post("/api/v1/services/", { name: "Clinic", description: "" });
    await post("/api/v1/tools/", {
      name: "book",
      service_id: service.id,
      definition: endpointTool("book", "https://example.com"),
    });
    const prompt = await createPrompt("Reception", { tools: ["book"] });
    const message = await post("/api/v1/custom_messages/", { name: "Hello", text: "Hi" });
    const group = await post("/api/v1/voice_groups/", {
      name: "English",
      skip_current_language_in_message: false,
      language_configs: [
        {
          language_code: "en-US",
          voice_provider: "Google",
          voice_display_name: "en-US-Neural2-F",
          dtmf_code: 1,
        },
      ],
    });
    const sent = {
      name: "Receptionist",
      description: "Answers the phone",
      labels: ["front", "desk"],
      type: "ca_v1",
      prompt_id: prompt.id,
      prompt_version_number: 1,
      custom_message_id: message.id,
      language_group_id: group.id,
      bridge_phrases_id: null,
      timezone: "Europe/Madrid",
      prompt_tool_defaults: [
        { tool_name: "data_source_search", default_values: [{ field_name: "doc", default_value: ["faq"] }] },
      ],
      languages: ["en-US"],
      variables: { "vars.clinic": "North" },
      tool_headers: { "X-Clinic": "{{ vars.clinic }}" },
      agent_initiated: true,
      stt_provider: "Deepgram Nova 3",
      wait_sound: "Keyboard 1",
      enable_verbal_language_change: true,
    };
    const body = await post(path, sent);
    const user = { id: body.id, name: "Receptionist" };
    expect(body).toEqual({
      ...sent,
      label: "front",
      id: expect.any(Number),
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      prompt: { ...prompt, agent_count: 1 },
      custom_message: { ...message, agent_count: 1 },
      channel_targets: [],
      tools: prompt.tools_full,
      language_group: { ...group, agents_info: [user] },
      validation_issues: [],
    });
    expect(body.tools.map((tool: { name: string }) => tool.name)).toEqual(["book", "hangup"]);
    expect(body.language_group.validation_issues).toMatchObject([{ id: "deprecated-voice" }]);
    expect(Object.keys(body)).toHaveLength(28);
    expect(AgentResponse.parse(body)).toEqual(body);
    expect(await get(body.id)).toEqual(body);
  });

  test("a channel target and its agent show each other, each once", async () => {
    const made = await create("On the web");
    const target = await createTarget(made.id, "on-the-web");
    expect((await get(made.id)).channel_targets).toEqual([{ ...target, agent: null }]);
    const { items } = (await app.send("GET", "/api/v1/channels/targets")).body;
    expect(items).toMatchObject([
      {
        target: "on-the-web",
        agent: { id: made.id, prompt: { id: prompt_id, tools: ["hangup"] }, tools: [{ name: "hangup" }] },
      },
    ]);
  });

  test("an update replaces everything; what is omitted is gone or its default", async () => {
    const made = await create("Before", {
      description: "d",
      labels: ["a"],
      stt_provider: "Google STT V2",
      agent_initiated: true,
      variables: { a: "b" },
      prompt_tool_defaults: [{ tool_name: "t", default_values: [] }],
    });
    app.clock.advance(60_000);
    const { status, body } = await app.send("PUT", path, { ...agent("After"), id: made.id });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      name: "After",
      description: null,
      label: null,
      labels: null,
      stt_provider: null,
      agent_initiated: false,
      variables: {},
      prompt_tool_defaults: [],
      updated_at: "2026-11-18T12:01:00+00:00",
      prompt: { ...made.prompt, agent_count: expect.any(Number) },
    });
    expect((await app.send("PUT", path, body)).body).toEqual(body);
  });

  test.each([
    [{ label: "one" }, "one", ["one"]],
    [{ label: "one", labels: ["two", "three"] }, "two", ["two", "three"]],
    [{ label: "one", labels: [] }, null, []],
    [{ label: "one", labels: null }, "one", ["one"]],
    [{}, null, null],
  ])("labels win over label, and label shows the first: %j", async (sent, label, labels) => {
    expect(await create(`Labels ${JSON.stringify(sent)}`, sent)).toMatchObject({ label, labels });
  });

  test.each([
    ["no name", { name: undefined }, ["name"], "missing"],
    ["no type", { type: undefined }, ["type"], "missing"],
    ["another type", { type: "voice" }, ["type"], "literal_error"],
    ["no prompt", { prompt_id: undefined }, ["prompt_id"], "missing"],
    ["no timezone", { timezone: undefined }, ["timezone"], "missing"],
    ["an invented timezone", { timezone: "Mars/Olympus" }, ["timezone"], "value_error"],
    ["an offset for a timezone", { timezone: "+05:00" }, ["timezone"], "value_error"],
    ["no variables", { variables: undefined }, ["variables"], "missing"],
    ["variables in a list", { variables: [{ name: "a", value: "b" }] }, ["variables"], "dict_type"],
    ["a variable that is no text", { variables: { a: 1 } }, ["variables", "a"], "string_type"],
    ["no tool_headers", { tool_headers: undefined }, ["tool_headers"], "missing"],
    [
      "a header name with a blank",
      { tool_headers: { "X A": "b" } },
      ["tool_headers", "X A"],
      "string_pattern_mismatch",
    ],
    [
      "a header with a line break",
      { tool_headers: { "X-A": "a\nb" } },
      ["tool_headers", "X-A"],
      "string_pattern_mismatch",
    ],
    ["an unknown stt_provider", { stt_provider: "Ears" }, ["stt_provider"], "enum"],
    ["an unknown wait_sound", { wait_sound: "Jazz" }, ["wait_sound"], "enum"],
    ["labels that are no texts", { labels: ["a", 1] }, ["labels", 1], "string_type"],
    [
      "a tool default without its value",
      { prompt_tool_defaults: [{ tool_name: "t", default_values: [{ field_name: "f" }] }] },
      ["prompt_tool_defaults", 0, "default_values", 0, "default_value"],
      "missing",
    ],
    ["a truth of text", { agent_initiated: "true" }, ["agent_initiated"], "bool_type"],
  ])("an agent with %s is refused at its place", async (_, broken, at, type) => {
    const answer = await app.send("POST", path, agent("Broken", broken));
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([{ loc: ["body", ...at], msg: expect.any(String), type }]);
  });

  test.each([
    [{ prompt_id: 999_999 }, "Prompt with ID 999999 not found"],
    [{ custom_message_id: 999_999 }, "Custom message with ID 999999 not found"],
    [{ language_group_id: 999_999 }, "Language group with ID 999999 not found"],
    [{ bridge_phrases_id: 999_999 }, "Bridge phrases with ID 999999 not found"],
    [{ prompt_version_number: 2 }, expect.stringContaining("has no version 2; GET /api/v1/prompts/")],
  ])("what an agent is made of must be there: %j", async (broken, detail) => {
    const made = await create(`Whole ${JSON.stringify(broken)}`);
    expect(await app.send("POST", path, agent("Hollow", broken))).toMatchObject({
      status: 400,
      body: { detail },
    });
    const update = { ...agent(made.name, broken), id: made.id };
    expect(await app.send("PUT", path, update)).toMatchObject({ status: 400, body: { detail } });
  });

  test("a version of another prompt does not count", async () => {
    const other = await createPrompt("Two versions");
    await app.send("PUT", "/api/v1/prompts/", other);
    expect((await app.send("POST", path, agent("Pinned", { prompt_version_number: 2 }))).status).toBe(400);
    const pinned = await create("Pinned", { prompt_id: other.id, prompt_version_number: 2 });
    expect(pinned.prompt_version_number).toBe(2);
  });

  test("an engine of an older generation is a warning", async () => {
    const made = await create("Old ears", { stt_provider: "Deepgram Nova 2" });
    expect(made.validation_issues).toEqual([
      {
        id: "deprecated-stt-provider",
        severity: "warning",
        message: "Deepgram Nova 2 is of an older generation; choose Deepgram Nova 3.",
        path: "$.stt_provider",
        value: "Deepgram Nova 2",
      },
    ]);
  });

  test.each(["UTC", "Etc/GMT+5", "Asia/Calcutta", "America/Argentina/Buenos_Aires", "america/new_york"])(
    "%s is a timezone",
    async (timezone) => {
      const made = await create(`In ${timezone}`, { timezone });
      expect(made.timezone).toBe(timezone === "america/new_york" ? "America/New_York" : timezone);
    },
  );

  test("a neighbour's agent, and a neighbour's parts of one, are as if they never were", async () => {
    const made = await create("Mine");
    const message = await post("/api/v1/custom_messages/", { name: "Mine", text: "t" });
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${path}${made.id}`],
      ["DELETE", `${path}${made.id}?reason=x`],
      ["PUT", path, { ...agent("Taken"), id: made.id }],
    ] as const) {
      expect(await neighbour.send(method, url, body)).toMatchObject({
        status: 404,
        body: { detail: `Agent with ID ${made.id} not found` },
      });
    }
    expect(await neighbour.send("POST", path, agent("Theirs"))).toMatchObject({
      status: 400,
      body: { detail: `Prompt with ID ${prompt_id} not found` },
    });
    const prompt = { name: "Theirs", type: "prompt_v1", llm_config: { model: "scripted" } };
    const own = (await neighbour.send("POST", "/api/v1/prompts/", prompt)).body.id;
    const crossed = agent("Theirs", { prompt_id: own, custom_message_id: message.id });
    expect(await neighbour.send("POST", path, crossed)).toMatchObject({
      status: 400,
      body: { detail: `Custom message with ID ${message.id} not found` },
    });
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
    expect((await neighbour.send("GET", `${path}labels`)).body).toEqual([]);
  });

  test("an agent on a target or in a campaign can't be deleted, and is told where it is", async () => {
    const made = await create("Busy");
    const target = await createTarget(made.id, "busy");
    await app.db
      .insertInto("campaigns")
      .values({
        sub_organization_id: app.admin.sub_organization_id,
        campaign_name: "Recall",
        campaign_variables: json({}),
        hourly_rate: 1,
        retry_count: 0,
        active_days: ["mon"],
        include_unknown_line_types: true,
        agent_id: made.id,
        created_at: app.clock.now().toISOString(),
        updated_at: app.clock.now().toISOString(),
        last_updated_by: "admin@example.com",
      })
      .execute();
    expect(await app.send("DELETE", `${path}${made.id}?reason=x`)).toMatchObject({
      status: 400,
      body: {
        detail: 'Cannot delete agent "Busy" while it is used by chat target "busy", campaign "Recall".',
      },
    });
    await app.send("DELETE", `/api/v1/channels/${target.channel_id}?target_id=${target.id}`);
    await app.db.updateTable("campaigns").set({ agent_id: null }).where("agent_id", "=", made.id).execute();
    expect((await app.send("DELETE", `${path}${made.id}?reason=x`)).body).toEqual({ success: true });
    expect((await app.send("GET", `${path}${made.id}`)).status).toBe(404);
    await create("Busy");
  });

  test("lists are searched by their fields, ordered and paged", async () => {
    const other = await createPrompt("Other");
    await create("list a", { labels: ["red", "blue"], variables: { city: "Bronx" } });
    await create("list ab", { labels: ["blue"], timezone: "Asia/Tokyo", prompt_id: other.id });
    await create("list c", { description: "not list a", tool_headers: { "X-Team": "night" } });
    const names = async (query: string) =>
      (await app.send("GET", `${path}?${query}`)).body.items.map((item: { name: string }) => item.name);
    const by = (field: string, value: string | number) =>
      `search_fields=${field}&search_field_values=${value}`;
    const listed = by("name", "list");
    expect(await names(by("name_exact", "list%20a"))).toEqual(["list a"]);
    expect(await names(by("name_description", "list%20a"))).toEqual(["list a", "list ab", "list c"]);
    expect(await names(`${listed}&${by("label", "blue")}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("labels", "BLUE")}`)).toEqual(["list a", "list ab"]);
    expect(await names(`${listed}&${by("timezone", "tokyo")}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("prompt_id", other.id)}`)).toEqual(["list ab"]);
    expect(await names(`${listed}&${by("prompt_id_list", `${other.id}, ,${prompt_id}`)}`)).toHaveLength(3);
    expect(await names(`${listed}&${by("variables", "bronx")}`)).toEqual(["list a"]);
    expect(await names(`${listed}&${by("tool_headers", "night")}`)).toEqual(["list c"]);
    expect(await names(`${listed}&order_by=name&order_by_direction=desc&limit=2`)).toEqual([
      "list c",
      "list ab",
    ]);
    expect(await names(`${listed}&order_by=label`)).toEqual(["list ab", "list a", "list c"]);
    expect((await app.send("GET", `${path}?order_by=prompt_id_list`)).status).toBe(422);
    const { items } = (await app.send("GET", `${path}?${listed}&fields=name`)).body;
    expect(items[0]).toMatchObject({ name: "list a", prompt_id, labels: null, prompt: null, tools: null });
  });

  test("the labels in use are told sorted and once, beside the agents' own numbers", async () => {
    const neighbour = await app.createNeighbour();
    const prompt = { name: "p", type: "prompt_v1", llm_config: { model: "scripted" } };
    const own = (await neighbour.send("POST", "/api/v1/prompts/", prompt)).body.id;
    const add = async (name: string, labels: string[] | null) =>
      (await neighbour.send("POST", path, agent(name, { prompt_id: own, labels }))).body.id;
    await add("one", ["night", "day"]);
    await add("two", ["day"]);
    await add("none", null);
    const gone = await add("gone", ["gone"]);
    await neighbour.send("DELETE", `${path}${gone}?reason=x`);
    expect(await neighbour.send("GET", `${path}labels`)).toMatchObject({
      status: 200,
      body: ["day", "night"],
    });
  });

  test("the audit trail keeps the agent's own fields, not those of what it is made of", async () => {
    const made = await create("Audited");
    const { after } = await app.db
      .selectFrom("audit_entries")
      .select("after")
      .where("resource", "=", "agents")
      .where("resource_id", "=", String(made.id))
      .executeTakeFirstOrThrow();
    expect(after).toMatchObject({ name: "Audited", prompt_id });
    expect(after).not.toHaveProperty("prompt");
    expect(after).not.toHaveProperty("tools");
  });

  test("any accepted agent comes back as it was sent", async () => {
    const text = fc.string({ unit: "grapheme" });
    const value = fc.jsonValue().map((one) => JSON.parse(JSON.stringify(one)));
    const key = fc.string({ unit: "grapheme" }).filter((one) => one !== "__proto__");
    const input = fc.record({
      description: fc.option(text),
      labels: fc.option(fc.array(text)),
      timezone: fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
      prompt_tool_defaults: fc.array(
        fc.record({
          tool_name: text,
          default_values: fc.array(fc.record({ field_name: text, default_value: value })),
        }),
        { maxLength: 3 },
      ),
      languages: fc.array(text, { maxLength: 3 }),
      variables: fc.dictionary(key, text),
      tool_headers: fc.option(
        fc.dictionary(fc.stringMatching(/^[A-Za-z0-9-]+$/), fc.stringMatching(/^[ -~]*$/)),
      ),
      agent_initiated: fc.boolean(),
      enable_verbal_language_change: fc.boolean(),
      wait_sound: fc.constantFrom(null, "No Sound", "Keyboard 1", "Keyboard 2", "Call Center"),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(input, async (one) => {
        const sent = agent(`Any ${count++}`, one);
        const body = await post(path, sent);
        expect(body).toEqual({ ...body, ...JSON.parse(JSON.stringify(sent)) });
        expect(await get(body.id)).toEqual(body);
      }),
      { numRuns: 30 },
    );
  });
});
