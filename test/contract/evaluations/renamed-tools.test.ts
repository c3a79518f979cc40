import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { playRun } from "../../harness/evaluations.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
});

const ok = async (method: string, path: string, body?: object) => {
  const answer = await app.send(method, `/api/v1/${path}`, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200);
  return answer.body;
};

const calling = (tool: string) =>
  [`on "monday" -> call ${tool} {"day": "monday"}`, `after ${tool} -> say "Booked."`].join("\n");

const casesWith = (tool: string) => [
  {
    name: "Books",
    person: ["monday please"],
    mocks: [{ tool, match: { day: "monday" }, result: { number: 7 } }],
    expect: {
      called: [{ tool, arguments: { day: "monday" }, times: 1 }],
      order: [tool],
      final: [{ tool, result: { number: 7 } }],
      said: [`booked|${tool}`],
    },
  },
  { name: "Only greets", person: ["hello"], expect: { not_called: [tool, "another_tool"] } },
];

/** A suite over an agent whose version 1 calls the tool by the name that it loses afterwards. */
async function renamed({ from, to }: { from: string; to: string }) {
  const parameters = { type: "object", properties: { day: { type: "string" } } };
  const definition = endpointTool(from, "https://good.example/x", { parameters });
  const { agent_id, prompt_id } = await createAgent(app, { script: calling(from), tools: [definition] });
  const { name: agent } = await ok("GET", `agents/${agent_id}`);
  await ok("POST", `agents/${agent_id}/versions`, { note: "first" });
  const suite = await ok("POST", "test_suites/", { name: `Suite of ${from}`, agent, cases: casesWith(from) });
  const tool = await ok("GET", `tools/${from}`);
  app.clock.advance(60_000);
  await ok("PUT", "tools/", {
    ...tool,
    name: to,
    definition: endpointTool(to, "https://good.example/x", { parameters }),
  });
  const prompt = await ok("GET", `prompts/${prompt_id}`);
  await ok("PUT", "prompts/", { ...prompt, context: `\`\`\`script\n${calling(to)}\n\`\`\`` });
  return { suite_id: suite.id as number };
}

test("test cases that name a tool go on with its new name when it is renamed", async () => {
  const { suite_id } = await renamed({ from: "book", to: "book_slot" });
  const { cases, findings } = await ok("GET", `test_suites/${suite_id}`);
  const [{ mocks, expect: books }, { expect: greets }] = cases;
  expect(mocks[0].tool).toBe("book_slot");
  expect(books).toMatchObject({
    called: [{ tool: "book_slot" }],
    order: ["book_slot"],
    final: [{ tool: "book_slot" }],
    // A pattern is no name of a tool.
    said: ["booked|book"],
  });
  expect(greets.not_called).toEqual(["book_slot", "another_tool"]);
  expect(findings.map(({ path }: { path: string }) => path)).toEqual(["cases[1].expect.not_called[1]"]);
  const { items } = await ok(
    "GET",
    "audit_entries/?search_fields=resource&search_field_values=tests&limit=1",
  );
  expect(items[0]).toMatchObject({ action: "update", resource_id: String(suite_id) });
});

test("a test that is made of a session from before the rename has the new name", async () => {
  const { suite_id } = await renamed({ from: "pay", to: "pay_slot" });
  const run = await ok("POST", `test_suites/${suite_id}/runs`, { version: 1 });
  await playRun(app, run.id);
  const { items } = await ok("GET", `test_runs/${run.id}/results`);
  const made = await ok("GET", `sessions/${items[0].session_id}/test_case`);
  expect(made.mocks).toMatchObject([{ tool: "pay_slot" }]);
  expect(made.expect.called).toEqual([{ tool: "pay_slot" }]);
});

test.for([
  ["the draft", "find", null],
  ["a version of before it", "look_up", 1],
] as const)("after the rename a run of %s passes as before", async ([_, from, version]) => {
  const { suite_id } = await renamed({ from, to: `${from}_slot` });
  const run = await ok("POST", `test_suites/${suite_id}/runs`, { version });
  await playRun(app, run.id);
  const { items } = await ok("GET", `test_runs/${run.id}/results`);
  const faults = items.flatMap((result: { verdicts: { passed: boolean }[]; notes: string[] }) => [
    ...result.verdicts.filter(({ passed }) => !passed),
    ...result.notes,
  ]);
  expect(faults).toEqual([]);
});

test("sealed test cases go on with the new name, and stay sealed", async () => {
  await ok("PUT", "organizations/privacy", { seal_texts: true });
  const { suite_id } = await renamed({ from: "secure", to: "secure_slot" });
  const { cases } = await ok("GET", `test_suites/${suite_id}`);
  expect(cases[0].mocks[0].tool).toBe("secure_slot");
  const { rows } = await sql<{ stored: string }>`
    select left(definition::text, 14) as stored from test_cases where suite_id = ${suite_id}::bigint`.execute(
    app.db,
  );
  expect(rows.map(({ stored }) => stored)).toEqual(Array.from({ length: 2 }, () => '"parley-sealed'));
});
