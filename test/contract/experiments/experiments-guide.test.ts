import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { commandLine } from "../../../src/commands/command-line.ts";
import { seedDemo } from "../../../src/demo/seed.ts";
import { keptSince } from "../../../src/erasure/agent-retention.ts";
import { guardAll } from "../../../src/experiments/guard-job.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { guideSteps } from "../../harness/guide.ts";

const page = readFileSync(new URL("../../../docs/experiments.md", import.meta.url), "utf8");

/** So many people call, and hang up after a while; one of them is transferred. */
async function peopleCall(app: TestApp, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { session_id } = await startSession(app.engine, {
      sub_organization_id: app.admin.sub_organization_id,
      agent_id: 1,
      channel: "voice" as const,
      service: "voice",
      type: "voice_v1",
      sid: `s${n}`,
      channel_target_id: null,
      source: `+1512555${String(n).padStart(4, "0")}`,
      target: null,
      is_test: false,
      is_outbound: false,
      verified: true,
    });
    const ended_at = app.clock.now().toISOString();
    const end_reason = n === 17 ? "transfer" : "user";
    await app.db
      .updateTable("sessions")
      .set({ ended_at, end_reason, duration: 60 + (n % 7) * 11, turn_count: 4 + (n % 3) })
      .where("id", "=", session_id)
      .execute();
  }
}

/** What a command writes, and its exit code. */
async function typed(words: string[]) {
  let [stdout, stderr] = ["", ""];
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += text;
    return true;
  });
  const err = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  try {
    return { code: await commandLine(words), stdout: () => stdout, stderr: () => stderr };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

async function demo(): Promise<TestApp> {
  const app = await createTestApp({}, seedDemo);
  await migrateJobs(app.database.pool, silentLog);
  vi.stubEnv("PUBLIC_URL", await app.listen());
  vi.stubEnv("PARLEY_API_TOKEN", app.token);
  const live = await app.send("PUT", "/api/v1/agents/1/versioning", { published_version: 1, gates: [] });
  expect(live.status).toBe(200);
  return app;
}

/** As the program does seconds after a session's end. */
async function indexAll(app: TestApp): Promise<void> {
  const index = app.jobs.find(({ job }) => job.name === "index-session");
  const ended = await app.db
    .selectFrom("sessions")
    .select("id")
    .where("ended_at", "is not", null)
    .orderBy("id")
    .execute();
  for (const { id } of ended) await index?.run({ session_id: id }, {} as never);
}

test("every command and every request of docs/experiments.md does what the page shows", async () => {
  const app = await demo();
  const steps = guideSteps(page);
  expect(steps.map(({ kind }) => kind).filter((kind) => kind === "command")).toHaveLength(7);
  expect(steps.filter(({ kind }) => kind === "request")).toHaveLength(6);
  for (const step of steps) {
    if (step.kind === "command") {
      const { code, stdout, stderr } = await typed(step.words);
      expect({ code, stderr: stderr(), stdout: stdout().trimEnd() }).toEqual({
        code: 0,
        stderr: "",
        stdout: step.shown,
      });
      if (step.words[1] !== "start" || !step.words.includes("--ramp")) continue;
      app.clock.advance(23 * 3_600_000);
      await peopleCall(app, 60);
      await indexAll(app);
      await guardAll({ ...app, keptSince });
    } else {
      const answer = await app.send(step.method, step.path, step.body);
      expect(answer.body, `${step.method} ${step.path}`).toMatchObject(step.answer as object);
    }
  }
});

test("what can't be done exits with 2 and says why, at its place; a returned experiment exits with 1", async () => {
  const app = await demo();
  const refused = async (...words: string[]) => {
    const { code, stdout, stderr } = await typed(["experiments", ...words]);
    expect({ code, stdout: stdout() }, stderr()).toEqual({ code: 2, stdout: "" });
    return stderr();
  };
  const start = ["start", "Demo clinic", "--split"];
  expect(await refused()).toContain("Say what to do: list, start, show, ramp, adopt, stop.");
  expect(await refused("show", "seven")).toContain("Give the number of an experiment");
  expect(await refused(...start, "1:95")).toContain("--split takes versions with their percentages");
  expect(await refused(...start, "1=95,2=6")).toContain(
    "variants: Weights must add up to 100; these add up to 101",
  );
  expect(await refused(...start, "1=95,9=5")).toContain(
    "variants.1.version_number: Version 9 was not published",
  );
  expect(await refused(...start, "2=100")).toContain("People reach version 1 now. Name it in --split, too");
  expect(await refused(...start, "1=95,2=5", "--after", "soon")).toContain("--after takes minutes");
  expect(await refused("start", "Nobody", "--split", "1=95,2=5")).toContain("There is no agent Nobody");
  expect(await refused("stop", "1")).toContain("Say why");
  expect(await refused(...start, "1=95,2=5", "--success", "good")).toContain("--success takes tool:");
  expect(await refused(...start, "1=95,2=5", "--success", "tool:dance")).toContain(
    "success.tool: None of these versions has a tool dance; they have book_appointment",
  );
  expect(await refused(...start, "1=95,2=5", "--guards", "rain")).toContain(
    "--guards takes none, or some of",
  );
  expect(await refused(...start, "1=95,2=5", "--slow", "4")).toContain("--slow takes seconds");
  expect(await refused("adopt", "1", "--version", "two")).toContain("--version takes a number");

  const first = await typed(["experiments", ...start, "1=50,2=50", "--json"]);
  const { id } = JSON.parse(first.stdout());
  const second = await refused(...start, "1=95,2=5");
  expect(second).toContain("splits the same traffic");
  const draft = /stays a draft: \.\/parley experiments start --draft (\d+)/.exec(second)?.[1] ?? "";
  expect(await refused("ramp", String(id))).toContain("The ramp has no further step");
  expect((await typed(["experiments", "ramp", String(id), "--to", "60"])).code).toBe(0);
  expect((await typed(["experiments", "show", String(id)])).stdout()).toContain(
    "Stage 2 of 2, no figures yet, they are counted every 20 seconds:",
  );

  await app.db
    .updateTable("experiments")
    .set({ status: "returned", ended_because: "Errors", ended_at: app.clock.now().toISOString() })
    .where("id", "=", id)
    .execute();
  expect((await typed(["experiments", "show", String(id), "--json"])).code).toBe(1);
  expect((await typed(["experiments", "start", "--draft", draft])).code).toBe(0);
});
