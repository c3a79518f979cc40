import { beforeAll, expect, test } from "vitest";
import { listSomeOlder } from "../../../src/executions/list-entries.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, pastSession, runInsights } from "../../harness/insights.ts";
import { createPeer, json } from "../../harness/peer.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await createAgent(app, { script: "" });
});

const found = async (insight: string): Promise<number[]> => {
  const query = new URLSearchParams({ search_fields: "insight", search_field_values: insight });
  const { status, body } = await app.send("GET", `/api/v1/sessions/search?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.items.map(({ session_id }: { session_id: string }) => Number(session_id)).toSorted();
};

test("a session is found by each entry of a list that a tool found, also one from before lists were taken apart", async () => {
  const peer = await createPeer();
  const lists = [
    ["billing", "delay"],
    ["delay", "a complaint about the bill", "a complaint about the wait"],
    [],
  ];
  const make = insightsOf(app);
  const definitions = await app.send("GET", "/api/v1/insights/tool-definitions");
  const { id } = definitions.body.find(({ name }: { name: string }) => name === "http_tool");
  const tool = await make.tool({
    insight_tool_definition_id: id,
    tool_arguments: { url: `${peer.url}/tags` },
  });
  const workflow = await make.workflow({ source: "manual", insight_tool_ids: [tool.id] });
  const index = app.jobs.find(({ job }) => job.name === "index-session");
  const ids: number[] = [];
  for (const tags of lists) {
    peer.respond((_request, response) => json(response, 200, { tags }));
    const session_id = await pastSession(app, app.admin, { said: [["user", "Hello"]] });
    await index?.run({ session_id }, {} as never);
    const { name: workflow_name } = workflow;
    await app.send("POST", "/api/v1/insights/workflows/queue-work", {
      workflow_name,
      session_id_list: [session_id],
    });
    await runInsights(app);
    ids.push(session_id);
  }
  const [first, second, empty] = ids as [number, number, number];
  const expected = async () => {
    expect(await found("tags=delay")).toEqual([first, second]);
    expect(await found("tags=billing")).toEqual([first]);
    expect(await found("tags=a complaint about the wait")).toEqual([second]);
    expect(await found('tags=["billing","delay"]')).toEqual([first]);
    expect(await found("tags=[]")).toEqual([empty]);
    expect(await found("tags=*")).toEqual(ids);
  };
  await expected();

  await app.db.updateTable("insight_outputs").set({ entries: null }).execute();
  expect(await found("tags=delay")).toEqual([]);
  await app.db.insertInto("insight_entries_backfill").values({ before_id: 1_000_000 }).execute();
  while (await listSomeOlder(app.db));
  await expected();
});
