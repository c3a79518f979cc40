import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { feedNext } from "../../../src/executions/backfill.ts";
import { countSubjects } from "../../../src/insights/count-subjects.ts";
import { SAMPLED_SHARE } from "../../../src/insights/sampling.ts";
import { findWorkflow } from "../../../src/insights/workflow-store.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, pastSession } from "../../harness/insights.ts";

/** Ten agents in turn, durations of 1 to 200 s. */
const SESSIONS = 24_000;
const PATIENT_ms = 60_000;
const path = "/api/v1/insights/workflows";

let app: TestApp;
let make: ReturnType<typeof insightsOf>;
let tools: { id: number }[];
let start_datetime: string;
beforeAll(async () => {
  app = await createTestApp();
  make = insightsOf(app);
  tools = [await make.tool(), await make.tool()];
  start_datetime = new Date(app.clock.now().getTime() - 30 * 86_400_000).toISOString();
  const model = await pastSession(app, app.admin, { timestamp: start_datetime, is_test: true });
  const columns = `sub_organization_id, conversation_id, end_reason, channel, channel_manager_service,
    channel_manager_type, channel_manager_sid, agent_type, agent_timezone, prompt_id, prompt_name, prompt_version_number,
    snapshot_key, state`;
  await sql`
    insert into sessions (${sql.raw(columns)}, timestamp, last_activity_at, ended_at, is_test, agent_id, agent_name, duration)
    select ${sql.raw(columns)}, at, at, at, false, n % 10, 'Agent ' || n % 10, 1 + n % 200
    from sessions, generate_series(1, ${SESSIONS}::int) as n,
      lateral (select timestamp + n * interval '1 minute' as at) as t
    where id = ${model}`.execute(app.db);
  await sql`vacuum analyze sessions`.execute(app.db);
});

const workflow = (more: object = {}) =>
  make.workflow({ insight_tool_ids: [tools[0]?.id], start_datetime, ...more });

/** Everything since the start, each looked at and as a million would be. */
async function counts(id: number) {
  const stored = await findWorkflow(app.db, app.admin, id);
  const span = { from: start_datetime, to: app.clock.now() };
  const count = (exact_up_to: number, exact_within_ms: number) =>
    countSubjects(app.db, stored, span, { open: true, exact_up_to, exact_within_ms });
  return {
    exact: await count(2 * SESSIONS, PATIENT_ms),
    estimated: await count(0, PATIENT_ms),
    hurried: await count(0, 0),
  };
}

/** The first sessions, as if these tools had analysed them. */
async function claim(workflow_id: number, most: number, by: { id: number }[]) {
  await sql`
    with made as (
      insert into insight_executions (sub_organization_id, workflow_id, session_id, cause, status, created_at, run_at)
      select sub_organization_id, ${workflow_id}::bigint, id, 'manual', 'COMPLETED', now(), now()
      from (select * from sessions where not is_test order by id limit ${most}) as s
      returning id, workflow_id, session_id)
    insert into insight_execution_tools (execution_id, position, workflow_id, session_id, insight_tool_id, insight_tool_version)
    select made.id, tool, workflow_id, session_id, tool, 1 from made, unnest(${by.map(({ id }) => id)}::bigint[]) as tool`.execute(
    app.db,
  );
}

