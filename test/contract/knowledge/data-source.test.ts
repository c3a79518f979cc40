import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { DataSourceDetailResponse } from "../../../src/knowledge/data-source.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/data_sources/";
const create = async (input: object) =>
  (await app.send("POST", path, { chunk: false, text: "t", ...input })).body;
const get = (id: number) => app.send("GET", `${path}${id}`);

describe("data sources", () => {
  test("a created source comes back with every field of its contract, its text included", async () => {
    const { status, body } = await app.send("POST", path, { name: "faq", chunk: true, text: "About us." });
    expect(status).toBe(200);
    expect(body).toEqual({
      name: "faq",
      description: null,
      labels: [],
      chunk: true,
      chunk_delimiter: null,
      id: expect.any(Number),
      edit_comments: null,
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      text: "About us.",
    });
    expect((await get(body.id)).body).toEqual(body);
    expect(DataSourceDetailResponse.parse(body)).toEqual(body);
  });

  test("a delimiter that cuts a text into more parts than can be searched is refused, and nothing is stored", async () => {
    const letters = { name: "letters", chunk: true, chunk_delimiter: "e", text: "ae".repeat(20_001) };
    expect(await app.send("POST", path, letters)).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["body", "chunk_delimiter"],
            msg: "The text has 20001 parts between delimiters, and at most 20000 can be searched. Choose a delimiter that stands less often, or divide the text among several data sources",
          },
        ],
      },
    });
    expect((await create({ ...letters, chunk_delimiter: "\n" })).id).toEqual(expect.any(Number));
  });

  test("a list goes without texts", async () => {
    const { text: _, ...listed } = await create({ name: "listed", labels: ["opening hours"] });
    const { body } = await app.send("GET", `${path}?search_fields=name&search_field_values=LISTED`);
    expect(body.items).toEqual([listed]);
  });

  test("an update replaces everything; what is omitted is gone", async () => {
    const made = await create({ name: "before", description: "d", labels: ["l"], chunk_delimiter: "--" });
    app.clock.advance(60_000);
    const sent = { id: made.id, name: "after", chunk: true, text: "u", edit_comments: "c" };
    const { status, body } = await app.send("PUT", path, sent);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...made,
      ...sent,
      description: null,
      labels: [],
      chunk_delimiter: null,
      updated_at: "2026-11-18T12:01:00+00:00",
    });
    expect((await get(made.id)).body).toEqual(body);
  });

  test("a name is unique among sources that are not deleted", async () => {
    const made = await create({ name: "twice" });
    const again = { name: "twice", chunk: false, text: "" };
    expect(await app.send("POST", path, again)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("already exists") },
    });
    expect((await app.send("DELETE", `${path}${made.id}?reason=test`)).body).toEqual({ success: true });
    expect((await get(made.id)).status).toBe(404);
    expect((await app.send("POST", path, again)).status).toBe(200);
  });

  test("what a tool, an agent or its published version names stays, and keeps its name, until nothing does or another source has the label", async () => {
    const opening = await create({ name: "opening", labels: ["hours"] });
    const parking = await create({ name: "parking" });
    const prices = await create({ name: "prices" });
    const remove = async (id: number) => {
      const { status, body } = await app.send("DELETE", `${path}${id}?reason=test`);
      return status === 200 ? "deleted" : body.detail;
    };
    const doc = (...names: string[]) => [
      { tool_name: "data_source_search", default_values: [{ field_name: "doc", default_value: names }] },
    ];
    const { agent_id } = await createAgent(app, {
      script: 'on /x/ -> say "y"',
      systemTools: ["data_source_search"],
      agent: { name: "Clinic", prompt_tool_defaults: doc("hours", "parking") },
    });
    const guide = {
      ...endpointTool("guide", "http://127.0.0.1:9/"),
      static_parameters: [{ name: "doc", type: "data_source_list", required: true, default: ["prices"] }],
    };
    const { items } = (await app.send("GET", "/api/v1/services/")).body;
    const service_id = items.find(({ name }: { name: string }) => name.startsWith("Service")).id;
    await app.send("POST", "/api/v1/tools/", { name: "guide", definition: guide, service_id });

    expect(await remove(opening.id)).toBe(
      'Cannot delete data source "opening" while it is used by agent "Clinic".',
    );
    expect(await remove(prices.id)).toBe(
      'Cannot delete data source "prices" while it is used by tool "guide".',
    );
    expect((await get(prices.id)).body.text).toBe("t");
    const change = async (before: object, after: object) => {
      const { status, body } = await app.send("PUT", path, { ...before, ...after });
      return status === 200 ? "changed" : body.detail;
    };
    expect(await change(prices, { name: "fees" })).toBe(
      'Cannot rename data source "prices" while it is used by tool "guide". Keep the old name among its labels.',
    );
    expect(await change(prices, { name: "fees", labels: ["prices"] })).toBe("changed");
    expect(await change(prices, {})).toBe("changed");
    expect(await change(opening, { name: "times" })).toBe("changed");
    expect(await change(opening, {})).toBe("changed");
    await create({ name: "holidays", labels: ["hours"] });
    expect(await remove(opening.id)).toBe("deleted");

    await app.send("POST", `/api/v1/agents/${agent_id}/versions`, {});
    const agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
    await app.send("PUT", "/api/v1/agents/", { ...agent, prompt_tool_defaults: [] });
    expect(await remove(parking.id)).toContain('while it is used by version 1 of agent "Clinic".');
    await app.send("POST", `/api/v1/agents/${agent_id}/versions`, {});
    expect(await remove(parking.id)).toBe("deleted");
    await app.send("DELETE", "/api/v1/tools/guide?reason=test");
    expect(await remove(prices.id)).toBe("deleted");
  });

  test("a neighbour's source answers 404 like one that never was", async () => {
    const made = await create({ name: "mine" });
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${path}${made.id}`],
      ["PUT", path, { id: made.id, name: "taken", chunk: false, text: "" }],
      ["DELETE", `${path}${made.id}?reason=x`],
    ] as const) {
      expect(await neighbour.send(method, url, body)).toMatchObject({
        status: 404,
        body: { detail: `Data source with ID ${made.id} not found` },
      });
    }
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
  });

  test.each([
    ["no name", { name: undefined }, ["name"], "missing"],
    ["an empty name", { name: "" }, ["name"], "string_too_short"],
    ["a name with blanks", { name: "opening hours" }, ["name"], "string_pattern_mismatch"],
    ["no chunk", { chunk: undefined }, ["chunk"], "missing"],
    ["a chunk of null", { chunk: null }, ["chunk"], "bool_type"],
    ["no text", { text: undefined }, ["text"], "missing"],
    ["one label for a list", { labels: "l" }, ["labels"], "list_type"],
    ["labels of null", { labels: null }, ["labels"], "list_type"],
  ])("%s is refused at its place", async (_, more, at, type) => {
    const answer = await app.send("POST", path, { name: "refused", chunk: false, text: "", ...more });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toEqual({ loc: ["body", ...at], msg: expect.any(String), type });
  });

  test("sources are searched, ordered and paged as every list", async () => {
    for (const name of ["list-b", "list-a", "list-c"]) {
      await create({ name, labels: ["of lists"], chunk: name === "list-c" });
    }
    const search = "search_fields=labels&search_field_values=OF%20lists";
    const { body } = await app.send("GET", `${path}?${search}&order_by=name&order_by_direction=desc&limit=2`);
    expect(body).toMatchObject({ page: 0, page_size: 2, total_pages: 2, total_count: 3 });
    expect(body.items.map((item: { name: string }) => item.name)).toEqual(["list-c", "list-b"]);
    const chunked = await app.send("GET", `${path}?${search}&search_fields=chunk&search_field_values=true`);
    expect(chunked.body.items.map((item: { name: string }) => item.name)).toEqual(["list-c"]);
  });

  test("whatever source is accepted comes back equal", async () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 }).filter((value) => !value.includes("\0"));
    const source = fc.record({
      name: fc.stringMatching(/^[^\s\0]{1,30}$/),
      description: fc.option(text),
      labels: fc.array(text, { maxLength: 3 }),
      chunk: fc.boolean(),
      chunk_delimiter: fc.option(text),
      text,
      edit_comments: fc.option(text),
    });
    const { id } = await create({ name: "any" });
    await fc.assert(
      fc.asyncProperty(source, async (sent) => {
        const { status, body } = await app.send("PUT", path, { id, ...sent });
        expect(status).toBe(200);
        expect(body).toMatchObject(sent);
        expect((await get(id)).body).toEqual(body);
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
