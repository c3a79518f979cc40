import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { DEMO_HOST } from "../../../src/demo/demo-api.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { playRun } from "../../harness/evaluations.ts";
import { connect, type McpClient } from "./mcp-client.ts";

/*
 * What AGENTS.md tells a coding agent to do, done by a script: a receptionist of a clinic is built, tested, mended,
 * published and debugged, and nothing but the tools of /mcp is used.
 */

let app: TestApp;
let mcp: McpClient;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
  mcp = await connect(await app.listen(), app.token);
});

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the test expects it to be
async function done(name: string, given: Record<string, unknown> = {}): Promise<any> {
  const { isError, text } = await mcp.call(name, given);
  if (isError) throw new Error(`${name}: ${text}`);
  return JSON.parse(text);
}

const CONTEXT = (hours: string) => `You are the receptionist of a clinic. It is open ${hours}.
Look up free times with find_slots, and never invent one.

\`\`\`script
on /open/ -> say "We are open ${hours}."
on /check-up/ -> call find_slots {"service": "check-up", "date": "2026-11-23"}
on "bye" -> call hangup {"reason": "done"}
after find_slots -> say "Free: {result.slots.*.time}."
after hangup -> say "Goodbye!"
\`\`\``;

const SUITE = (agent: string) => `name: Receptionist
agent: ${agent}
cases:
  - name: Tells the hours
    person: [When are you open?, bye]
    expect: { said: [9 to 17], ended_by: agent }
  - name: Offers a time
    person: [I need a check-up, bye]
    mocks:
      - tool: find_slots
        result: { slots: [{ time: "09:00" }] }
    expect:
      called: [{ tool: find_slots, arguments: { service: check-up } }]
      said: ["09:00"]
`;

async function tested(suite_id: number): Promise<{ status: string }[]> {
  const { id } = await done("run_test_suite", { suite_id, body: {} });
  await playRun(app, id);
  expect(await done("get_test_run", { run_id: id })).toMatchObject({ status: "finished" });
  return (await done("list_test_run_results", { run_id: id })).items;
}

test("a clinic's receptionist is built, tested, mended, published and debugged with nothing but the tools of /mcp", async () => {
  expect((await mcp.call("search_docs", { query: "tool definition endpoint" })).text).toContain(".md)");
  const service = await done("create_service", { body: { name: "Calendar", description: "" } });
  const parameters = {
    type: "object",
    properties: { service: { type: "string" }, date: { type: "string", format: "date" } },
    required: ["service", "date"],
  };
  const definition = endpointTool("find_slots", `http://${DEMO_HOST}/demo/slots`, { parameters });
  const body = { name: "find_slots", service_id: service.id, definition };
  expect(await done("check_tool", { body })).toEqual({ validation_issues: [] });
  await done("create_tool", { body });
  expect(
    await done("try_tool", {
      body: { definition, service_id: service.id, arguments: { service: "check-up", date: "2026-11-23" } },
    }),
  ).toMatchObject({});

  const written = {
    name: "Receptionist",
    type: "prompt_v1",
    llm_config: { model: "scripted" },
    tools: ["find_slots", "hangup"],
  };
  const prompt = await done("create_prompt", { body: { ...written, context: CONTEXT("9 to 16") } });
  expect(
    prompt.validation_issues.filter(({ severity }: { severity: string }) => severity === "error"),
  ).toEqual([]);
  const greeting = await done("create_custom_message", { body: { name: "Welcome", text: "Hello!" } });
  const agent = await done("create_agent", {
    body: {
      name: "Receptionist",
      type: "ca_v1",
      prompt_id: prompt.id,
      custom_message_id: greeting.id,
      timezone: "Europe/Berlin",
      variables: {},
      tool_headers: null,
    },
  });

  // One test fails, and its transcript says why.
  const suite = await done("import_test_suite", { body: { text: SUITE("Receptionist") } });
  const [hours, offer] = await tested(suite.id);
  expect([hours?.status, offer?.status]).toEqual(["failed", "passed"]);
  const { session_id } = hours as unknown as { session_id: number };
  expect(JSON.stringify(await done("get_session_transcript", { session_id }))).toContain("9 to 16");

  await done("update_prompt", { body: { ...written, id: prompt.id, context: CONTEXT("9 to 17") } });
  expect((await tested(suite.id)).map(({ status }) => status)).toEqual(["passed", "passed"]);

  const say = (text: string | null, session_start = false) =>
    done("send_test_message", {
      body: {
        service_name: "console",
        source: "tester",
        test_id: "by-mcp",
        agent_id: String(agent.id),
        text,
        session_start,
      },
    });
  expect(await say(null, true)).toMatchObject({ response_text: "Hello!" });
  expect(await say("I need a check-up")).toMatchObject({
    response_text: expect.stringMatching(/Free: .*\d\d:\d\d/),
  });

  const { draft } = await done("get_agent_versioning", { agent_id: agent.id });
  expect(draft).toBeDefined();
  await done("publish_agent", { agent_id: agent.id, body: { note: "Built over MCP" } });
  expect(await done("get_agent_versioning", { agent_id: agent.id })).toMatchObject({ published_version: 1 });

  const { items } = await done("list_sessions", {
    limit: 1,
    search_fields: ["is_test"],
    search_field_values: ["true"],
  });
  const { session_id: talked } = items[0];
  const turns = [0, 1, 2].map((turn_index) =>
    mcp.call("list_session_tool_requests", { session_id: talked, turn_index }),
  );
  const sent = (await Promise.all(turns)).map(({ text }) => text).join();
  expect(sent).toContain("check-up");
});
