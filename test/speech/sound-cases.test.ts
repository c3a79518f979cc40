import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { testLines } from "../../src/calls/lines/test-lines.ts";
import { seedDemo } from "../../src/demo/seed.ts";
import { migrateJobs } from "../../src/jobs/runner.ts";
import { createAgent } from "../harness/agent.ts";
import { createTestApp } from "../harness/app.ts";
import { playRun } from "../harness/evaluations.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

test("a case with sound is spoken, heard and answered by the machine's own engines, the same with the same seed", async (context) => {
  const sphinx = await sphinxFiles();
  if (!sphinx) return context.skip();
  const app = await createTestApp({}, undefined, { openTestLine: testLines(sphinx) });
  await migrateJobs(app.database.pool, silentLog);
  const { agent_id } = await createAgent(app, {
    script: [
      'on "goodbye" -> call hangup {"reason": "done"}',
      'after hangup -> say "Goodbye."',
      'on "open" -> say "We are open from eight to five."',
      'on /.*/ -> say "Please say that again."',
    ].join("\n"),
    systemTools: ["hangup"],
    greeting: { type: "greeting", text: "Hello from the clinic." },
  });
  const agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body.name;
  const person = ["When are you open?", "Thank you, goodbye"];
  const expect_ = { said: ["eight to five"], ended_by: "agent" };
  const cases = [{ name: "Hours", channel: "voice_audio", person, expect: expect_ }];
  const suite = await app.send("POST", "/api/v1/test_suites/", { name: "With sound", agent, cases });
  const heard = [];
  for (let round = 0; round < 2; round++) {
    const { body: run } = await app.send("POST", `/api/v1/test_suites/${suite.body.id}/runs`, { seed: 1 });
    await playRun(app, run.id);
    const [result] = (await app.send("GET", `/api/v1/test_runs/${run.id}/results`)).body.items;
    expect(result, JSON.stringify(result)).toMatchObject({ status: "passed" });
    heard.push(
      await app.db
        .selectFrom("session_messages")
        .select(["role", "text"])
        .where("session_id", "=", result.session_id)
        .orderBy("seq")
        .execute(),
    );
  }
  expect(heard[0]?.filter(({ role }) => role === "user")).toHaveLength(2);
  expect(heard[1]).toEqual(heard[0]);
});

test("the suite with sound of docs/test-your-agent.md passes with the demo's agent", async (context) => {
  const sphinx = await sphinxFiles();
  if (!sphinx) return context.skip();
  const guide = readFileSync(new URL("../../docs/test-your-agent.md", import.meta.url), "utf8");
  const [, text] = /### Calls with sound[\s\S]*?```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  const app = await createTestApp({}, seedDemo, { openTestLine: testLines(sphinx) });
  await migrateJobs(app.database.pool, silentLog);
  const suite = await app.send("POST", "/api/v1/test_suites/import", { text });
  expect(suite.body).toMatchObject({ findings: [] });
  const { body: run } = await app.send("POST", `/api/v1/test_suites/${suite.body.id}/runs`, {});
  await playRun(app, run.id);
  const { items } = (await app.send("GET", `/api/v1/test_runs/${run.id}/results`)).body;
  expect(items, JSON.stringify(items)).toMatchObject([{ status: "passed" }]);
});
