import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { testLines } from "../../../src/calls/lines/test-lines.ts";
import { deleteSessions } from "../../../src/erasure/delete-sessions.ts";
import type { OpenTestLine } from "../../../src/evaluations/test-line.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { playRun } from "../../harness/evaluations.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
let agent: string;
/** The line of calls with sound; tests with the machine's own engines are in test/speech. */
let openTestLine: OpenTestLine;
beforeAll(async () => {
  app = await createTestApp({}, undefined, { openTestLine: (wanted) => openTestLine(wanted) });
  await migrateJobs(app.database.pool, silentLog);
  const script = [
    'on "bye" -> call hangup {"reason": "done"}',
    'after hangup -> say "Goodbye."',
    'on "hours" -> say "We are open on weekdays."',
  ];
  const { agent_id } = await createAgent(app, { script: script.join("\n"), systemTools: ["hangup"] });
  agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body.name;
});

let counter = 0;
async function begin(cases: object[]) {
  const suite = await app.send("POST", "/api/v1/test_suites/", { name: `Suite ${++counter}`, agent, cases });
  expect(suite.status, JSON.stringify(suite.body)).toBe(200);
  const run = await app.send("POST", `/api/v1/test_suites/${suite.body.id}/runs`, {});
  return { suite: suite.body, run };
}
async function play(cases: object[]) {
  const { run } = await begin(cases);
  await playRun(app, run.body.id);
  return resultsOf(run.body.id);
}
const resultsOf = async (run_id: number) =>
  (await app.send("GET", `/api/v1/test_runs/${run_id}/results`)).body.items;
const ASKS = {
  name: "Asks",
  person: ["your hours please", "bye"],
  expect: { said: ["weekdays"], ended_by: "agent" },
};
const saidIn = async (session_id: number) =>
  (
    await app.db
      .selectFrom("session_messages")
      .select("text")
      .where("session_id", "=", session_id)
      .where("role", "=", "user")
      .orderBy("seq")
      .execute()
  ).map(({ text }) => text);

test("a case on voice is a call held in text: the greeting, the words and the hang-up of a call", async () => {
  const [result] = await play([{ ...ASKS, channel: "voice" }]);
  expect(result).toMatchObject({ status: "passed", notes: [] });
  const session = await app.db
    .selectFrom("sessions")
    .select(["channel", "is_test", "end_reason"])
    .where("id", "=", result.session_id)
    .executeTakeFirst();
  expect(session).toEqual({ channel: "voice", is_test: true, end_reason: "agent" });
});

describe("a case with sound", () => {
  const WITH_SOUND = { ...ASKS, channel: "voice_audio" };

  test("lets the agent answer what it heard, speaks each answer, and says that words were misheard", async () => {
    const spoken: string[] = [];
    const expected: string[][] = [];
    let closed = 0;
    openTestLine = async ({ lines }) => {
      expected.push([...lines]);
      return {
        agentSays: async (texts) => void spoken.push(...texts),
        personSays: async (text) => (text.startsWith("your hours") ? "your house please" : text),
        close: async () => void closed++,
      };
    };
    const [result] = await play([WITH_SOUND]);
    expect(result).toMatchObject({ status: "failed" });
    expect(result.notes).toEqual([
      "Of 2 lines the agent heard 1 in other words than were said; its session has them.",
    ]);
    expect(await saidIn(result.session_id)).toEqual(["your house please", "bye"]);
    expect(spoken).toEqual(["", expect.stringMatching(/scripted offline model/)]);
    expect({ expected, closed }).toEqual({ expected: [["your hours please", "bye"]], closed: 1 });
    const { channel } = await app.db
      .selectFrom("sessions")
      .select("channel")
      .where("id", "=", result.session_id)
      .executeTakeFirstOrThrow();
    expect(channel).toBe("voice");
  });

  test("is told to install what tests hear by, and not the model that hears people but no test", async () => {
    openTestLine = testLines(null);
    const { run } = await begin([WITH_SOUND]);
    await playRun(app, run.body.id);
    const [result] = await resultsOf(run.body.id);
    expect(result).toMatchObject({ status: "skipped" });
    expect(result.notes).toEqual([expect.stringMatching(/apt install libpocketsphinx3/)]);
    expect(result.notes[0]).not.toMatch(/speech-model/);
  });

  test("is skipped with the reason where the machine has nothing to hear with, counts in no rate, and is played by itself", async () => {
    openTestLine = async () => ({ missing: "Not run. Nothing hears here." });
    const { run } = await begin([WITH_SOUND, { ...ASKS, name: "In text" }]);
    const jobs = await app.database.pool.query(
      "select queue_name from graphile_worker.jobs where task_identifier = 'run-test' order by id desc limit 2",
    );
    const { sub_organization_id } = app.admin;
    expect(jobs.rows.map(({ queue_name }) => queue_name)).toEqual([
      null,
      `audio-tests-${sub_organization_id}`,
    ]);
    await playRun(app, run.body.id);
    expect(await resultsOf(run.body.id)).toMatchObject([
      { status: "skipped", session_id: null, notes: ["Not run. Nothing hears here."] },
      { status: "passed" },
    ]);
    const { summary } = (await app.send("GET", `/api/v1/test_runs/${run.body.id}`)).body;
    expect(summary).toMatchObject({ cases: { passed: 1, total: 1 }, results: { skipped: 1, passed: 1 } });
  });
});

