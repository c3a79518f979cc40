import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { shareSessionWorkflows } from "../../../src/insights/workflow-rule.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, pastSession } from "../../harness/insights.ts";

const path = "/api/v1/insights/workflows";
const DAY_MS = 86_400_000;

let app: TestApp;
let make: ReturnType<typeof insightsOf>;
let tool: { id: number; name: string };
beforeAll(async () => {
  app = await createTestApp();
  make = insightsOf(app);
});
let start_datetime: string;
beforeEach(async () => {
  // Sessions of one test are out of the reach of the next.
  await app.db.updateTable("sessions").set({ is_test: true }).execute();
  start_datetime = ago(30);
  tool = await make.tool();
});

const ago = (days: number) => new Date(app.clock.now().getTime() - days * DAY_MS).toISOString();
const session = (more: Parameters<typeof pastSession>[2] = {}) =>
  pastSession(app, app.admin, { timestamp: ago(1), ...more });
const workflow = (more: object = {}) =>
  make.workflow({ insight_tool_ids: [tool.id], start_datetime, ...more });
const read = async (id: number) => (await app.send("GET", `${path}/${id}`)).body;
const queueWork = (workflow_name: string, more: object) =>
  app.send("POST", `${path}/queue-work`, { workflow_name, ...more });
const raise = (version: number) =>
  app.send("PUT", `/api/v1/insights/tool-configurations/${tool.id}`, { ...tool, version });

/** Every claim of a workflow: which session at which version, in which state. */
const claims = (workflow_id: number) =>
  app.db
    .selectFrom("insight_execution_tools as x")
    .innerJoin("insight_executions as e", "e.id", "x.execution_id")
    .select(["x.session_id", "x.insight_tool_id", "x.insight_tool_version as version", "e.status", "e.cause"])
    .where("e.workflow_id", "=", workflow_id)
    .orderBy("e.id")
    .orderBy("x.position")
    .execute();

/** As the engine leaves an execution. */
const settle = async (
  workflow_id: number,
  status: "PROCESSING" | "COMPLETED" | "FAILED",
  finished = false,
) => {
  const finished_at = app.clock.now().toISOString();
  if (finished) {
    await app.db
      .updateTable("insight_execution_tools")
      .set({ finished_at, input_tokens: 1000, output_tokens: 200 })
      .where("workflow_id", "=", workflow_id)
      .where("position", "=", 0)
      .execute();
  }
  await app.db
    .updateTable("insight_executions")
    .set({ status })
    .where("workflow_id", "=", workflow_id)
    .execute();
};

