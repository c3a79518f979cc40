import { expect, test } from "vitest";
import type { Caller } from "../../src/api/caller.ts";
import { claimExecutions } from "../../src/executions/claim.ts";
import { createTestApp, type Send } from "../harness/app.ts";
import { pastSession } from "../harness/insights.ts";

test("insights are claimed of each organization in turn, however many one of them has waiting", async () => {
  const app = await createTestApp();
  const neighbour = await app.createNeighbour();
  const at = app.clock.now().toISOString();
  const queue = async ({ caller, send }: { caller: Caller; send: Send }, count: number) => {
    const { sub_organization_id } = caller;
    const workflow = { source: "agent", description: "", insight_tool_ids: [], conditions: {} };
    const made = await send("POST", "/api/v1/insights/workflows/", { name: "All", ...workflow });
    const workflow_id = made.body.id;
    for (let n = 0; n < count; n++) {
      const session_id = await pastSession(app, caller);
      await app.db
        .insertInto("insight_executions")
        .values({
          sub_organization_id,
          workflow_id,
          session_id,
          cause: "manual",
          status: "PENDING",
          created_at: at,
          run_at: at,
        })
        .execute();
    }
  };
  await queue({ caller: app.admin, send: app.send }, 12);
  await queue(neighbour, 3);
  const claimed = await claimExecutions(app.db, { owner: "one", now: app.clock.now(), most: 6 });
  const of = ({ sub_organization_id }: Caller) =>
    claimed.filter((execution) => execution.sub_organization_id === sub_organization_id).length;
  expect([of(app.admin), of(neighbour.caller)]).toEqual([3, 3]);
});