describe("a person who is a recording", () => {
  const record = async () => (await play([ASKS]))[0].session_id as number;
  const again = (session: number) => ({ ...ASKS, person: { session } });

  test("says what was said in the session, line by line", async () => {
    const session = await record();
    const [result] = await play([again(session)]);
    expect(result.status).toBe("passed");
    expect(await saidIn(result.session_id)).toEqual(["your hours please", "bye"]);
  });

  test("is offered when a test is made of a session, and is in the suite's file", async () => {
    const session = await record();
    const made = await app.send("GET", `/api/v1/sessions/${session}/test_case?person=recording`);
    expect(made.body.person).toEqual({ session });
    const copied = await app.send("GET", `/api/v1/sessions/${session}/test_case`);
    expect(copied.body.person).toEqual(["your hours please", "bye"]);
    const { suite } = await begin([again(session)]);
    const { text } = (await app.send("GET", `/api/v1/test_suites/${suite.id}/export`)).body;
    expect(text).toContain(`session: ${session}`);
    expect((await app.send("POST", "/api/v1/test_suites/import", { text })).body.cases).toEqual(suite.cases);
  });

  test("is missing when a run begins while its session is being deleted", async () => {
    const session = await record();
    const { suite } = await begin([again(session)]);
    const [answer] = await app.db.transaction().execute(async (tx) => {
      await sql`select from sessions where id = ${session} for update`.execute(tx);
      const answer = app.send("POST", `/api/v1/test_suites/${suite.id}/runs`, {});
      await waitForLocks(app.database.pool, 1);
      await deleteSessions(tx, { tenant: app.admin.sub_organization_id, ids: [session] });
      return [answer];
    });
    expect(await answer).toMatchObject({
      status: 422,
      body: {
        detail: [
          { msg: expect.stringContaining(`There is no session ${session}; it may have been deleted.`) },
        ],
      },
    });
  });

  test("takes its conversations along when the session is deleted, and is then a finding", async () => {
    const session = await record();
    const { suite, run } = await begin([again(session), { ...again(session), name: "Again" }]);
    await playRun(app, run.body.id, 1);
    const [played] = await resultsOf(run.body.id);
    expect((await app.send("DELETE", `/api/v1/sessions/${session}`)).status).toBeLessThan(300);
    expect((await app.send("GET", `/api/v1/sessions/${played.session_id}`)).status).toBe(404);
    await playRun(app, run.body.id);
    const results = await resultsOf(run.body.id);
    expect(results).toMatchObject([
      { status: "passed", session_id: null, verdicts: [] },
      { status: "error", session_id: null, notes: [`Not played: session ${session} was deleted.`] },
    ]);
    const { findings } = (await app.send("GET", `/api/v1/test_suites/${suite.id}`)).body;
    expect(findings[0]).toEqual({
      path: "cases[0].person.session",
      message: `There is no session ${session}; it may have been deleted.`,
    });
    expect((await app.send("POST", `/api/v1/test_suites/${suite.id}/runs`, {})).status).toBe(422);
  });

  test("of another organization is no person of a test", async () => {
    const session = await record();
    const neighbour = await app.createNeighbour();
    const made = await createAgent({ ...app, send: neighbour.send }, { script: "" });
    const { name } = (await neighbour.send("GET", `/api/v1/agents/${made.agent_id}`)).body;
    const suite = await neighbour.send("POST", "/api/v1/test_suites/", {
      name: "Theirs",
      agent: name,
      cases: [again(session)],
    });
    expect(suite.body.findings[0].path).toBe("cases[0].person.session");
  });
});
