import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  service_id = (await app.send("POST", "/api/v1/services/", { name: "Clinic", description: "" })).body.id;
});

const body = (name: string, description: string) => ({
  name,
  service_id,
  definition: { tool: { function: { name, description, parameters: {} } }, context: {} },
});
const create = async (name: string) => (await app.send("POST", "/api/v1/tools/", body(name, "first"))).body;
const history = async (id: number, query = "") =>
  (await app.send("GET", `/api/v1/tools/${id}/history${query}`)).body;

describe("the history of a tool", () => {
  test("is every write in order, with the tool as it then stood, the deletion last", async () => {
    const { id } = await create("told");
    app.clock.advance(1000);
    const input = { ...body("retold", "second"), id, last_updated_comments: "Better words" };
    await app.send("PUT", "/api/v1/tools/", input);
    await app.send("PUT", "/api/v1/services/", { id: service_id, name: "Clinic 2", description: "" });
    await app.send("DELETE", "/api/v1/tools/retold?reason=unused");

    const { items, total_count } = await history(id);
    expect(total_count).toBe(3);
    const common = { tool_id: id, updated_by: "admin@example.com", service_id, type: "context" };
    expect(items).toEqual([
      {
        ...common,
        version_number: 1,
        created_at: "2026-11-18T12:00:00+00:00",
        comments: null,
        operation: "create",
        deleted_reason: null,
        service_name: "Clinic",
        name: "told",
        description: "first",
        definition: expect.objectContaining({ tool: expect.anything() }),
      },
      expect.objectContaining({
        ...common,
        version_number: 2,
        created_at: "2026-11-18T12:00:01+00:00",
        comments: "Better words",
        operation: "update",
        service_name: "Clinic",
        name: "retold",
        description: "second",
      }),
      expect.objectContaining({
        ...common,
        version_number: 3,
        comments: null,
        operation: "delete",
        deleted_reason: "unused",
        service_name: "Clinic 2",
      }),
    ]);
  });

  test("is paged, from either end", async () => {
    const { id } = await create("paged");
    for (let version = 2; version <= 5; version++) {
      await app.send("PUT", "/api/v1/tools/", { ...body("paged", String(version)), id });
    }
    const versions = async (query: string) =>
      (await history(id, query)).items.map((item: { version_number: number }) => item.version_number);
    expect(await versions("?limit=2&page=1")).toEqual([3, 4]);
    expect(await versions("?limit=2&order_by_direction=desc")).toEqual([5, 4]);
    expect(await versions("?page=7")).toEqual([]);
    expect(await history(id, "?limit=2")).toMatchObject({
      page: 0,
      page_size: 2,
      total_pages: 3,
      total_count: 5,
    });
  });

  test.each([
    ["?limit=0", "limit", "greater_than_equal"],
    ["?limit=101", "limit", "less_than_equal"],
    ["?page=-1", "page", "greater_than_equal"],
    ["?order_by_direction=up", "order_by_direction", "enum"],
  ])("refuses %s", async (query, field, type) => {
    const { id } = await create(`refused_${field}_${type}`);
    expect((await history(id, query)).detail).toEqual([
      { loc: ["query", field], msg: expect.any(String), type },
    ]);
  });

  test("of a tool that never was is not found, and an id is a number", async () => {
    const gone = await app.send("GET", "/api/v1/tools/999999/history");
    expect(gone).toMatchObject({ status: 404, body: { detail: "Tool with ID 999999 not found" } });
    expect(await app.send("GET", "/api/v1/tools/some_name/history")).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["path", "tool_id"], type: "int_parsing" }] },
    });
  });

  test("writers at once number their versions one after the other", async () => {
    const { id } = await create("contended");
    const writes = Array.from({ length: 8 }, (_, index) =>
      app.send("PUT", "/api/v1/tools/", { ...body("contended", String(index)), id }),
    );
    const answered = (await Promise.all(writes)).map(({ body }) => body.version_number);
    expect(answered.toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await history(id)).total_count).toBe(9);
  });

  test("a refused write leaves no version", async () => {
    const { id } = await create("kept");
    await create("in_the_way");
    const renamed = await app.send("PUT", "/api/v1/tools/", { ...body("in_the_way", ""), id });
    expect(renamed.status).toBe(400);
    expect((await history(id)).total_count).toBe(1);
    expect((await app.send("GET", "/api/v1/tools/kept")).body.version_number).toBe(1);
  });
});