describe("the estimate", () => {
  test("counts what is to be done now, and a day's mean of the last 14 days", async () => {
    for (let day = 1; day <= 28; day++) await session({ timestamp: ago(day - 0.5), duration: 30 });
    const { estimate } = await workflow();
    expect(estimate).toEqual({
      backfill_count: 28,
      backfill_duration: 840,
      estimated_daily_count: 1,
      estimated_daily_duration: 30,
      estimated_daily_cost: 0,
      estimated_backfill_cost: 0,
    });
    // Without a start there is nothing to catch up with; the days to come are the same.
    expect((await workflow({ start_datetime: null })).estimate).toMatchObject({
      backfill_count: 0,
      backfill_duration: 0,
      estimated_daily_count: 1,
    });
    expect((await workflow({ end_datetime: ago(20) })).estimate.backfill_count).toBe(8);
    expect((await workflow({ source: "manual" })).estimate.backfill_count).toBe(0);
  });

  test("leaves out tests, sessions that go on, other organizations', and what the conditions don't ask for", async () => {
    const neighbour = await app.createNeighbour();
    await session();
    await session({ is_test: true });
    await session({ ended: false });
    await pastSession(app, neighbour.caller, { timestamp: ago(1) });
    await session({ timestamp: ago(31) });
    await session({ duration: 5 });
    await session({ agent_name: "Back office" });
    await session({ prompt_name: "Billing" });
    await session({ end_reason: "transfer" });
    const count = async (more: object) => (await workflow(more)).estimate.backfill_count;
    expect(await count({})).toBe(5);
    expect(await count({ conditions: { min_duration: 6 } })).toBe(4);
    expect(await count({ conditions: { agent_list: ["Back office"] } })).toBe(1);
    expect(await count({ conditions: { prompt_list: ["Billing"] } })).toBe(1);
    expect(await count({ source: "transfer" })).toBe(1);
    expect(await count({ conditions: { sample_rate: 0 } })).toBe(0);
    expect(await count({ insight_tool_ids: [] })).toBe(0);
  });

  test("takes from a chat, which has no duration, the time to its last word", async () => {
    await session({ duration: null, lasted_s: 90 });
    expect((await workflow({ conditions: { min_duration: 90, max_duration: 90 } })).estimate).toMatchObject({
      backfill_count: 1,
      backfill_duration: 90,
    });
  });

  test("costs list prices times the tokens its tools have used; 0 before the first run and without a price", async () => {
    const tool_arguments = { prompt: "Sum up", provider: "openai", model: "gpt-6-sol" };
    const priced = await make.tool({ tool_arguments });
    const ids = [await session(), await session(), await session()];
    const first = await make.workflow({ insight_tool_ids: [priced.id], source: "manual" });
    expect(first.estimate.estimated_backfill_cost).toBe(0);
    await queueWork(first.name, { session_id_list: ids.slice(0, 1) });
    await settle(first.id, "COMPLETED", true);
    // 1,000 tokens in at 2 dollars and 200 out at 10 dollars a million: 0.004 a session.
    const { estimate } = await workflow({ insight_tool_ids: [priced.id, tool.id] });
    expect(estimate).toMatchObject({ backfill_count: 3, estimated_backfill_cost: 0.012 });
    expect(estimate.estimated_daily_cost).toBeCloseTo((3 / 14) * 0.004, 6);
  });
});

