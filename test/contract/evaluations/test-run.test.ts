import { beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { playRun } from "../../harness/evaluations.ts";
import { createPeer, type Peer } from "../../harness/peer.ts";

let app: TestApp;
let peer: Peer;
let agent: string;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
  peer = await createPeer();
  const parameters = { type: "object", properties: { day: { type: "string" } }, required: ["day"] };
  const { agent_id } = await createAgent(app, {
    script: [
      'on "monday" -> call book {"day": "monday"}',
      'on "sunday" -> call book {"day": "sunday"}',
      'on "bye" -> call hangup {"reason": "done"}',
      'after book if error -> say "That did not work."',
      'after book -> say "Booked as {result.number}."',
      'after hangup -> say ""',
    ].join("\n"),
    tools: [endpointTool("book", `${peer.url}/book`, { parameters })],
    systemTools: ["hangup"],
    greeting: { type: "greeting", text: "Hello from {{ vars.shop }} on {{ vars.session.date }}." },
  });
  agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body.name;
});

let counter = 0;
async function evaluate(cases: object[], wanted: object = {}) {
  const suite = await app.send("POST", "/api/v1/test_suites/", { name: `Suite ${++counter}`, agent, cases });
  expect(suite.status, JSON.stringify(suite.body)).toBe(200);
  const begun = await app.send("POST", `/api/v1/test_suites/${suite.body.id}/runs`, wanted);
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  return { suite: suite.body, run_id: begun.body.id as number };
}
const read = async (run_id: number) => ({
  run: (await app.send("GET", `/api/v1/test_runs/${run_id}`)).body,
  results: (await app.send("GET", `/api/v1/test_runs/${run_id}/results?limit=1000`)).body.items,
});
async function play(cases: object[], wanted: object = {}) {
  const { suite, run_id } = await evaluate(cases, wanted);
  await playRun(app, run_id);
  return { suite, run_id, ...(await read(run_id)) };
}

const BOOKS = {
  name: "Books",
  clock: "2026-12-24T18:00:00",
  variables: { shop: "the shop" },
  person: ["monday please", "bye"],
  mocks: [{ tool: "book", match: { day: "monday" }, result: { number: 7 } }],
  expect: {
    called: [{ tool: "book", arguments: { day: "monday" }, where: "arguments.day != 'sunday'", times: 1 }],
    within_ms: 600_000,
    order: ["book", "hangup"],
    final: [{ tool: "book", result: { number: 7 } }],
    said: ["hello from the shop on 2026-12-24", "booked as 7"],
    not_said: ["did not work"],
    variables: { "vars.shop": "the shop" },
    language: "en-US",
    ended_by: "agent",
    max_cost_usd: 0,
  },
};

