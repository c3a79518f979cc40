import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const ok = async (method: string, path: string, body?: object) => {
  const answer = await app.send(method, `/api/v1/${path}`, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200);
  return answer.body;
};
const says = (text: string) => ({ messages: [text], localized: {} });
const scope = (tool_name: string) => `conversation-config/bridges?tool_name=${tool_name}`;

/** An agent whose tool `name` has a setting of this agent's and phrases of its own, beside those of `other`. */
async function agentWith(name: string) {
  const tool = endpointTool(name, "https://good.example/x", {
    definition: { static_parameters: [{ name: "desk", type: "string", required: false }] },
  });
  const other = { tool_name: "other", default_values: [] };
  const default_values = [{ field_name: "desk", default_value: "north" }];
  const { agent_id } = await createAgent(app, {
    script: "",
    tools: [tool],
    agent: { prompt_tool_defaults: [other, { tool_name: name, default_values }] },
  });
  const { id: bridge_id } = await ok("POST", "bridge_phrases/", {
    name: `Waiting for ${name}`,
    config: { tools: [{ tool_name: name, phrases: says("Looking.") }] },
  });
  await ok("PUT", "agents/", { ...(await ok("GET", `agents/${agent_id}`)), bridge_phrases_id: bridge_id });
  await ok("PUT", scope(name), { messages: ["Older."] });
  const stored = await ok("GET", `tools/${name}`);
  return {
    agent_id,
    rename: (to: string) =>
      ok("PUT", "tools/", {
        ...stored,
        name: to,
        definition: {
          ...tool,
          tool: {
            type: "function",
            function: { ...tool.tool.function, name: to },
          },
        },
      }),
    settings: async () => (await ok("GET", `agents/${agent_id}`)).prompt_tool_defaults,
    phrases: async () => (await ok("GET", `bridge_phrases/${bridge_id}`)).config.tools,
    expected: { other, default_values },
  };
}

test("what an agent sets for a tool, and what is said while it runs, goes with the tool when it is renamed", async () => {
  const { rename, settings, phrases, expected } = await agentWith("book");
  app.clock.advance(60_000);
  await rename("book_slot");
  const { other, default_values } = expected;
  expect(await settings()).toEqual([other, { tool_name: "book_slot", default_values }]);
  expect(await phrases()).toEqual([{ tool_name: "book_slot", phrases: says("Looking.") }]);
  expect((await ok("GET", scope("book_slot"))).messages).toEqual(["Older."]);
  expect((await ok("GET", scope("book"))).messages).toEqual([]);
  const audited = await app.db
    .selectFrom("audit_entries")
    .select(["resource", "action"])
    .where("at", "=", app.clock.now().toISOString())
    .orderBy("id")
    .execute();
  expect(audited).toEqual([
    { resource: "agents", action: "update" },
    { resource: "bridge_phrases", action: "update" },
    { resource: "conversation_bridges", action: "create" },
    { resource: "tools", action: "update" },
  ]);
});

test("what stands under a renamed tool's new name stays", async () => {
  const { agent_id, rename, settings, expected } = await agentWith("find");
  const { default_values } = expected;
  const both = [
    { tool_name: "find", default_values },
    { tool_name: "find_slot", default_values: [] },
  ];
  await ok("PUT", "agents/", { ...(await ok("GET", `agents/${agent_id}`)), prompt_tool_defaults: both });
  await ok("PUT", scope("find_slot"), { messages: ["Written before."] });
  await rename("find_slot");
  expect(await settings()).toEqual(both);
  expect((await ok("GET", scope("find_slot"))).messages).toEqual(["Written before."]);
});

test("phrases are kept for a published version, which calls the tool by the name it had", async () => {
  const { agent_id, rename, phrases } = await agentWith("cancel");
  await ok("POST", `agents/${agent_id}/versions`, { note: "first" });
  await rename("cancel_slot");
  expect(await phrases()).toEqual([
    { tool_name: "cancel", phrases: says("Looking.") },
    { tool_name: "cancel_slot", phrases: says("Looking.") },
  ]);
  for (const name of ["cancel", "cancel_slot"])
    expect((await ok("GET", scope(name))).messages).toEqual(["Older."]);
});
