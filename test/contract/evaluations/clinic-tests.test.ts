import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { clinicTests } from "../../../src/demo/clinic-tests.ts";
import { seedDemo } from "../../../src/demo/seed.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createTestApp } from "../../harness/app.ts";
import { playRun } from "../../harness/evaluations.ts";

test("the demo's twenty tests pass offline, say nothing doubtful, and give the same verdicts for the same seed", async () => {
  const app = await createTestApp({}, seedDemo);
  await migrateJobs(app.database.pool, silentLog);
  const [suite] = (await app.send("GET", "/api/v1/test_suites/")).body.items;
  expect(suite).toMatchObject({ agent: "Demo clinic", case_count: 20 });
  expect((await app.send("GET", `/api/v1/test_suites/${suite.id}`)).body.findings).toEqual([]);

  const play = async () => {
    const run = await app.send("POST", `/api/v1/test_suites/${suite.id}/runs`, { repetitions: 2, seed: 3 });
    await playRun(app, run.body.id);
    const { items } = (await app.send("GET", `/api/v1/test_runs/${run.body.id}/results?limit=100`)).body;
    return items.map(({ case_name, repetition, status, verdicts, notes }: Record<string, unknown>) => ({
      case_name,
      repetition,
      status,
      verdicts,
      notes,
    }));
  };
  const first = await play();
  expect(first).toHaveLength(40);
  expect(first.filter(({ status }: { status: string }) => status !== "passed")).toEqual([]);
  expect(first.flatMap(({ notes }: { notes: string[] }) => notes)).toEqual([]);
  expect(JSON.stringify(await play())).toBe(JSON.stringify(first));

  const person = ["Hello?", "yes I can come"];
  const cases = [
    { name: "Comes", person, expect: { path: ["ASK_COMING", "ASK_NEEDS"] } },
    { name: "Turned round", person, expect: { path: ["ASK_NEEDS", "ASK_COMING"] } },
  ];
  const reminder = { name: "Reminder", agent: "Demo reminder", cases };
  const { id } = (await app.send("POST", "/api/v1/test_suites/", reminder)).body;
  const run = await app.send("POST", `/api/v1/test_suites/${id}/runs`, {});
  await playRun(app, run.body.id);
  const { items } = (await app.send("GET", `/api/v1/test_runs/${run.body.id}/results`)).body;
  expect(items).toMatchObject([{ status: "passed" }, { status: "failed" }]);
});

test("the demo's tests fail for an agent that was broken", async () => {
  const app = await createTestApp({}, seedDemo);
  await migrateJobs(app.database.pool, silentLog);
  const { cases } = await clinicTests();
  const [prompt] = (
    await app.send("GET", "/api/v1/prompts/?search_fields=name&search_field_values=receptionist")
  ).body.items;
  const { id, name, type, context, llm_config } = (await app.send("GET", `/api/v1/prompts/${prompt.id}`))
    .body;
  const tools = ["find_slots", "cancel_appointment", "hangup"];
  const saved = await app.send("PUT", "/api/v1/prompts/", { id, name, type, context, llm_config, tools });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  const [suite] = (await app.send("GET", "/api/v1/test_suites/")).body.items;
  const { findings } = (await app.send("GET", `/api/v1/test_suites/${suite.id}`)).body;
  expect(findings[0].message).toContain("The agent has no tool book_appointment");
  const run = await app.send("POST", `/api/v1/test_suites/${suite.id}/runs`, {});
  await playRun(app, run.body.id);
  const { summary } = (await app.send("GET", `/api/v1/test_runs/${run.body.id}`)).body;
  const books = cases.filter(({ expect }) => expect.final?.some(({ tool }) => tool === "book_appointment"));
  const broken = summary.by_case.filter(({ passed }: { passed: number }) => passed === 0);
  expect(broken.map((each: { name: string }) => each.name)).toEqual(
    expect.arrayContaining(books.map((each) => each.name)),
  );
  expect(summary.cases.passed).toBeGreaterThan(5);
});

test("the demo has two versions, neither of them live, and its tests tell that the shorter one is worse", async () => {
  const app = await createTestApp({}, seedDemo);
  await migrateJobs(app.database.pool, silentLog);
  const [{ id, agent_id }] = (await app.send("GET", "/api/v1/test_suites/")).body.items;
  const agent = `/api/v1/agents/${agent_id}`;
  const versions = (await app.send("GET", `${agent}/versions`)).body.items;
  expect(versions.map(({ note, is_live }: { note: string; is_live: boolean }) => [note, is_live])).toEqual([
    ["Shorter answers", false],
    ["As the demo begins", false],
  ]);
  // Version 1 is what was saved, so that taking it live changes nothing for anybody.
  expect((await app.send("GET", `${agent}/versions/1/changes`)).body).toEqual([]);
  const differing = (await app.send("GET", `${agent}/versions/1/changes?with=2`)).body;
  expect(differing.map(({ part }: { part: string }) => part)).toEqual(["instructions"]);
  const runs: number[] = [];
  for (const version of [1, 2]) {
    const run = await app.send("POST", `/api/v1/test_suites/${id}/runs`, { version });
    await playRun(app, run.body.id);
    runs.push(run.body.id);
  }
  const compared = await app.send("GET", `/api/v1/test_runs/${runs[1]}/comparison?before=${runs[0]}`);
  expect(compared.body).toMatchObject({ verdict: "worse", pairs: 20, better: [] });
  expect(compared.body.worse).toHaveLength(6);
});
