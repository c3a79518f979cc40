import { beforeAll, describe, expect, test } from "vitest";
import { freezeSnapshot } from "../../../src/agents/snapshot.ts";
import type { Caller } from "../../../src/api/caller.ts";
import { json } from "../../../src/db/database.ts";
import { ensureSystemTools, SYSTEM_TOOLS } from "../../../src/tools/system-tools.ts";
import { ToolDefinition } from "../../../src/tools/tool-definition.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await ensure(app.admin);
});

const ensure = (caller: Caller) =>
  app.db.transaction().execute((tx) => ensureSystemTools(tx, caller, app.clock.now()));
const get = async (name: string) => (await app.send("GET", `/api/v1/tools/${name}`)).body;
const names = SYSTEM_TOOLS.map((tool) => tool.name).toSorted();

describe("built-in tools", () => {
  test("are definitions like any other", () => {
    for (const { definition } of SYSTEM_TOOLS) expect(ToolDefinition.parse(definition)).toEqual(definition);
  });

  test("are listed under the service System, without an issue", async () => {
    const { items } = (
      await app.send("GET", "/api/v1/tools/?search_fields=service_name&search_field_values=System")
    ).body;
    expect(items.map((tool: { name: string }) => tool.name).toSorted()).toEqual(names);
    for (const tool of items) {
      expect(tool).toMatchObject({ service_name: "System", version_number: 1, validation_issues: [] });
    }
    expect((await get("data_source_search")).fields).toEqual(["question", "doc"]);
  });

  test("can't be changed, deleted or joined", async () => {
    const hangup = await get("hangup");
    const { id, name, definition, service_id } = hangup;
    const refused = { status: 400, body: { detail: expect.stringContaining("built") } };
    expect(await app.send("PUT", "/api/v1/tools/", { id, name, definition, service_id })).toMatchObject(
      refused,
    );
    expect(await app.send("DELETE", "/api/v1/tools/hangup?reason=x")).toMatchObject(refused);
    const joining = changedName(definition, "mine");
    expect(
      await app.send("POST", "/api/v1/tools/", { name: "mine", definition: joining, service_id }),
    ).toMatchObject(refused);
    expect(await get("hangup")).toEqual(hangup);
  });

  test("are given once, however often and by however many at once", async () => {
    await Promise.all([ensure(app.admin), ensure(app.admin), ensure(app.admin)]);
    const { total_count } = (
      await app.send("GET", "/api/v1/services/?search_fields=name&search_field_values=System")
    ).body;
    expect(total_count).toBe(1);
    expect((await get("transfer")).version_number).toBe(1);
  });

  test("that an earlier program shipped differently get a new version", async () => {
    const { id, definition } = await get("deliver_greeting");
    const earlier = json({ ...definition, result: "earlier" });
    await app.db.updateTable("tools").set({ definition: earlier }).where("id", "=", id).execute();
    await ensure(app.admin);
    expect(await get("deliver_greeting")).toMatchObject({ definition, version_number: 2 });
    const { items } = (await app.send("GET", `/api/v1/tools/${id}/history`)).body;
    expect(items.map((item: { operation: string }) => item.operation)).toEqual(["create", "update"]);
  });

  test("are all there to do something: none is offered that this program can't do", async () => {
    const listed = (await app.send("GET", "/api/v1/tools/?limit=100")).body.items;
    const all = listed.map((tool: { name: string }) => tool.name);
    for (const name of ["web_search", "general_information_web", "summary"]) expect(all).not.toContain(name);
  });

  test("that an earlier program shipped and this one doesn't are taken away, from prompts too", async () => {
    const hangup = await get("hangup");
    const { id } = await app.db
      .insertInto("tools")
      .values({
        sub_organization_id: app.admin.sub_organization_id,
        service_id: hangup.service_id,
        name: "web_search",
        definition: json(changedName(hangup.definition, "web_search")),
        last_updated: app.clock.now().toISOString(),
        last_updated_by: "earlier",
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    const { prompt_id } = await createAgent(app, { script: "", systemTools: ["web_search", "hangup"] });
    await ensure(app.admin);
    expect((await app.send("GET", "/api/v1/tools/web_search")).status).toBe(404);
    const { body: prompt } = await app.send("GET", `/api/v1/prompts/${prompt_id}`);
    expect(prompt.tools).toEqual(["hangup"]);
    const versions = await app.db
      .selectFrom("tool_versions")
      .select("operation")
      .where("tool_id", "=", id)
      .execute();
    expect(versions).toEqual([{ operation: "delete" }]);
  });

  test("leave a sub-organization's own tool of the same name alone", async () => {
    const neighbour = await app.createNeighbour();
    const service = (await neighbour.send("POST", "/api/v1/services/", { name: "Own", description: "" }))
      .body;
    const definition = changedName((await get("hangup")).definition, "send_dtmf");
    await neighbour.send("POST", "/api/v1/tools/", {
      name: "send_dtmf",
      definition,
      service_id: service.id,
    });
    await ensure(neighbour.caller);
    const { items } = (await neighbour.send("GET", "/api/v1/tools/")).body;
    expect(items.map((tool: { name: string }) => tool.name).toSorted()).toEqual(names);
    expect((await neighbour.send("GET", "/api/v1/tools/send_dtmf")).body.service_name).toBe("Own");
  });
});

test("a session gets its tools in the order its prompt names them, each as it is then", async () => {
  const { agent_id } = await createAgent(app, { script: "", systemTools: ["transfer", "hangup"] });
  const transfer = await get("transfer");
  const { tools } = await freezeSnapshot(app.db, app.admin.sub_organization_id, agent_id, "draft");
  expect(tools).toEqual([
    {
      id: transfer.id,
      name: "transfer",
      version_number: 1,
      service_id: transfer.service_id,
      is_system: true,
      definition: transfer.definition,
    },
    expect.objectContaining({ name: "hangup" }),
  ]);
});

const changedName = (definition: ToolDefinition, name: string): ToolDefinition => ({
  ...definition,
  tool: { ...definition.tool, function: { ...definition.tool.function, name } },
});