describe("activation", () => {
  test("queues exactly what the estimate said, and then nothing is left to queue", async () => {
    const ids = [await session(), await session(), await session({ is_test: true })].slice(0, 2);
    const made = await workflow();
    const activated = await make.activate(made.id);
    expect(activated).toMatchObject({
      status: 200,
      body: { status: "ACTIVE", queue_count: 2, failed_count: 0, estimate: { backfill_count: 0 } },
    });
    expect(await claims(made.id)).toEqual(
      ids.map((session_id) => ({
        session_id,
        insight_tool_id: tool.id,
        version: 1,
        status: "PENDING",
        cause: "backfill",
      })),
    );
    const events = await app.send(
      "GET",
      "/api/v1/events/?search_fields=type&search_field_values=insight-workflow-activated",
    );
    expect(events.body.items[0]).toMatchObject({
      category: "insights",
      attributes: { workflow_id: made.id, queued: 2 },
    });
  });

  test("without a start queues nothing: only what is to come is analysed", async () => {
    await session();
    const made = await workflow({ start_datetime: null });
    expect((await make.activate(made.id)).body).toMatchObject({ status: "ACTIVE", queue_count: 0 });
  });

  test("is refused without acknowledgement, and where there is nothing to run: 400", async () => {
    const cases: [object, object, string][] = [
      [{}, { is_acknowledged: false }, "is_acknowledged"],
      [{ insight_tool_ids: [] }, {}, "no tools"],
      [{ source: "upload" }, {}, "no folder"],
      [{ source: "upload", conditions: { folder_list: [] } }, {}, "no folder"],
    ];
    for (const [more, body, detail] of cases) {
      const { id, estimate } = await workflow(more);
      const answer = await app.send("PUT", `${path}/${id}/activate`, {
        is_acknowledged: true,
        estimate,
        ...body,
      });
      expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(detail) } });
      expect((await read(id)).status).toBe("INACTIVE");
    }
  });

  test("over a spreadsheet is not possible here: 501", async () => {
    const { id } = await workflow({ source: "sheet", conditions: { sheet_info: { sheet_id: "1" } } });
    expect(await make.activate(id)).toMatchObject({
      status: 501,
      body: { detail: expect.stringContaining("spreadsheet") },
    });
  });

  test.each([
    [{}, ["is_acknowledged"]],
    [{ is_acknowledged: "so" }, ["is_acknowledged"]],
    [{ is_acknowledged: true }, ["estimate"]],
  ])("a body that breaks the contract is refused at its place: %j", async (body, loc) => {
    const { id, estimate } = await workflow();
    const answer = await app.send("PUT", `${path}/${id}/activate`, {
      ...("is_acknowledged" in body && loc[0] === "estimate" ? {} : { estimate }),
      ...body,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: ["body", ...loc] })]);
  });

  test("is blocked when the backfill has moved by more than a tenth, and by more than five, since it was read: 412", async () => {
    const activate = async (backfill_count: number) => {
      const { id, estimate } = await workflow();
      return app.send("PUT", `${path}/${id}/activate`, {
        is_acknowledged: true,
        estimate: { ...estimate, backfill_count },
      });
    };
    for (let n = 0; n < 3; n++) await session();
    for (const count of [0, 4, 8]) expect((await activate(count)).status).toBe(200);
    expect((await activate(9)).status).toBe(412);
    for (let n = 3; n < 80; n++) await session();
    for (const count of [72, 88]) expect((await activate(count)).status).toBe(200);
    for (const count of [0, 71, 89]) {
      expect(await activate(count)).toMatchObject({
        status: 412,
        body: {
          detail: expect.stringContaining(`analyse 80 sessions now, not the ${count} you acknowledged`),
        },
      });
    }
  });

  test("while active an update is blocked (412) and a deletion refused (400); after inactivation both go", async () => {
    const made = await workflow();
    await make.activate(made.id);
    const body = { ...made, description: "new" };
    expect(await app.send("PUT", `${path}/${made.id}`, body)).toMatchObject({
      status: 412,
      body: { detail: expect.stringContaining("Inactivate it first") },
    });
    expect((await app.send("DELETE", `${path}/${made.id}`)).status).toBe(400);
    expect((await app.send("PUT", `${path}/${made.id}/inactivate`)).body.status).toBe("INACTIVE");
    expect((await app.send("PUT", `${path}/${made.id}`, body)).status).toBe(200);
    expect((await app.send("DELETE", `${path}/${made.id}`)).status).toBe(200);
  });

  test("twice queues nothing twice", async () => {
    await session();
    const made = await workflow();
    await make.activate(made.id);
    app.clock.advance(1000);
    expect((await make.activate(made.id)).body).toMatchObject({ status: "ACTIVE", queue_count: 1 });
  });

  test("after a tool was raised takes up the old sessions again", async () => {
    await session();
    const made = await workflow();
    await make.activate(made.id);
    await settle(made.id, "COMPLETED", true);
    app.clock.advance(1000);
    expect((await read(made.id)).estimate.backfill_count).toBe(0);
    await raise(2);
    expect((await read(made.id)).estimate.backfill_count).toBe(1);
    await make.activate(made.id);
    expect((await claims(made.id)).map(({ version, status }) => [version, status])).toEqual([
      [1, "COMPLETED"],
      [2, "PENDING"],
    ]);
  });
});

describe("inactivation", () => {
  test("drops what waits, keeps what runs, and what was dropped can be queued again", async () => {
    await session();
    const made = await workflow();
    await make.activate(made.id);
    await settle(made.id, "PROCESSING");
    await session();
    app.clock.advance(1000);
    await make.activate(made.id);
    await queueWork(made.name, { session_id_list: [await session({ is_test: true })] });
    expect((await read(made.id)).queue_count).toBe(3);

    const inactive = (await app.send("PUT", `${path}/${made.id}/inactivate`)).body;
    expect(inactive).toMatchObject({ status: "INACTIVE", queue_count: 1, estimate: { backfill_count: 1 } });
    expect((await claims(made.id)).map(({ status }) => status)).toEqual(["PROCESSING"]);
  });
});

