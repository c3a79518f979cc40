import { beforeAll, describe, expect, test } from "vitest";
import { AgentResponse } from "../../../src/agents/agent-record.ts";
import { json } from "../../../src/db/database.ts";
import { ensureSystemTools } from "../../../src/tools/system-tools.ts";
import { AGENTS, agentCalls } from "../../harness/agents.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { spanish } from "../../harness/voice-groups.ts";

let app: TestApp;
let prompt_id: number;
beforeAll(async () => {
  app = await createTestApp();
  await app.db.transaction().execute((tx) => ensureSystemTools(tx, app.admin, app.clock.now()));
  prompt_id = (await createPrompt("Shared prompt")).id;
});

const { post, createPrompt, agent, create, get } = agentCalls(() => ({ app, prompt_id }));
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
        spanish(),
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
    const body = await post(AGENTS, sent);
    const user = { id: body.id, name: "Receptionist" };
    expect(body).toEqual({
      ...sent,
      label: null,
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

  test("values for a tool that doesn't exist get a warning where the agent is read, listed and saved", async () => {
    const given = (tool_name: string) => ({ tool_name, default_values: [] });
    const made = await create("With values", {
      prompt_tool_defaults: [given("data_source_search"), given("nobodys"), given("hangup")],
    });
    const told = [
      {
        id: "unknown-tool-reference",
        severity: "warning",
        message: 'There is no tool named "nobodys", so nothing reads these values.',
        path: "$.prompt_tool_defaults[1].tool_name",
        value: "nobodys",
      },
    ];
    expect(made.validation_issues).toEqual(told);
    expect((await get(made.id)).validation_issues).toEqual(told);
    const { items } = (await app.send("GET", `${AGENTS}?search_fields=id&search_field_values=${made.id}`))
      .body;
    expect(items[0].validation_issues).toEqual(told);
  });

  test("a channel target and its agent show each other, each once", async () => {
    const made = await create("On the web");
    const target = await createTarget(made.id, "on-the-web");
    const { identity_key_set_at: _own, browser_calls: _page, ...shown } = target;
    expect((await get(made.id)).channel_targets).toEqual([{ ...shown, agent: null }]);
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
    const { status, body } = await app.send("PUT", AGENTS, { ...agent("After"), id: made.id });
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
      validation_issues: [],
    });
    expect((await app.send("PUT", AGENTS, body)).body).toEqual(body);
  });

  test.each([
    [{ label: "one" }, "one", null],
    [{ label: "one", labels: ["two", "three"] }, "one", ["two", "three"]],
    [{ label: "one", labels: [] }, "one", []],
    [{ labels: ["two"] }, null, ["two"]],
    [{}, null, null],
  ])("label and labels are two fields, neither of which fills the other: %j", async (sent, label, labels) => {
    expect(await create(`Labels ${JSON.stringify(sent)}`, sent)).toMatchObject({ label, labels });
  });

  test("a neighbour's agent, and a neighbour's parts of one, are as if they never were", async () => {
    const made = await create("Mine");
    const message = await post("/api/v1/custom_messages/", { name: "Mine", text: "t" });
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${AGENTS}${made.id}`],
      ["DELETE", `${AGENTS}${made.id}?reason=x`],
      ["PUT", AGENTS, { ...agent("Taken"), id: made.id }],
    ] as const) {
      expect(await neighbour.send(method, url, body)).toMatchObject({
        status: 404,
        body: { detail: `Agent with ID ${made.id} not found` },
      });
    }
    expect(await neighbour.send("POST", AGENTS, agent("Theirs"))).toMatchObject({
      status: 400,
      body: { detail: `Prompt with ID ${prompt_id} not found` },
    });
    const prompt = { name: "Theirs", type: "prompt_v1", llm_config: { model: "scripted" } };
    const own = (await neighbour.send("POST", "/api/v1/prompts/", prompt)).body.id;
    const crossed = agent("Theirs", { prompt_id: own, custom_message_id: message.id });
    expect(await neighbour.send("POST", AGENTS, crossed)).toMatchObject({
      status: 400,
      body: { detail: `Custom message with ID ${message.id} not found` },
    });
    expect((await neighbour.send("GET", AGENTS)).body.items).toEqual([]);
    expect((await neighbour.send("GET", `${AGENTS}labels`)).body).toEqual([]);
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
    expect(await app.send("DELETE", `${AGENTS}${made.id}?reason=x`)).toMatchObject({
      status: 400,
      body: {
        detail: 'Cannot delete agent "Busy" while it is used by chat target "busy", campaign "Recall".',
      },
    });
    await app.send("DELETE", `/api/v1/channels/${target.channel_id}?target_id=${target.id}`);
    await app.db.updateTable("campaigns").set({ agent_id: null }).where("agent_id", "=", made.id).execute();
    expect((await app.send("DELETE", `${AGENTS}${made.id}?reason=x`)).body).toEqual({ success: true });
    expect((await app.send("GET", `${AGENTS}${made.id}`)).status).toBe(404);
    await create("Busy");
  });

  test("an agent with suites of tests can't be deleted before they are, and no suite is left without its agent", async () => {
    const made = await create("Tested");
    const suite = {
      name: "Opening hours",
      agent: "Tested",
      cases: [{ name: "Greeting", person: ["Hello"], expect: { said: ["hello"] } }],
    };
    const { id } = await post("/api/v1/test_suites/", suite);
    expect(await app.send("DELETE", `${AGENTS}${made.id}?reason=x`)).toMatchObject({
      status: 400,
      body: { detail: 'Cannot delete agent "Tested" while it is used by test suite "Opening hours".' },
    });
    await app.send("DELETE", `/api/v1/test_suites/${id}?reason=x`);
    expect((await app.send("DELETE", `${AGENTS}${made.id}?reason=x`)).body).toEqual({ success: true });
    for (let n = 0; n < 10; n++) {
      const contested = await create(`Contested ${n}`);
      const [added, gone] = await Promise.all([
        app.send("POST", "/api/v1/test_suites/", { ...suite, name: `Suite ${n}`, agent: `Contested ${n}` }),
        app.send("DELETE", `${AGENTS}${contested.id}?reason=x`),
      ]);
      expect([added.status, gone.status]).toSatisfy(
        ([one, other]) => (one === 200 && other === 400) || (one === 422 && other === 200),
      );
    }
  });

  test("no agent is left with a prompt that was deleted at the same moment", async () => {
    for (let n = 0; n < 10; n++) {
      const prompt = await createPrompt(`Contested ${n}`);
      const [made, gone] = await Promise.all([
        app.send("POST", AGENTS, agent(`Contender ${n}`, { prompt_id: prompt.id })),
        app.send("DELETE", `/api/v1/prompts/${prompt.id}?reason=x`),
      ]);
      expect([made.status, gone.status].toSorted()).toEqual([200, 400]);
    }
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
});
