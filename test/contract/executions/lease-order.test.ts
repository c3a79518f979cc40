import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { claimExecutions, executionLeases, giveBack, LEASE_MS } from "../../../src/executions/claim.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, pastSession } from "../../harness/insights.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const OWNER = "this";

/** Six executions that this process holds, of which the first lies in the middle of the table. */
async function sixHeld() {
  const make = insightsOf(app);
  const { id: tool_id } = await make.tool();
  const workflow = await make.workflow({ source: "manual", insight_tool_ids: [tool_id] });
  const session_id_list = await Promise.all(Array.from({ length: 6 }, () => pastSession(app, app.admin)));
  const queue = { workflow_name: workflow.name, session_id_list };
  expect((await app.send("POST", "/api/v1/insights/workflows/queue-work", queue)).status).toBeLessThan(300);
  const held = await claimExecutions(app.db, { owner: OWNER, now: app.clock.now(), most: 6 });
  expect(held).toHaveLength(6);
  for (const { id } of [...held.slice(3), ...held.slice(0, 3)])
    await sql`update insight_executions set attempts = attempts where id = ${id}`.execute(app.db);
  await sql`analyze insight_executions`.execute(app.db);
  return held;
}

test.each(["renewed", "given back"])(
  "executions are %s in the order in which results lock them, however the rows lie: neither waits for the other",
  async (how) => {
    const { db, clock, log } = app;
    const held = await sixHeld();
    const leases = executionLeases({ db, clock, log }, OWNER);
    for (const one of held) leases.hold(one);
    const ids = held.map(({ id }) => id);
    const [first, ...others] = ids;

    const { done } = await db.transaction().execute(async (storing) => {
      await sql`select from insight_executions where id = ${first} for no key update`.execute(storing);
      clock.advance(LEASE_MS - 1);
      const done = how === "renewed" ? leases.renew() : giveBack(db, OWNER, []);
      await waitForLocks(app.database.pool, 1);
      await sql`
        select from insight_executions where id = any(${others}::bigint[]) order by id
        for no key update nowait`.execute(storing);
      return { done };
    });
    await done;
    leases.stop();
    const rows = await db
      .selectFrom("insight_executions")
      .select(["status", "lease_expires_at"])
      .where(sql<boolean>`id = any(${ids}::bigint[])`)
      .execute();
    const end = new Date(clock.now().getTime() + LEASE_MS).toISOString();
    const shown = rows.map(({ status, lease_expires_at }) => [
      status,
      lease_expires_at && new Date(lease_expires_at).toISOString(),
    ]);
    expect(shown).toEqual(ids.map(() => (how === "renewed" ? ["PROCESSING", end] : ["PENDING", null])));
    await sql`delete from insight_executions`.execute(db);
  },
);
