import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { type Db, openDatabase } from "../../src/db/database.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { createRandom } from "../harness/fuzz/random.ts";
import { manySessions } from "../harness/insights.ts";
import { FAKE_KEY, startLlmServer } from "../harness/llm-server.ts";
import { rounds, SEED } from "../harness/seed.ts";
import { type Program, parley, postgresOf, send, usedFolder } from "./program.ts";

const SESSIONS = rounds(1_500, 6_000);
const ROUNDS = rounds(1, 8);
const random = createRandom(SEED);
/** INSIGHT_CONCURRENCY where nothing else is set. */
const CONCURRENCY = 32;

test(`kill -9 at random moments of a backfill loses no session and analyses none twice (seed ${SEED})`, async () => {
  const { folder, greeting } = await usedFolder();
  const first_id = await inDatabase(folder, async (db) => {
    const { id } = await db.selectFrom("sub_organizations").select("id").executeTakeFirstOrThrow();
    return manySessions({ db, admin: { sub_organization_id: id }, clock: systemClock }, SESSIONS);
  });
  const llm = await startLlmServer();
  llm.reply({ text: ['{"summary": "All went well."}'], delay_ms: 1 });
  const env: Record<string, string> = {
    OPENAI_API_KEY: FAKE_KEY,
    OPENAI_BASE_URL: llm.settings.openai?.base_url ?? "",
    EGRESS_ALLOW: "127.0.0.1",
  };
  let program = parley(["start"], { folder, env });
  const { url } = await program.ready();
  env.PORT = new URL(url).port;
  const api = (method: string, path: string, body?: unknown) =>
    send(method, `${url}/api/v1/insights/${path}`, body, { "Service-API-Key": greeting.token ?? "" });

  const { body: tool } = await api("POST", "tool-configurations", {
    name: "summary of old ones",
    description: "",
    version: 1,
    tool_arguments: { provider: "openai", model: "gpt-6-sol", prompt: "Sum it up." },
    insight_tool_definition_id: 1,
  });
  const { body: workflow } = await api("POST", "workflows/", {
    name: "old ones",
    source: "agent",
    description: "",
    insight_tool_ids: [tool.id],
    conditions: {},
    start_datetime: "2020-01-01T00:00:00Z",
  });
  const { estimate } = workflow;
  expect(estimate.backfill_count).toBe(SESSIONS);
  const activated = await api("PUT", `workflows/${workflow.id}/activate`, {
    is_acknowledged: true,
    estimate,
  });
  expect(activated.status).toBe(200);

  const progress = async () => (await api("GET", `workflows/${workflow.id}/backfill`)).body.backfill;
  let killed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const reached = (await progress()).actual.count;
    let state = await progress();
    while (state.actual.count < reached + 100 && state.status !== "COMPLETED") {
      await sleep(10);
      state = await progress();
    }
    if (state.status === "COMPLETED") break;
    await sleep(random.int(100));
    await program.end("SIGKILL");
    killed += 1;
    program = await startAgain(folder, env);
  }
  expect(killed).toBeGreaterThan(0);
  for (let state = await progress(); state.status !== "COMPLETED"; state = await progress()) await sleep(50);
  // The one that a kill meets alone after it was met before is set aside, and done once it is retried by hand.
  expect((await api("POST", `workflows/${workflow.id}/retry-failed`)).body.retried).toBeLessThan(killed);
  while ((await api("GET", `workflows/${workflow.id}`)).body.queue_count > 0) await sleep(50);
  await program.end("SIGTERM");
  await llm.close();

  // Each session has one claim, one finished execution and one output; the model was asked again only for what was cut off.
  await inDatabase(folder, async (db) => {
    const { rows } = await sql<{ session_id: number; n: number; status: string }>`
      select e.session_id, count(*) as n, min(e.status) as status
      from insight_executions e where e.workflow_id = ${workflow.id} group by 1 order by 1`.execute(db);
    expect(rows).toEqual(
      Array.from({ length: SESSIONS }, (_, n) => ({ session_id: first_id + n, n: 1, status: "COMPLETED" })),
    );
    const outputs = await sql<{ n: number; sessions: number }>`
      select count(*) as n, count(distinct session_id) as sessions
      from insight_outputs where workflow_id = ${workflow.id}`.execute(db);
    expect(outputs.rows).toEqual([{ n: SESSIONS, sessions: SESSIONS }]);
    const usage = await sql<{ runs: number }>`
      select sum(runs) as runs from insight_usage where workflow_id = ${workflow.id}`.execute(db);
    expect(usage.rows).toEqual([{ runs: SESSIONS }]);
  });
  // Asked for again: at most what a process that died was running or had not stored, below twice what it runs at once.
  expect(llm.requests.length).toBeGreaterThanOrEqual(SESSIONS);
  expect(llm.requests.length).toBeLessThanOrEqual(SESSIONS + killed * 2 * CONCURRENCY);
});

async function inDatabase<T>(folder: string, work: (db: Db) => Promise<T>): Promise<T> {
  const server = await startEmbeddedPostgres({ dataDir: postgresOf(folder), log: silentLog });
  const database = openDatabase(server.connection);
  try {
    return await work(database.db);
  } finally {
    await database.close();
    await server.stop();
  }
}

async function startAgain(folder: string, env: Record<string, string>): Promise<Program> {
  const program = parley(["start"], { folder, env });
  await program.ready();
  return program;
}