describe("of more sessions than are looked at one by one, a sixteenth says how many match", () => {
  test.each([
    ["all of them", {}],
    ["one of ten agents", { agent_list: ["Agent 3"] }],
    ["one agent by its number", { agent_list: ["7"] }],
    ["those of a length", { min_duration: 50, max_duration: 149 }],
  ])("%s", async (_, conditions) => {
    const { exact, estimated } = await counts((await workflow({ conditions })).id);
    expect(exact.is_exact).toBe(true);
    expect(estimated.is_exact).toBe(false);
    // Five times the error of a draw of a sixteenth.
    const error = 5 * Math.sqrt((SAMPLED_SHARE - 1) * exact.count);
    expect(Math.abs(estimated.count - exact.count)).toBeLessThan(error);
    expect(estimated.duration_s / exact.duration_s).toBeCloseTo(estimated.count / exact.count, 1);
  });

  test("of all of them it says it to within a few", async () => {
    const { exact, estimated } = await counts((await workflow()).id);
    expect(Math.abs(estimated.count - exact.count)).toBeLessThanOrEqual(4 * SAMPLED_SHARE);
  });

  test("a sample is its share of what matches, also one in a thousand", async () => {
    for (const sample_rate of [50, 10, 0.1]) {
      const { exact, estimated } = await counts((await workflow({ conditions: { sample_rate } })).id);
      expect(estimated.is_exact).toBe(false);
      expect(Math.abs(estimated.count - exact.count)).toBeLessThan(5 * Math.sqrt(exact.count) + 2);
    }
  });

  test("what was analysed is taken off, few and many", async () => {
    for (const [sample_rate, most] of [
      [null, 300],
      [50, 2_000],
      [50, 20_000],
    ] as const) {
      const { id } = await workflow({ conditions: { sample_rate } });
      await claim(id, most, tools.slice(0, 1));
      const { exact, estimated } = await counts(id);
      expect(estimated.is_exact).toBe(false);
      expect(Math.abs(estimated.count - exact.count)).toBeLessThan(5 * Math.sqrt(15 * exact.count));
    }
  });

  test("what only one of two tools has analysed is still to be done", async () => {
    const { id } = await workflow({ insight_tool_ids: tools.map((tool) => tool.id) });
    await claim(id, 8_000, tools.slice(0, 1));
    expect((await counts(id)).exact.count).toBe(SESSIONS);
    expect(Math.abs((await counts(id)).estimated.count - SESSIONS)).toBeLessThanOrEqual(4 * SAMPLED_SHARE);
  });

  test("where few match, or few are left, each is looked at; the sixteenth says it where that takes too long", async () => {
    const rare = await workflow({ conditions: { max_duration: 2 } });
    expect((await counts(rare.id)).estimated).toEqual({ count: 240, duration_s: 360, is_exact: true });
    const done = await workflow();
    await claim(done.id, SESSIONS - 7, tools.slice(0, 1));
    const { estimated, hurried } = await counts(done.id);
    expect(estimated).toMatchObject({ count: 7, is_exact: true });
    expect(hurried.is_exact).toBe(false);
    expect(hurried.count % SAMPLED_SHARE).toBe(0);
    expect(hurried.count).toBeLessThanOrEqual(7 * SAMPLED_SHARE);
  });
});

describe("a workflow that has its backfill behind it", () => {
  test("has nothing left, active or not, but what came meanwhile or was dropped", async () => {
    const made = await workflow({ conditions: { agent_list: ["Agent 5"], max_duration: 6 } });
    expect(made.estimate.backfill_count).toBe(120);
    const read = async () => (await app.send("GET", `${path}/${made.id}`)).body.estimate.backfill_count;
    await make.activate(made.id);
    while ((await app.db.transaction().execute((tx) => feedNext(tx, app.clock.now()))) !== null);
    expect(await read()).toBe(0);
    const waiting = await app.db
      .selectFrom("insight_executions")
      .select(["id", "session_id"])
      .where("workflow_id", "=", made.id)
      .orderBy("id")
      .execute();
    // All but three in the middle are over.
    const kept = waiting.slice(50, 53).map(({ id }) => id);
    await app.db
      .updateTable("insight_executions")
      .set({ status: "COMPLETED" })
      .where("workflow_id", "=", made.id)
      .where("id", "not in", kept)
      .execute();
    await app.send("PUT", `${path}/${made.id}/inactivate`);
    expect(await read()).toBe(3);
    const agent = { agent_name: "Agent 5", duration: 5 };
    await pastSession(app, app.admin, { ...agent, timestamp: app.clock.now().toISOString() });
    expect(await read()).toBe(4);
    // Other conditions are another question: nothing is known to be behind it.
    await app.send("PUT", `${path}/${made.id}`, {
      ...made,
      conditions: { ...made.conditions, max_duration: 16 },
    });
    expect(await read()).toBe(4 + 120);
  });

  test("counts a session that went on when it was inactivated and ended afterwards", async () => {
    const open = await pastSession(app, app.admin, {
      agent_name: "Ann",
      timestamp: start_datetime,
      ended: false,
    });
    const made = await workflow({ conditions: { agent_list: ["Ann"] } });
    await make.activate(made.id);
    await app.send("PUT", `${path}/${made.id}/inactivate`);
    await app.db
      .updateTable("sessions")
      .set({ ended_at: app.clock.now().toISOString() })
      .where("id", "=", open)
      .execute();
    expect((await app.send("GET", `${path}/${made.id}`)).body.estimate.backfill_count).toBe(1);
  });
});