describe("a run", () => {
  test("plays each case as often as asked, in ordinary sessions marked test, and judges every expectation", async () => {
    const { run, results } = await play([BOOKS], { repetitions: 3, seed: 5 });
    expect(run).toMatchObject({ status: "finished", seed: 5, summary: { cases: { passed: 1, total: 1 } } });
    expect(results).toHaveLength(3);
    for (const result of results) {
      expect(result.verdicts.filter(({ passed }: { passed: boolean }) => !passed)).toEqual([]);
      expect(result).toMatchObject({ status: "passed", notes: [], cost_usd: 0 });
      const session = (await app.send("GET", `/api/v1/sessions/${result.session_id}`)).body;
      expect(session).toMatchObject({ is_test: true, end_reason: "agent" });
    }
    expect(new Set(results.map(({ session_id }: { session_id: number }) => session_id)).size).toBe(3);
  });

  test("says of each expectation that is not met why", async () => {
    const { results } = await play([
      {
        ...BOOKS,
        expect: {
          called: [{ tool: "book", arguments: { day: "sunday" } }],
          not_called: ["hangup"],
          order: ["hangup", "book"],
          steps: ["NOWHERE"],
          path: ["NOWHERE"],
          final: [{ tool: "book", failed: true }],
          said: ["confirmation"],
          not_said: ["booked"],
          variables: { "vars.shop": "another" },
          language: "de-DE",
          ended_by: "person",
        },
      },
    ]);
    expect(results[0].status).toBe("failed");
    expect(results[0].verdicts).toEqual([
      {
        expectation: 'called book with {"day":"sunday"}',
        passed: false,
        why: 'called with {"day":"monday"}',
      },
      { expectation: "not called hangup", passed: false, why: "called 1×" },
      { expectation: "order hangup → book", passed: false, why: "calls: book → hangup" },
      { expectation: "step NOWHERE", passed: false, why: "steps entered: none" },
      { expectation: "path NOWHERE", passed: false, why: "steps: none" },
      { expectation: 'variable vars.shop = "another"', passed: false, why: 'it is "the shop"' },
      {
        expectation: "last call of book: failed",
        passed: false,
        why: '{"day":"monday"} gave {"number":7}',
      },
      { expectation: "said /confirmation/", passed: false, why: "the last words were: Booked as 7." },
      { expectation: "not said /booked/", passed: false, why: "Booked as 7." },
      { expectation: "language de-DE", passed: false, why: "it is en-US" },
      { expectation: "ended by the person", passed: false, why: "the agent ended the session" },
    ]);
  });

  test("leaves out a line whose condition the agent's last words don't meet", async () => {
    const person = [
      "monday please",
      { if: "did not work", say: "sunday then" },
      { if: "booked as \\d", say: "bye" },
    ];
    const { results } = await play([
      { ...BOOKS, person, expect: { called: [{ tool: "book", times: 1 }], ended_by: "agent" } },
    ]);
    expect(results[0].status).toBe("passed");
  });

  test("that was killed between a session and its verdict goes on, and no result is there twice", async () => {
    const { run_id } = await evaluate([BOOKS, { ...BOOKS, name: "Books again" }]);
    // As a process leaves it that died in the first case: a session under way, named in the row.
    const job = app.jobs.find(({ job }) => job.name === "run-test")!;
    const { results } = await read(run_id);
    const [first] = results;
    await job.run({ result_id: first.id }, { job: { attempts: 1 } } as never);
    const abandoned = (await read(run_id)).results[0].session_id;
    const undone = { status: "pending", verdicts: "[]", finished_at: null } as const;
    await app.db.updateTable("test_results").set(undone).where("id", "=", first.id).execute();
    await app.db.updateTable("sessions").set({ ended_at: null }).where("id", "=", abandoned).execute();

    // The job runs again, and twice at that: a process that was believed dead may only have stood still.
    const runners = await Promise.allSettled([1, 2].map(() => playRun(app, run_id)));
    expect(runners.map(({ status }) => status)).toContain("fulfilled");
    const after = await read(run_id);
    expect(after.run.status).toBe("finished");
    expect(after.results).toHaveLength(2);
    expect(after.results.map(({ status }: { status: string }) => status)).toEqual(["passed", "passed"]);
    expect(after.results[0].session_id).not.toBe(abandoned);
    expect((await app.send("GET", `/api/v1/sessions/${abandoned}`)).body.end_reason).toBe("error");
  });

  test("begins no conversation once it has reached its cost cap, and none after it was cancelled", async () => {
    const capped = await play([BOOKS], { cost_cap_usd: 0 });
    expect(capped.results[0]).toMatchObject({ status: "skipped", session_id: null });
    expect(capped.run).toMatchObject({ status: "finished", summary: { cases: { total: 0, rate: null } } });

    const { run_id } = await evaluate([BOOKS], { repetitions: 2 });
    await playRun(app, run_id, 1);
    const cancelled = await app.send("POST", `/api/v1/test_runs/${run_id}/cancel`);
    expect(cancelled.body).toMatchObject({
      status: "cancelled",
      summary: { results: { passed: 1, skipped: 1 } },
    });
    await playRun(app, run_id);
    expect((await read(run_id)).run.summary.results).toMatchObject({ passed: 1, skipped: 1 });
  });

  test("keeps its results, without what was said, when a session of it is deleted", async () => {
    const { run_id, results } = await play([BOOKS]);
    const path = `/api/v1/sessions/${results[0].session_id}?reason=test`;
    expect((await app.send("DELETE", path)).status).toBe(200);
    expect((await read(run_id)).results[0]).toMatchObject({
      status: "passed",
      session_id: null,
      verdicts: [],
      notes: ["The session was deleted."],
    });
  });

  test("keeps its cases as they were when it began", async () => {
    const { suite, run_id } = await evaluate([BOOKS]);
    const changed = { ...BOOKS, name: "Other", expect: { said: ["never"] } };
    await app.send("PUT", "/api/v1/test_suites/", {
      id: suite.id,
      name: suite.name,
      agent,
      cases: [changed],
    });
    await playRun(app, run_id);
    expect((await read(run_id)).results).toMatchObject([{ case_name: "Books", status: "passed" }]);
  });

  test("is compared with an earlier one case by case, and says when nothing can be told", async () => {
    const cases = [1, 2, 3].map((n) => ({ ...BOOKS, name: `Case ${n}` }));
    const { suite, run_id: before } = await play(cases);
    const worse = cases.map((one, n) => (n === 0 ? { ...one, expect: { said: ["never"] } } : one));
    await app.send("PUT", "/api/v1/test_suites/", { id: suite.id, name: suite.name, agent, cases: worse });
    const { body: run } = await app.send("POST", `/api/v1/test_suites/${suite.id}/runs`, {});
    await playRun(app, run.id);
    const path = `/api/v1/test_runs/${run.id}/comparison`;
    expect((await app.send("GET", `${path}?before=${before}`)).body).toMatchObject({
      pairs: 3,
      better: [],
      worse: ["Case 1"],
      p_value: 1,
      verdict: "can't tell",
      says: "No difference can be told from 3 cases; 22 would be needed.",
    });
    const other = await evaluate([BOOKS]);
    expect((await app.send("GET", `${path}?before=${other.run_id}`)).status).toBe(422);
  });
});

