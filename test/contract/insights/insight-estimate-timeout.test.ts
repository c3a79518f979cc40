import { expect, onTestFinished, test } from "vitest";
import { InsightWorkflowOutput } from "../../../src/insights/workflow-schema.ts";
import { createTestApp } from "../../harness/app.ts";
import { insightsOf } from "../../harness/insights.ts";

const path = "/api/v1/insights/workflows";

const ZEROS = Object.fromEntries(
  Object.keys(InsightWorkflowOutput.shape.estimate.shape).map((number) => [number, 0]),
);

test("a workflow whose estimate takes too long is stored and answered, with numbers of 0 that a strict client reads and a sentence that says why", async () => {
  const app = await createTestApp({ DATABASE_READING_TIMEOUT: "1" });
  const make = insightsOf(app);
  const made = await make.workflow({
    insight_tool_ids: [(await make.tool()).id],
    start_datetime: "2026-11-01T00:00:00.000Z",
  });
  expect(made.estimate.backfill_count).toBe(0);

  // Nobody can look through the sessions: as slow a count as one likes.
  const client = await app.database.pool.connect();
  await client.query("begin");
  await client.query("lock table sessions in access exclusive mode");
  onTestFinished(async () => {
    await client.query("rollback");
    client.release();
  });
  const without = {
    status: 200,
    body: { estimate: ZEROS, estimate_problem: expect.stringMatching(/took too long/) },
  };
  const { estimate, estimate_problem, id, ...input } = made;
  expect(await app.send("PUT", `${path}/${id}`, { ...input, name: "Changed" })).toMatchObject(without);
  expect(await app.send("POST", `${path}/`, { ...input, name: "Another" })).toMatchObject(without);
  expect(await app.send("GET", `${path}/${id}`)).toMatchObject({
    ...without,
    body: { ...without.body, name: "Changed" },
  });
  // An activation that was agreed to by these numbers is refused: it would queue what nobody counted.
  const agreed = { is_acknowledged: true, estimate: ZEROS };
  expect(await app.send("PUT", `${path}/${id}/activate`, agreed)).toMatchObject({ status: 400 });
});
