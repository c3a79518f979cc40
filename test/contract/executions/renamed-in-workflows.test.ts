import { beforeAll, expect, test } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf } from "../../harness/insights.ts";

let app: TestApp;
let make: ReturnType<typeof insightsOf>;
beforeAll(async () => {
  app = await createTestApp();
  make = insightsOf(app);
});

const read = async (id: number) => (await app.send("GET", `/api/v1/insights/workflows/${id}`)).body;
const rename = async (what: "agents" | "prompts", id: number, name: string) => {
  const { body } = await app.send("GET", `/api/v1/${what}/${id}`);
  const renamed = await app.send("PUT", `/api/v1/${what}/`, { ...body, name });
  expect(renamed, JSON.stringify(renamed.body)).toMatchObject({ status: 200, body: { name } });
};

test("a workflow that takes an agent or a prompt by name takes the same sessions after it is renamed, and says the new name", async () => {
  const { agent_id, prompt_id, target } = await createAgent(app, { script: `on "bye" -> call hangup {}` });
  const { name } = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
  const prompt = (await app.send("GET", `/api/v1/prompts/${prompt_id}`)).body.name;
  const folder_list = [(await make.folder()).id];
  const insight_tool_ids = [(await make.tool()).id];
  const start_datetime = "2020-01-01T00:00:00Z";
  const [byAgent, byPrompt, upload, other] = [
    await make.workflow({ insight_tool_ids, start_datetime, conditions: { agent_list: [name, "Nobody"] } }),
    await make.workflow({ insight_tool_ids, start_datetime, conditions: { prompt_list: [prompt] } }),
    await make.workflow({ source: "upload", conditions: { folder_list, agent_list: [name] } }),
    await make.workflow({ conditions: { agent_list: ["Nobody"] } }),
  ];
  for (const { id } of [byAgent, byPrompt]) await make.activate(id);

  const begin = async () => {
    const { body } = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
    return () =>
      app.sendAs(null)("POST", `/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`, {
        text: "bye",
      });
  };
  const queued = async () => [(await read(byAgent.id)).queue_count, (await read(byPrompt.id)).queue_count];
  const end = await begin();
  await (await begin())();
  expect(await queued()).toEqual([1, 1]);

  await rename("agents", agent_id, "Reception");
  await rename("prompts", prompt_id, "Greeting callers");
  expect((await read(byAgent.id)).conditions.agent_list).toEqual(["Reception", "Nobody"]);
  expect((await read(byPrompt.id)).conditions.prompt_list).toEqual(["Greeting callers"]);
  expect((await read(upload.id)).conditions.agent_list).toEqual([name]);
  expect((await read(other.id)).conditions.agent_list).toEqual(["Nobody"]);
  await end();
  await (await begin())();
  expect(await queued()).toEqual([3, 3]);

  const { body: audit } = await app.send(
    "GET",
    "/api/v1/audit_entries/?search_fields=resource&search_field_values=insight_workflows&search_fields=action&search_field_values=update",
  );
  expect(
    audit.items.map(({ resource_id }: { resource_id: string }) => Number(resource_id)).toSorted(),
  ).toEqual([byAgent.id, byPrompt.id].toSorted());

  // Older sessions have the old name, and are counted when it is saved under the new one.
  const again = await make.workflow({
    insight_tool_ids,
    start_datetime,
    conditions: { agent_list: ["Reception"], prompt_list: ["Greeting callers"] },
  });
  expect(again.estimate.backfill_count).toBe(3);
});