describe("a persona", () => {
  const PERSONA = {
    goal: "monday please",
    facts: { "shop name": "the shop" },
    model: { provider: "openai", model: "scripted" },
  };

  test("is played offline to the end of the conversation, and the result says that it was", async () => {
    const { results } = await play([{ ...BOOKS, person: PERSONA }], { seed: 5 });
    expect(results[0]).toMatchObject({
      status: "passed",
      notes: ["The offline persona played the person, by simple rules."],
    });
    const keyless = { ...PERSONA, model: { provider: "anthropic", model: "claude-x" } };
    const stood = await play([{ ...BOOKS, person: keyless }]);
    expect(stood.results[0].notes).toEqual([
      "There is no key for anthropic: the offline persona played the person instead of claude-x, by simple rules.",
    ]);
  });

  test("without a model is a finding of the suite, and its case is not played", async () => {
    const { model: _, ...nobody } = PERSONA;
    const { suite, results } = await play([{ ...BOOKS, person: nobody }]);
    expect(suite.findings).toEqual([
      { path: "cases[0].person.model", message: expect.stringContaining("The persona has no model") },
    ]);
    expect(results[0]).toMatchObject({ status: "error", session_id: null });
  });

  test("that a model plays says the model's words, ends when it does, and counts towards the run's cost cap", async () => {
    const { resolveModel } = app.engine;
    const said = ["monday please", "[END]"];
    const usage = { input_tokens: 1_000_000, output_tokens: 0, cached_input_tokens: null };
    app.engine.resolveModel = async (tenant, llm) =>
      llm.model !== "gpt-6-luna"
        ? resolveModel(tenant, llm)
        : {
            provider: "openai",
            model: llm.model,
            scripted: false,
            async *stream() {
              yield { type: "text", delta: said.shift() ?? "[END]" };
              yield { type: "done", finish: "stop", usage, warnings: [] };
            },
          };
    try {
      const person = { ...PERSONA, model: { provider: "openai", model: "gpt-6-luna" } };
      const cases = [{ ...BOOKS, person, expect: { said: ["booked as 7"], ended_by: "person" } }];
      const { results } = await play(cases, { repetitions: 2, cost_cap_usd: 0.000001 });
      expect(results[0]).toMatchObject({ status: "passed", notes: [] });
      expect(results[0].cost_usd).toBeGreaterThan(0);
      expect(results[1].status).toBe("skipped");
    } finally {
      app.engine.resolveModel = resolveModel;
    }
  });
});

describe("mocks", () => {
  test("that match no call, and calls that no mock answers, are told with the result", async () => {
    const { results } = await play([
      {
        ...BOOKS,
        mocks: [{ tool: "book", match: { day: "friday" }, result: {} }],
        expect: { said: ["did not work"] },
      },
    ]);
    expect(results[0]).toMatchObject({
      status: "passed",
      notes: ["mocks[0] (book) matched no call.", "A call of book matched no mock; the network is closed."],
    });
  });

  test("fail as told, and time out by a delay of ten minutes that nobody waits for", async () => {
    const { results } = await play([
      {
        ...BOOKS,
        person: ["monday", "sunday"],
        mocks: [
          { tool: "book", match: { day: "monday" }, error: "no such day" },
          { tool: "book", delay_ms: 600_000, result: { number: 1 } },
        ],
        expect: {
          final: [{ tool: "book", arguments: { day: "sunday" }, failed: true }],
          not_said: ["booked"],
        },
      },
    ]);
    expect(results[0]).toMatchObject({ status: "passed", notes: [] });
  });
});