describe("queue-work", () => {
  test("queues for an inactive workflow, whatever its conditions, tests too", async () => {
    const made = await workflow({ conditions: { min_duration: 9999 }, start_datetime: null });
    const ids = [await session(), await session({ is_test: true })];
    expect(await queueWork(made.name, { session_id_list: ids })).toMatchObject({
      status: 200,
      body: { queued: 2, skipped: 0 },
    });
    expect(await read(made.id)).toMatchObject({ status: "INACTIVE", queue_count: 2 });
  });

  test("and retrying wait for no session that ends, nor that for them", async () => {
    const made = await workflow();
    const ids = [await session(), await session()];
    await queueWork(made.name, { session_id_list: [ids[0]] });
    await settle(made.id, "FAILED");
    await app.db.transaction().execute(async (tx) => {
      await shareSessionWorkflows(tx, app.admin.sub_organization_id);
      expect((await queueWork(made.name, { session_id_list: [ids[1]] })).body.queued).toBe(1);
      expect((await app.send("POST", `${path}/${made.id}/retry-failed`)).body).toEqual({
        retried: 1,
        remaining: 0,
      });
    });
  });

  test("and retrying at once queue each session once, and lose none", async () => {
    const made = await workflow();
    const ids = await Promise.all(Array.from({ length: 30 }, () => session()));
    await queueWork(made.name, { session_id_list: ids.slice(0, 20) });
    await settle(made.id, "FAILED");
    const retry = () => app.send("POST", `${path}/${made.id}/retry-failed`);
    const answers = await Promise.all([
      retry(),
      queueWork(made.name, { session_id_list: ids }),
      retry(),
      queueWork(made.name, { session_id_list: ids.toReversed() }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const queued = answers.map(({ body }) => body.queued ?? body.retried);
    expect(queued.reduce((sum, n) => sum + n, 0)).toBe(30);
    const found = await claims(made.id);
    expect(new Set(found.map(({ session_id }) => session_id))).toEqual(new Set(ids));
    expect(found.map(({ status }) => status)).toEqual(Array(30).fill("PENDING"));
    expect(await read(made.id)).toMatchObject({ queue_count: 30, failed_count: 0 });
  });

  test("never takes a session twice at one version of a tool, named twice, queued or done", async () => {
    const made = await workflow();
    const id = await session();
    expect((await queueWork(made.name, { session_id_list: [id, id] })).body).toEqual({
      queued: 1,
      skipped: 0,
    });
    expect((await queueWork(made.name, { session_id_list: [id] })).body).toEqual({ queued: 0, skipped: 1 });
    await settle(made.id, "COMPLETED", true);
    expect((await queueWork(made.name, { session_id_list: [id] })).body).toEqual({ queued: 0, skipped: 1 });
    await raise(2);
    expect((await queueWork(made.name, { session_id_list: [id] })).body).toEqual({ queued: 1, skipped: 0 });
  });

  test("what waits when a tool is raised runs at the new version, and is not queued for it again", async () => {
    const made = await workflow();
    const id = await session();
    await queueWork(made.name, { session_id_list: [id] });
    await raise(2);
    expect((await claims(made.id)).map(({ version }) => version)).toEqual([2]);
    expect((await queueWork(made.name, { session_id_list: [id] })).body).toEqual({ queued: 0, skipped: 1 });
  });

  test("of a workflow with a new tool queues only that tool", async () => {
    const made = await workflow();
    const id = await session();
    await queueWork(made.name, { session_id_list: [id] });
    await settle(made.id, "COMPLETED", true);
    const second = await make.tool();
    await app.send("PUT", `${path}/${made.id}`, { ...made, insight_tool_ids: [tool.id, second.id] });
    expect((await queueWork(made.name, { session_id_list: [id] })).body).toEqual({ queued: 1, skipped: 0 });
    expect((await claims(made.id)).map(({ insight_tool_id, status }) => [insight_tool_id, status])).toEqual([
      [tool.id, "COMPLETED"],
      [second.id, "PENDING"],
    ]);
  });

  test("what failed is tried again, without the tools that had finished", async () => {
    const second = await make.tool();
    const made = await workflow({ insight_tool_ids: [tool.id, second.id] });
    const id = await session();
    await queueWork(made.name, { session_id_list: [id] });
    await settle(made.id, "FAILED", true);
    expect(await read(made.id)).toMatchObject({ queue_count: 0, failed_count: 1 });
    expect((await queueWork(made.name, { session_id_list: [id] })).body).toEqual({ queued: 1, skipped: 0 });
    expect(await read(made.id)).toMatchObject({ queue_count: 1, failed_count: 0 });
    expect((await claims(made.id)).map(({ insight_tool_id, status }) => [insight_tool_id, status])).toEqual([
      [tool.id, "COMPLETED"],
      [second.id, "PENDING"],
    ]);
  });

  test("a session that goes on is skipped", async () => {
    const made = await workflow();
    const answer = await queueWork(made.name, { session_id_list: [await session({ ended: false })] });
    expect(answer.body).toEqual({ queued: 0, skipped: 1 });
  });

  test("two at once queue a session once", async () => {
    const made = await workflow();
    const ids = await Promise.all(Array.from({ length: 5 }, () => session()));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => queueWork(made.name, { session_id_list: ids })),
    );
    expect(answers.map(({ body }) => body.queued).toSorted()).toEqual([0, 0, 0, 0, 0, 5]);
    expect(await claims(made.id)).toHaveLength(5);
  });

  test("an unknown workflow, session or recording, or a neighbour's, is a 404, and then nothing is queued", async () => {
    const neighbour = await app.createNeighbour();
    const theirs = await pastSession(app, neighbour.caller);
    const made = await make.workflow({ insight_tool_ids: [tool.id], source: "manual" });
    for (const [name, body, detail] of [
      ["nobody", { session_id_list: [1] }, 'Insight workflow "nobody" not found'],
      [made.name, { session_id_list: [await session(), theirs] }, `Session with ID ${theirs} not found`],
      [made.name, { session_id_list: [999_999] }, "Session with ID 999999 not found"],
      [made.name, { file_id_list: [999_999] }, "File with ID 999999 not found"],
    ] as const) {
      expect(await queueWork(name, body)).toMatchObject({ status: 404, body: { detail } });
    }
    expect((await read(made.id)).queue_count).toBe(0);
  });

  test("recordings are for workflows over uploads, sessions for the others: 400", async () => {
    const over = { agent: await workflow(), upload: await workflow({ source: "upload" }) };
    expect((await queueWork(over.agent.name, { file_id_list: [1] })).status).toBe(400);
    expect((await queueWork(over.upload.name, { session_id_list: [1] })).status).toBe(400);
    const toolless = await workflow({ insight_tool_ids: [] });
    expect((await queueWork(toolless.name, { session_id_list: [1] })).status).toBe(400);
  });

  test.each([
    [{}, ["session_id_list"]],
    [{ session_id_list: [] }, ["session_id_list"]],
    [{ session_id_list: ["x"] }, ["session_id_list", 0]],
    [{ file_id_list: 7 }, ["file_id_list"]],
  ])("a body that names nothing, or no ids, is refused at its place: %j", async (more, loc) => {
    const made = await workflow();
    const answer = await queueWork(made.name, more);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc: ["body", ...loc] })]);
  });

  test("deleting a workflow drops what waits for it", async () => {
    const made = await workflow();
    await queueWork(made.name, { session_id_list: [await session()] });
    await app.send("DELETE", `${path}/${made.id}`);
    expect(await claims(made.id)).toEqual([]);
  });
});
