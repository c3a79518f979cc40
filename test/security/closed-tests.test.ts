import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { endpointTool } from "../harness/endpoint-tool.ts";
import { playRun } from "../harness/evaluations.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";

let app: TestApp;
let peer: Peer;
let agent: string;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
  peer = await createPeer();
  peer.respond((_, response) => json(response, 200, { access_token: "t", expires_in: 3600, number: 1 }));
  const { agent_id } = await createAgent(app, {
    script: [
      'on "mocked" -> call mocked {}',
      'on "bare" -> call bare {}',
      'on "stop" -> call opt_out {}',
      'after mocked -> say "ok"',
      'after bare -> say "ok"',
      'after opt_out -> say "ok"',
    ].join("\n"),
    // Also whoever signs in to a service would reach it.
    service: {
      auth_type: "oauth2",
      auth_values: { client_id: "c", client_secret: "s", auth_url: `${peer.url}/token` },
    },
    tools: [endpointTool("mocked", `${peer.url}/mocked`), endpointTool("bare", `${peer.url}/bare`)],
    systemTools: ["opt_out"],
  });
  const { prompt_id, name } = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
  agent = name;
  const prompt = (await app.send("GET", `/api/v1/prompts/${prompt_id}`)).body;
  const ending = { id: prompt_id, name: prompt.name, type: prompt.type, context: prompt.context };
  await app.send("PUT", "/api/v1/prompts/", {
    ...ending,
    llm_config: { provider: "openai", model: "scripted" },
    tools: ["mocked", "bare", "opt_out"],
    session_end_enabled: true,
    session_end_tool: "bare",
  });
});

async function play(network: string | undefined): Promise<number> {
  const suite = await app.send("POST", "/api/v1/test_suites/", {
    name: `Suite ${network}`,
    agent,
    cases: [
      {
        name: "Calls",
        caller: { address: "+12025550123" },
        person: ["mocked", "bare", "stop"],
        mocks: [{ tool: "mocked", result: { number: 2 } }],
        ...(network && { network }),
        expect: {
          called: [{ tool: "mocked" }, { tool: "bare" }],
          final: [{ tool: "opt_out", failed: false }],
        },
      },
    ],
  });
  const run = await app.send("POST", `/api/v1/test_suites/${suite.body.id}/runs`, {});
  await playRun(app, run.body.id);
  const [result] = (await app.send("GET", `/api/v1/test_runs/${run.body.id}/results`)).body.items;
  expect(result.status).toBe("passed");
  // The tool that ends sessions is called by a job of its own.
  const ending = app.jobs.find(({ job }) => job.name === "call-session-end-tool")!;
  await ending.run({ session_id: result.session_id }, {} as never);
  return result.session_id;
}

test("no call of a tool, mocked or not, and no sign-in to its service leaves the program in a test", async () => {
  await play(undefined);
  expect(peer.requests).toEqual([]);
});

test("a case that says so reaches the service, but with no call that a mock answers", async () => {
  await play("open");
  expect(peer.requests.map(({ path }) => path)).toContain("/bare");
  expect(peer.requests.map(({ path }) => path)).not.toContain("/mocked");
});

test("an opt-out in a test suppresses nobody", async () => {
  const { items } = (await app.send("GET", "/api/v1/suppressions/")).body;
  expect(items).toEqual([]);
});