describe("a suite", () => {
  test("with names that its agent doesn't have is saved, with findings at their places", async () => {
    const { body } = await app.send("POST", "/api/v1/test_suites/", {
      name: "Findings",
      agent,
      cases: [
        {
          name: "Wrong",
          person: [],
          mocks: [{ tool: "boook", result: 1 }],
          expect: { called: [{ tool: "find" }], steps: ["STEP"] },
        },
        { name: "Empty", person: [] },
      ],
    });
    expect(body.findings.map(({ path }: { path: string }) => path)).toEqual([
      "cases[0].mocks[0].tool",
      "cases[0].expect.called[0].tool",
      "cases[0].expect.steps[0]",
      "cases[1].expect",
    ]);
    expect(body.findings[0].message).toBe("The agent has no tool boook; it has book, hangup.");
  });

  test("with an unknown agent, field or pattern, or two cases of one name, is refused at the place", async () => {
    const post = (body: object) =>
      app.send("POST", "/api/v1/test_suites/", { name: "Refused", agent, cases: [], ...body });
    const places = async (body: object) =>
      (await post(body)).body.detail.map(({ loc }: { loc: unknown[] }) => loc.join("."));
    expect(await places({ agent: "Nobody" })).toEqual(["body.agent"]);
    expect(await places({ cases: [{ ...BOOKS, expect: { callled: [] } }] })).toEqual([
      "body.cases.0.expect.callled",
    ]);
    expect(await places({ cases: [{ ...BOOKS, expect: { said: ["("] } }] })).toEqual([
      "body.cases.0.expect.said.0",
    ]);
    expect(await places({ cases: [BOOKS, BOOKS] })).toEqual(["body.cases.1.name"]);
    expect(await places({ cases: [{ ...BOOKS, clock: "2026-02-30T10:00:00" }] })).toEqual([
      "body.cases.0.clock",
    ]);
  });

  test("comes and goes as YAML, and a fault names its line", async () => {
    const { suite } = await evaluate([BOOKS]);
    const { text } = (await app.send("GET", `/api/v1/test_suites/${suite.id}/export`)).body;
    const again = await app.send("POST", "/api/v1/test_suites/import", { text });
    expect(again.body).toMatchObject({ id: suite.id, cases: suite.cases });

    const short = await evaluate([{ name: "Short", person: ["hi"], caller: { verified: false } }]);
    const written = (await app.send("GET", `/api/v1/test_suites/${short.suite.id}/export`)).body.text;
    expect(written).toBe(
      `name: ${short.suite.name}\nagent: ${agent}\ncases:\n  - name: Short\n    caller:\n      address: tester\n      verified: false\n    person:\n      - hi\n`,
    );

    const faulty = `name: A\nagent: ${agent}\ncases:\n  - name: One\n    person: [hi]\n    expect:\n      sayd: [x]\n`;
    const refused = await app.send("POST", "/api/v1/test_suites/import", { text: faulty });
    expect(refused.body.detail).toMatchObject([
      {
        loc: ["body", "text", "cases", 0, "expect", "sayd"],
        msg: "Line 7, column 7: Extra inputs are not permitted",
      },
    ]);
    for (const text of ["a: [", "[".repeat(100_000), "", "&a [*a]"])
      expect((await app.send("POST", "/api/v1/test_suites/import", { text })).status).toBe(422);
  });
});

test("a test that is made of a session passes as that did, with the answers its tools gave", async () => {
  const { results } = await play([BOOKS]);
  const { body: made } = await app.send("GET", `/api/v1/sessions/${results[0].session_id}/test_case`);
  expect(made).toMatchObject({
    clock: "2026-12-24T18:00:00",
    person: ["monday please", "bye"],
    caller: { address: "tester" },
    mocks: [{ tool: "book", match: { day: "monday" }, result: { number: 7 } }],
    expect: { called: [{ tool: "book" }], ended_by: "agent" },
  });
  const again = await play([{ ...made, expect: { ...made.expect, said: ["booked as 7"] } }]);
  expect(again.results[0]).toMatchObject({ status: "passed", notes: [] });
});
