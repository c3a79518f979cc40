import { beforeAll, describe, expect, test } from "vitest";
import { json } from "../../../src/db/database.ts";
import { changed } from "../../../src/tools/tool-definition.examples.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { waitForLocks } from "../../harness/waiting.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  service_id = (await app.send("POST", "/api/v1/services/", { name: "Clinic", description: "" })).body.id;
});

const endpointTool = (name: string, more: object = {}) => ({
  type: "endpoint",
  tool: {
    type: "function",
    function: {
      name,
      description: "Looks something up",
      parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    },
  },
  endpoint: { url: "https://clinic.example/search", method: "get", argument_location: "query" },
  ...more,
});
const body = (name: string, more: object = {}) => ({
  name,
  definition: endpointTool(name, more),
  service_id,
});
const post = (input: unknown) => app.send("POST", "/api/v1/tools/", input);
const create = async (name: string, more: object = {}) => {
  const { status, body: tool } = await post(body(name, more));
  expect(status).toBe(200);
  return tool;
};

/** A prompt that offers these tools, and an agent that uses it. */
async function usePrompt(name: string, tool_ids: number[], session_end_tool_id: number | null = null) {
  const stamp = { last_updated: app.clock.now().toISOString(), last_updated_by: "x@example.com" };
  const { sub_organization_id } = app.admin;
  const prompt = await app.db
    .insertInto("prompts")
    .values({ sub_organization_id, name, type: "t", llm_config: json({}), session_end_tool_id, ...stamp })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const [position, tool_id] of tool_ids.entries()) {
    await app.db.insertInto("prompt_tools").values({ prompt_id: prompt.id, tool_id, position }).execute();
  }
  const agent = await app.db
    .insertInto("agents")
    .values({
      sub_organization_id,
      name: `${name} agent`,
      type: "ca_v1",
      prompt_id: prompt.id,
      timezone: "UTC",
      prompt_tool_defaults: json([]),
      variables: json({}),
      updated_at: stamp.last_updated,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { prompt: { id: prompt.id, name }, agent: { id: agent.id, name: `${name} agent` } };
}

describe("tools", () => {
  test("a created tool is answered whole, and found by its name", async () => {
    const made = await create("search_slots", {
      static_parameters: [{ name: "clinic", required: true, type: "string", default: "north" }],
    });
    expect(made).toEqual({
      ...body("search_slots"),
      definition: { ...endpointTool("search_slots"), static_parameters: made.definition.static_parameters },
      id: expect.any(Number),
      service_name: "Clinic",
      last_updated_comments: null,
      prompts_info: [],
      agents_info: [],
      last_updated: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      version_number: 1,
      validation_issues: [],
    });
    const found = await app.send("GET", "/api/v1/tools/search_slots");
    expect(found).toMatchObject({ status: 200, body: { ...made, fields: ["q", "clinic"] } });
  });

  test("a tool whose name no model can take, as was allowed once, is still read and deleted by it", async () => {
    const name = "a/b?c#d%20ü";
    const { id } = await create("of_before");
    await app.db.updateTable("tools").set({ name }).where("id", "=", id).execute();
    const url = `/api/v1/tools/${encodeURIComponent(name)}`;
    expect(await app.send("GET", url)).toMatchObject({ status: 200, body: { id, name } });
    expect((await app.send("DELETE", `${url}?reason=x`)).status).toBe(200);
  });

  test("an update replaces the tool, counts its version, and is kept with its comment", async () => {
    const made = await create("replaced", { options: { propagate_tool_result: true } });
    app.clock.advance(60_000);
    const { body: updated } = await app.send("PUT", "/api/v1/tools/", {
      ...body("renamed"),
      id: made.id,
      last_updated_comments: "Renamed it",
    });
    expect(updated).toMatchObject({
      id: made.id,
      name: "renamed",
      version_number: 2,
      last_updated_comments: "Renamed it",
      last_updated: app.clock.now().toISOString().replace(".000Z", "+00:00"),
    });
    expect(updated.definition).not.toHaveProperty("options");
    expect((await app.send("GET", "/api/v1/tools/replaced")).status).toBe(404);
    expect((await app.send("GET", "/api/v1/tools/renamed")).body.id).toBe(made.id);
  });

  test("a tool is changed and deleted while it is put to another service", async () => {
    const tool = await create("moving");
    const other = (await app.send("POST", "/api/v1/services/", { name: "Other", description: "" })).body.id;
    const requests = [
      () => app.send("PUT", "/api/v1/tools/", { id: tool.id, ...body("moving", { timeout: 5 }) }),
      () => app.send("DELETE", "/api/v1/tools/moving?reason=x"),
    ];
    for (const request of requests) {
      const [answered] = await app.db.transaction().execute(async (tx) => {
        await tx.updateTable("tools").set({ service_id: other }).where("id", "=", tool.id).execute();
        const answer = request();
        await waitForLocks(app.database.pool, 1);
        return [answer];
      });
      expect(await answered).toMatchObject({ status: 200 });
    }
  });

  test("a deleted tool is gone, and its name is free again", async () => {
    const made = await create("short_lived");
    expect(await app.send("DELETE", "/api/v1/tools/short_lived")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "reason"], type: "missing" }] },
    });
    const deleted = await app.send("DELETE", "/api/v1/tools/short_lived?reason=unused");
    expect(deleted).toMatchObject({ status: 200, body: { success: true } });
    for (const [method, url] of [
      ["GET", "/api/v1/tools/short_lived"],
      ["DELETE", "/api/v1/tools/short_lived?reason=again"],
    ] as const) {
      expect(await app.send(method, url)).toMatchObject({
        status: 404,
        body: { detail: "Tool with name short_lived not found" },
      });
    }
    expect((await app.send("PUT", "/api/v1/tools/", { ...body("short_lived"), id: made.id })).status).toBe(
      404,
    );
    await create("short_lived");
  });

  test("prompts and agents that use a tool are named with it, and keep it from being deleted", async () => {
    const offered = await create("offered");
    const ending = await create("ending");
    const { prompt, agent } = await usePrompt("Reception", [offered.id], ending.id);
    for (const name of ["offered", "ending"]) {
      const { body: tool } = await app.send("GET", `/api/v1/tools/${name}`);
      expect(tool).toMatchObject({ prompts_info: [prompt], agents_info: [agent] });
      expect(await app.send("DELETE", `/api/v1/tools/${name}?reason=x`)).toMatchObject({
        status: 400,
        body: { detail: `Cannot delete tool "${name}" while it is used by prompt "Reception".` },
      });
    }
    await app.db.updateTable("agents").set({ deleted_at: "now()" }).where("id", "=", agent.id).execute();
    await app.db.updateTable("prompts").set({ deleted_at: "now()" }).where("id", "=", prompt.id).execute();
    expect((await app.send("GET", "/api/v1/tools/offered")).body).toMatchObject({
      prompts_info: [],
      agents_info: [],
    });
    expect((await app.send("DELETE", "/api/v1/tools/offered?reason=x")).status).toBe(200);
  });

  test("a neighbour's tool answers 404 like one that never was, by name, id and history", async () => {
    const made = await create("mine");
    const neighbour = await app.createNeighbour();
    const theirs = (await neighbour.send("POST", "/api/v1/services/", { name: "S", description: "" })).body;
    for (const [method, url, input] of [
      ["GET", "/api/v1/tools/mine"],
      ["DELETE", "/api/v1/tools/mine?reason=x"],
      ["PUT", "/api/v1/tools/", { ...body("mine"), id: made.id, service_id: theirs.id }],
      ["GET", `/api/v1/tools/${made.id}/history`],
    ] as const) {
      const { status, body: answer } = await neighbour.send(method, url, input);
      expect(status).toBe(404);
      expect(answer.detail).toMatch(/^Tool with (name mine|ID \d+) not found$/);
    }
    const across = await neighbour.send("POST", "/api/v1/tools/", body("theirs"));
    expect(across).toMatchObject({ status: 400, body: { detail: "Service not found" } });
    expect(
      (await neighbour.send("POST", "/api/v1/tools/", { ...body("mine"), service_id: theirs.id })).status,
    ).toBe(200);
    expect((await app.send("GET", "/api/v1/tools/mine")).body.id).toBe(made.id);
  });

  test("lists are searched by every field, ordered and paged", async () => {
    const other = (await app.send("POST", "/api/v1/services/", { name: "Listed", description: "" })).body;
    for (const name of ["list_b", "list_a", "list_c"]) {
      const description = `finds ${name}`;
      const definition = changed(endpointTool(name), ["tool", "function", "description"], description);
      await post({ ...body(name), definition, service_id: other.id });
    }
    const list = async (query: string) =>
      (await app.send("GET", `/api/v1/tools?${query}`)).body.items.map((tool: { name: string }) => tool.name);
    const search = (field: string, value: unknown) =>
      list(`search_fields=${field}&search_field_values=${encodeURIComponent(String(value))}&order_by=name`);

    expect(await search("name", "LIST_")).toEqual(["list_a", "list_b", "list_c"]);
    expect(await search("service_name", "liste")).toEqual(["list_a", "list_b", "list_c"]);
    expect(await search("service_id", other.id)).toEqual(["list_a", "list_b", "list_c"]);
    expect(await search("definition", "finds list_b")).toEqual(["list_b"]);
    expect(await search("last_updated_by", "nobody")).toEqual([]);
    const inService = `search_fields=service_id&search_field_values=${other.id}`;
    expect(await list(`${inService}&order_by=name&order_by_direction=desc&limit=2`)).toEqual([
      "list_c",
      "list_b",
    ]);
    expect(await list(`${inService}&limit=2&page=1`)).toEqual(["list_c"]);
    const { items } = (await app.send("GET", `/api/v1/tools/?${inService}&fields=name&fields=id`)).body;
    expect(items[0]).toMatchObject({ name: "list_b", prompts_info: null, validation_issues: null });
    expect(items[0].definition.type).toBe("endpoint");
    expect((await app.send("GET", "/api/v1/tools/?order_by=version_number")).status).toBe(422);
  });

  test("each verb has its permission", async () => {
    const reader = app.sendAs(await app.createToken(["tools_read"]));
    expect((await reader("GET", "/api/v1/tools/")).status).toBe(200);
    for (const [method, url, permission] of [
      ["POST", "/api/v1/tools/", "tools_write"],
      ["PUT", "/api/v1/tools/", "tools_write"],
      ["DELETE", "/api/v1/tools/x?reason=x", "tools_delete"],
    ] as const) {
      expect(await reader(method, url, method === "DELETE" ? undefined : {})).toMatchObject({
        status: 403,
        body: { detail: `Missing permission: ${permission}` },
      });
    }
  });
});
