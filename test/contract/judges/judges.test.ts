import { beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { playRun } from "../../harness/evaluations.ts";

let app: TestApp;
let agent: string;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
  const { agent_id } = await createAgent(app, { script: 'on "" -> say "All right."' });
  agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body.name;
});

let counter = 0;
async function make(path: string, body: object) {
  const made = await app.send("POST", path, body);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  return made.body;
}

/** The offline model says yes where the person speaks of a booking, and tells what they said. */
const makeTool = (
  outputs: object[] = [
    { name: "booking", type: "boolean" },
    { name: "why", type: "string" },
  ],
) =>
  make("/api/v1/insights/tool-configurations", {
    name: `Tool ${++counter}`,
    description: "",
    version: 1,
    insight_tool_definition_id: 1,
    tool_arguments: { prompt: "Judge the conversation.", outputs },
  });
const makeJudge = async (more: object = {}) =>
  make("/api/v1/judges/", {
    name: `Judge ${++counter}`,
    question: "Does the person speak of a booking?",
    insight_tool_id: (await makeTool()).id,
    output: "booking",
    reason_output: "why",
    ...more,
  });

/** A judge as it is sent to be saved again. */
function inputOf(judge: Record<string, unknown>) {
  const {
    calibration: _c,
    insight_tool: _t,
    label_count: _l,
    last_updated: _u,
    last_updated_by: _b,
    ...input
  } = judge;
  return input;
}

const BOOKS = { name: "Books", person: ["I want to change my booking"], expect: { said: ["."] } };
const ASKS = { name: "Asks", person: ["When do you open?"], expect: { said: ["."] } };

async function play(cases: object[], repetitions = 1) {
  const suite = await make("/api/v1/test_suites/", { name: `Suite ${++counter}`, agent, cases });
  const { id } = await make(`/api/v1/test_suites/${suite.id}/runs`, { repetitions });
  await playRun(app, id);
  const run = (await app.send("GET", `/api/v1/test_runs/${id}`)).body;
  const results = (await app.send("GET", `/api/v1/test_runs/${id}/results?limit=1000`)).body.items;
  return { suite, run, results };
}

const read = async (id: number) => (await app.send("GET", `/api/v1/judges/${id}`)).body;
async function answerLabels(judge_id: number) {
  const job = app.jobs.find(({ job }) => job.name === "answer-judge-label")!;
  const labels = await app.db
    .selectFrom("judge_labels")
    .select("session_id")
    .where("judge_id", "=", judge_id)
    .execute();
  for (const { session_id } of labels)
    await job.run({ judge_id, session_id }, { job: { attempts: 1 } } as never);
}

/** Labels as many sessions of each kind as asked; every tenth label contradicts. */
async function calibrated(each: number) {
  const judge = await makeJudge();
  const { results } = await play([BOOKS, ASKS], each);
  for (const { session_id, case_name, repetition } of results) {
    const isBooking = (case_name === "Books") !== (repetition % 10 === 0);
    const labelled = await app.send("PUT", `/api/v1/judges/${judge.id}/labels/${session_id}`, {
      label: isBooking ? "yes" : "no",
    });
    expect(labelled.status).toBe(200);
  }
  await answerLabels(judge.id);
  return { judge: await read(judge.id), results };
}

describe("a judge", () => {
  test("that is not calibrated tells its votes and its reason, and fails no test", async () => {
    const judge = await makeJudge();
    expect(judge.calibration).toMatchObject({ gates: false, answered: 0, kappa: null });
    const { results } = await play([{ ...ASKS, expect: { judges: [judge.name] } }]);
    expect(results[0]).toMatchObject({
      status: "passed",
      verdicts: [
        {
          expectation: `judge ${judge.name}`,
          passed: false,
          informs: true,
          votes_yes: 0,
          votes: 3,
          model: "scripted",
        },
      ],
    });
    expect(results[0].verdicts[0].why).toContain(
      "Does the person speak of a booking? No, by 3 of 3 votes. When do you open?",
    );
    expect(results[0].notes).toEqual([
      `${judge.name}: It informs only: 0 of at least 50 labelled sessions are answered.`,
    ]);
  });

  test("that agrees with fifty labels fails a test, until its tool is changed", async () => {
    const { judge } = await calibrated(30);
    expect(judge.calibration).toMatchObject({
      labelled: 60,
      answered: 60,
      waiting: 0,
      model: "scripted",
      gates: true,
      both_yes: 27,
      person_yes: 3,
      judge_yes: 3,
      both_no: 27,
    });
    expect(judge.calibration.kappa).toBeCloseTo(0.8, 9);
    expect(judge.calibration.low).toBeGreaterThan(0.55);
    expect(judge.calibration.high).toBeLessThan(0.97);
    const differing = await app.send(
      "GET",
      `/api/v1/judges/${judge.id}/labels?search_fields=differs&search_field_values=true`,
    );
    expect(differing.body.total_count).toBe(6);

    const cases = [
      { ...BOOKS, expect: { judges: [judge.name] } },
      { ...ASKS, expect: { judges: [judge.name] } },
    ];
    const { run, results } = await play(cases);
    expect(results.map(({ status }: { status: string }) => status)).toEqual(["passed", "failed"]);
    expect(run.summary.cases).toMatchObject({ passed: 1, total: 2 });

    const configuration = `/api/v1/insights/tool-configurations/${judge.insight_tool_id}`;
    const tool = (await app.send("GET", configuration)).body;
    const changed = await app.send("PUT", configuration, {
      name: tool.name,
      description: "",
      version: 2,
      insight_tool_definition_id: 1,
      tool_arguments: { ...tool.tool_arguments, prompt: "Judge it more strictly." },
    });
    expect(changed.status).toBe(200);
    expect((await read(judge.id)).calibration).toMatchObject({ answered: 0, waiting: 60, gates: false });
    expect((await play(cases)).results[1].status).toBe("passed");
    const again = await app.send("POST", `/api/v1/judges/${judge.id}/answers`);
    expect(again.body.calibration).toMatchObject({ waiting: 60 });
    await answerLabels(judge.id);
    expect((await read(judge.id)).calibration.gates).toBe(true);
  });

  test("that test cases ask keeps its name, and stays until none does", async () => {
    const judge = await makeJudge();
    const suite = await make("/api/v1/test_suites/", {
      name: `Suite ${++counter}`,
      agent,
      cases: [{ ...BOOKS, expect: { judges: [judge.name] } }],
    });
    const change = (more: object) => app.send("PUT", "/api/v1/judges/", { ...inputOf(judge), ...more });
    const remove = () => app.send("DELETE", `/api/v1/judges/${judge.id}?reason=old`);
    const held = `judge "${judge.name}" while it is used by test suite "${suite.name}".`;
    expect(await change({ name: "Another name" })).toMatchObject({
      status: 400,
      body: { detail: `Cannot rename ${held}` },
    });
    expect(await remove()).toMatchObject({ status: 400, body: { detail: `Cannot delete ${held}` } });
    expect((await change({ question: "Do they want to book?" })).status).toBe(200);
    await app.send("DELETE", `/api/v1/test_suites/${suite.id}?reason=old`);
    expect((await change({ name: "Another name" })).status).toBe(200);
    expect((await remove()).body).toEqual({ success: true });
  });

  test("that was changed since a gate's run makes the run say nothing; one that only informs does not", async () => {
    const { judge } = await calibrated(30);
    const informs = await makeJudge();
    const input = inputOf(judge);
    const { agent_id } = await createAgent(app, { script: 'on "" -> say "All right."' });
    const { name, prompt_id } = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
    const versioning = `/api/v1/agents/${agent_id}/versioning`;
    await make(`/api/v1/agents/${agent_id}/versions`, {});
    const suite = await make("/api/v1/test_suites/", {
      name: `Suite ${++counter}`,
      agent: name,
      cases: [{ ...BOOKS, expect: { judges: [judge.name, informs.name] } }],
    });
    const gates = [{ suite_id: suite.id, at_least: 0.1 }];
    expect((await app.send("PUT", versioning, { published_version: 1, gates })).status).toBe(200);
    const prompt = (await app.send("GET", `/api/v1/prompts/${prompt_id}`)).body;
    const context = `${prompt.context}\nBe brief.`;
    const { id, name: prompt_name, type, llm_config } = prompt;
    const saved = { id, name: prompt_name, type, llm_config, context };
    expect((await app.send("PUT", "/api/v1/prompts/", saved)).status).toBe(200);
    const run = async () => {
      const { id } = await make(`/api/v1/test_suites/${suite.id}/runs`, {});
      await playRun(app, id);
      return id;
    };
    const gate = async () => (await app.send("GET", versioning)).body.gates[0];
    const change = async (judge: object) => {
      const put = await app.send("PUT", "/api/v1/judges/", judge);
      expect(put.status, JSON.stringify(put.body)).toBe(200);
    };
    const first = await run();
    expect(await gate()).toMatchObject({ run_id: first, passes: true });
    await change({ ...input, question: "Do they want to book?" });
    await change({ ...inputOf(informs), wanted: false });
    expect(await gate()).toMatchObject({ run_id: first, passes: true });

    await change({ ...input, wanted: false });
    expect(await gate()).toMatchObject({
      run_id: null,
      passed: null,
      low: null,
      passes: false,
      says: `${suite.name}: not run since the judge ${judge.name} was changed.`,
    });
    const refused = await app.send("POST", `/api/v1/agents/${agent_id}/versions`, {});
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain(`not run since the judge ${judge.name} was changed`);
    await change(input);
    expect(await gate()).toMatchObject({ run_id: first, passes: true });

    // An output that is stricter than the one that passed.
    const configuration = `/api/v1/insights/tool-configurations/${judge.insight_tool_id}`;
    const { name: tool_name, tool_arguments } = (await app.send("GET", configuration)).body;
    const stricter = await app.send("PUT", configuration, {
      name: tool_name,
      description: "",
      version: 2,
      insight_tool_definition_id: 1,
      tool_arguments: { ...tool_arguments, prompt: "Judge it more strictly." },
    });
    expect(stricter.status).toBe(200);
    expect(await gate()).toMatchObject({ run_id: null, passes: false });
  });

  test("is kept by a run as it was when the run began", async () => {
    const judge = await makeJudge({ wanted: false });
    const suite = await make("/api/v1/test_suites/", {
      name: `Suite ${++counter}`,
      agent,
      cases: [{ ...ASKS, expect: { judges: [judge.name] } }],
    });
    const { id } = await make(`/api/v1/test_suites/${suite.id}/runs`, {});
    const put = await app.send("PUT", "/api/v1/judges/", { ...inputOf(judge), wanted: true });
    expect(put.status, JSON.stringify(put.body)).toBe(200);
    await playRun(app, id);
    const { items } = (await app.send("GET", `/api/v1/test_runs/${id}/results`)).body;
    expect(items[0].verdicts[0].passed).toBe(true);
  });

  test("that there is not is a finding of the suite, and its run is refused", async () => {
    const suite = await make("/api/v1/test_suites/", {
      name: `Suite ${++counter}`,
      agent,
      cases: [{ ...ASKS, expect: { judges: ["Nobody"] } }],
    });
    expect(suite.findings).toEqual([
      { path: "cases[0].expect.judges[0]", message: expect.stringContaining("There is no judge Nobody") },
    ]);
    const begun = await app.send("POST", `/api/v1/test_suites/${suite.id}/runs`, {});
    expect(begun.status).toBe(422);
    expect(JSON.stringify(begun.body)).toContain("There is no judge Nobody");
  });

  test.each([
    [{ output: "mood" }, "output", "The tool has no output mood; it has booking, why"],
    [{ wanted: "true" }, "wanted", "The output booking is boolean"],
    [{ reason_output: "mood" }, "reason_output", "The tool has no output mood"],
    [{ votes: 2 }, "votes", ""],
  ])("that its tool can't answer is refused at the place: %j", async (more, place, message) => {
    const { status, body } = await app.send("POST", "/api/v1/judges/", {
      name: `Judge ${++counter}`,
      question: "Is it so?",
      insight_tool_id: (await makeTool()).id,
      output: "booking",
      ...more,
    });
    expect(status).toBe(422);
    expect(body.detail[0].loc.slice(0, 2)).toEqual(["body", place]);
    expect(body.detail[0].msg).toContain(message);
  });

  test("of another organization can be neither read nor labelled, and no session of one can be", async () => {
    const { judge, results } = await calibrated(1);
    const neighbour = await app.createNeighbour();
    const place = `/api/v1/judges/${judge.id}/labels/${results[0].session_id}`;
    expect((await neighbour.send("GET", `/api/v1/judges/${judge.id}/next_session`)).status).toBe(404);
    expect((await neighbour.send("PUT", place, { label: "yes" })).status).toBe(404);
    expect((await app.send("PUT", `/api/v1/judges/${judge.id}/labels/999999`, { label: "yes" })).status).toBe(
      404,
    );
  });

  test("offers sessions that have no label, and another one after each", async () => {
    const judge = await makeJudge();
    await play([BOOKS, ASKS]);
    const next = async (after?: number) =>
      (await app.send("GET", `/api/v1/judges/${judge.id}/next_session${after ? `?after=${after}` : ""}`)).body
        .session_id;
    const first = await next();
    const skipped = await next(first);
    expect(skipped).not.toBe(first);
    await app.send("PUT", `/api/v1/judges/${judge.id}/labels/${first}`, { label: "unclear" });
    expect(await next()).not.toBe(first);
    expect((await read(judge.id)).calibration).toMatchObject({ labelled: 0, unclear: 1, waiting: 0 });
  });
});

test("what a label says goes with its session", async () => {
  const { judge, results } = await calibrated(1);
  const gone = await app.send("DELETE", `/api/v1/sessions/${results[0].session_id}`);
  expect(gone.status, JSON.stringify(gone.body)).toBeLessThan(300);
  expect((await read(judge.id)).calibration.labelled).toBe(1);
});
