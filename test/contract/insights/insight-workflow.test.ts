import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { NO_CONDITIONS } from "../../../src/insights/conditions.ts";
import { InsightWorkflowOutput } from "../../../src/insights/workflow-schema.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf } from "../../harness/insights.ts";
import { rounds } from "../../harness/seed.ts";
import { createSender } from "../../harness/sender.ts";

const path = "/api/v1/insights/workflows";

let app: TestApp;
let make: ReturnType<typeof insightsOf>;
let agent_id: number;
let tool: { id: number };
beforeAll(async () => {
  app = await createTestApp();
  make = insightsOf(app);
  ({ agent_id } = await createSender(app, app.admin, { target: "+19032900844" }));
  tool = await make.tool();
});

const input = (more: object = {}) => ({
  name: "analysis",
  source: "agent",
  description: "Looks",
  insight_tool_ids: [tool.id],
  conditions: {},
  ...more,
});
const put = (id: number, body: object) => app.send("PUT", `${path}/${id}`, body);
const NOTHING = {
  backfill_count: 0,
  backfill_duration: 0,
  estimated_daily_count: 0,
  estimated_daily_duration: 0,
  estimated_daily_cost: 0,
  estimated_backfill_cost: 0,
};

describe("an insight workflow", () => {
  test("is created inactive, read, listed, updated and deleted", async () => {
    const { body: created, status } = await app.send("POST", path, input({ name: "life" }));
    expect(status, JSON.stringify(created)).toBe(200);
    expect(created).toEqual({
      ...input({ name: "life" }),
      conditions: NO_CONDITIONS,
      start_datetime: null,
      end_datetime: null,
      id: expect.any(Number),
      insight_tools: [expect.objectContaining({ id: tool.id, version: 1 })],
      status: "INACTIVE",
      estimate: NOTHING,
      queue_count: 0,
      failed_count: 0,
      created_at: "2026-11-18T12:00:00+00:00",
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      last_folder_upload_at: null,
    });
    expect((await app.send("GET", `${path}/${created.id}`)).body).toEqual(created);
    const listed = await app.send("GET", `${path}/?search_fields=name_exact&search_field_values=life`);
    expect(listed.body).toEqual({ items: [created], page: 0, page_size: 25, total_pages: 1, total_count: 1 });

    app.clock.advance(60_000);
    const conditions = { ...NO_CONDITIONS, min_duration: 10, sample_rate: 2.5, agent_list: [agent_id] };
    const updated = await put(created.id, input({ name: "life", conditions, insight_tool_ids: [] }));
    expect(updated).toMatchObject({
      status: 200,
      body: { conditions, insight_tool_ids: [], insight_tools: [], updated_at: "2026-11-18T12:01:00+00:00" },
    });
    expect((await app.send("DELETE", `${path}/${created.id}`)).body).toEqual({ success: true });
    for (const [method, url, body] of [
      ["GET", `${path}/${created.id}`],
      ["PUT", `${path}/${created.id}`, input()],
      ["PUT", `${path}/${created.id}/activate`, { is_acknowledged: true, estimate: NOTHING }],
      ["PUT", `${path}/${created.id}/inactivate`],
      ["DELETE", `${path}/${created.id}`],
    ] as const) {
      expect(await app.send(method, url, body), `${method} ${url}`).toMatchObject({
        status: 404,
        body: { detail: `Insight workflow with ID ${created.id} not found` },
      });
    }
  });

  test("answers 17 fields, and 10 for each of its tools, in their order", async () => {
    const [first, second] = [await make.tool(), await make.tool()];
    const { id } = await make.workflow({ insight_tool_ids: [second.id, first.id] });
    const { body } = await app.send("GET", `${path}/${id}`);
    expect(Object.keys(body)).toHaveLength(17);
    // The first is there in an estimate's place only, the second where something is to be told.
    expect(["estimate_problem", "validation_issues", ...Object.keys(body)].toSorted()).toEqual(
      Object.keys(InsightWorkflowOutput.shape).toSorted(),
    );
    InsightWorkflowOutput.parse(body);
    expect(body.insight_tool_ids).toEqual([second.id, first.id]);
    expect(body.insight_tools.map(({ id }: { id: number }) => id)).toEqual([second.id, first.id]);
    for (const shown of body.insight_tools) {
      expect(Object.keys(shown)).toHaveLength(10);
      const { validation_issues, ...record } = (
        await app.send("GET", `/api/v1/insights/tool-configurations/${shown.id}`)
      ).body;
      expect(shown).toEqual(record);
    }
  });

  test("what it answers can be sent back as it is", async () => {
    const { body } = await app.send("POST", path, input({ name: "back", start_datetime: "2026-11-01" }));
    const again = await put(body.id, body);
    expect(again).toMatchObject({ status: 200, body });
  });

  test("a neighbour's answers 404 like one that never was, and is not listed", async () => {
    const { id, name } = await make.workflow();
    const neighbour = await app.createNeighbour();
    for (const [method, url, body] of [
      ["GET", `${path}/${id}`],
      ["PUT", `${path}/${id}`, input({ insight_tool_ids: [] })],
      ["PUT", `${path}/${id}/activate`, { is_acknowledged: true, estimate: NOTHING }],
      ["PUT", `${path}/${id}/inactivate`],
      ["DELETE", `${path}/${id}`],
      ["POST", `${path}/queue-work`, { workflow_name: name, session_id_list: [1] }],
    ] as const) {
      expect((await neighbour.send(method, url, body)).status, `${method} ${url}`).toBe(404);
    }
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
  });

  test("a tool, folder or agent of a neighbour, or that never was, is a 404", async () => {
    const neighbour = await app.createNeighbour();
    const theirs = insightsOf({ ...app, send: neighbour.send });
    const folder = (await theirs.folder()).id;
    const their_tool = (await theirs.tool()).id;
    const their_agent = (await createSender(app, neighbour.caller, { target: "+19032900845" })).agent_id;
    for (const [more, detail] of [
      [
        { insight_tool_ids: [tool.id, their_tool] },
        `Insight tool configuration with ID ${their_tool} not found`,
      ],
      [{ insight_tool_ids: [999_999] }, "Insight tool configuration with ID 999999 not found"],
      [{ conditions: { folder_list: [folder] } }, `Folder with ID ${folder} not found`],
      [{ conditions: { folder_list: [999_999] } }, "Folder with ID 999999 not found"],
      [{ conditions: { agent_list: [agent_id, their_agent] } }, `Agent with ID ${their_agent} not found`],
    ] as const) {
      const { id } = await make.workflow();
      for (const answer of [
        await app.send("POST", path, input({ name: "no", ...more })),
        await put(id, input(more)),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { detail } });
      }
    }
  });

  test("a name is unique among those that are not deleted", async () => {
    const { id, name } = await make.workflow();
    const again = { status: 400, body: { detail: expect.stringContaining("already exists") } };
    expect(await app.send("POST", path, input({ name }))).toMatchObject(again);
    await app.send("DELETE", `${path}/${id}`);
    expect((await app.send("POST", path, input({ name }))).status).toBe(200);
  });

  test.each([
    [{ name: undefined }, ["name"], "missing"],
    [{ name: "" }, ["name"], "string_too_short"],
    [{ source: "phone" }, ["source"], "enum"],
    [{ description: undefined }, ["description"], "missing"],
    [{ insight_tool_ids: undefined }, ["insight_tool_ids"], "missing"],
    [{ insight_tool_ids: ["x"] }, ["insight_tool_ids", 0], "int_parsing"],
    [{ insight_tool_ids: [7, 8, 7] }, ["insight_tool_ids", 2], "value_error"],
    [{ conditions: undefined }, ["conditions"], "missing"],
    [{ conditions: { min_durations: 3 } }, ["conditions", "min_durations"], "extra_forbidden"],
    [{ conditions: { min_duration: -1 } }, ["conditions", "min_duration"], "greater_than_equal"],
    [{ conditions: { min_duration: 9, max_duration: 8 } }, ["conditions", "max_duration"], "value_error"],
    [{ conditions: { sample_rate: 101 } }, ["conditions", "sample_rate"], "less_than_equal"],
    [{ conditions: { sample_rate: "10" } }, ["conditions", "sample_rate"], "float_parsing"],
    [{ conditions: { prompt_list: [1] } }, ["conditions", "prompt_list", 0], "string_type"],
    [{ conditions: { folder_list: 1 } }, ["conditions", "folder_list"], "list_type"],
    [
      { conditions: { sheet_info: { sheet_id: 1 } } },
      ["conditions", "sheet_info", "sheet_id"],
      "string_type",
    ],
    [{ start_datetime: "2026-02-30" }, ["start_datetime"], "datetime_parsing"],
    [{ start_datetime: "2026-11-02", end_datetime: "2026-11-01" }, ["end_datetime"], "value_error"],
  ])("a body that breaks the contract is refused at its place: %j", async (more, loc, type) => {
    const { id } = await make.workflow();
    for (const answer of [await app.send("POST", path, input(more)), await put(id, input(more))]) {
      expect(answer.status).toBe(422);
      expect(answer.body.detail).toEqual([{ loc: ["body", ...loc], msg: expect.any(String), type }]);
    }
  });

  test("lists are searched, ordered and paged by the same rules as every list", async () => {
    const other = await make.tool();
    for (const letter of ["a", "b", "c"]) {
      const conditions = { prompt_list: [`only ${letter}`] };
      await make.workflow({ name: `list ${letter}`, conditions, insight_tool_ids: [other.id] });
    }
    const names = async (query: string) => {
      const { status, body } = await app.send("GET", `${path}?${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.items.map(({ name }: { name: string }) => name);
    };
    const search = (field: string, value: string | number) =>
      `search_fields=${field}&search_field_values=${value}`;
    expect(await names(`${search("name", "LIST")}&order_by=name&order_by_direction=desc&limit=2`)).toEqual([
      "list c",
      "list b",
    ]);
    expect(await names(search("insight_tool_ids", other.id))).toEqual(["list a", "list b", "list c"]);
    expect(await names(search("conditions", "ONLY B"))).toEqual(["list b"]);
    expect(await names(search("status", "ACTIVE"))).toEqual(["summary-workflow"]);
    for (const field of [
      "id",
      "name",
      "description",
      "status",
      "conditions",
      "insight_tool_ids",
      "updated_at",
    ]) {
      await names(`order_by=${field}`);
    }
    const wrong = await app.send("GET", `${path}?${search("insight_tool_ids", "x")}`);
    expect(wrong).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "search_field_values", 0] }] },
    });
  });

  test("each change writes one audit entry", async () => {
    const { id } = await make.workflow({ insight_tool_ids: [tool.id] });
    await put(id, input({ name: "audited" }));
    await make.activate(id);
    await put(id, input({ name: "refused" }));
    await app.send("PUT", `${path}/${id}/inactivate`);
    await app.send("DELETE", `${path}/${id}`);
    const entries = await app.db
      .selectFrom("audit_entries")
      .select("action")
      .where("resource", "=", "insight_workflows")
      .where("resource_id", "=", String(id))
      .orderBy("id")
      .execute();
    expect(entries.map(({ action }) => action)).toEqual([
      "create",
      "update",
      "activate",
      "inactivate",
      "delete",
    ]);
  });

  test("reading, changing and deleting need their own permission", async () => {
    const { id, name } = await make.workflow();
    const send = app.sendAs(await app.createToken(["sessions_read"]));
    for (const [method, url, body, permission] of [
      ["GET", path, undefined, "insights_read"],
      ["GET", `${path}/${id}`, undefined, "insights_read"],
      ["POST", path, input(), "insights_write"],
      ["PUT", `${path}/${id}`, input(), "insights_write"],
      ["PUT", `${path}/${id}/activate`, {}, "insights_write"],
      ["PUT", `${path}/${id}/inactivate`, undefined, "insights_write"],
      ["POST", `${path}/queue-work`, { workflow_name: name }, "insights_write"],
      ["DELETE", `${path}/${id}`, undefined, "insights_delete"],
    ] as const) {
      expect(await send(method, url, body)).toMatchObject({
        status: 403,
        body: { detail: `Missing permission: ${permission}` },
      });
    }
  });
});

test("the default workflow sums up every session and is active from the start", async () => {
  const { body } = await app.send(
    "GET",
    `${path}?search_fields=name_exact&search_field_values=summary-workflow`,
  );
  expect(body.items).toMatchObject([
    {
      source: "agent",
      status: "ACTIVE",
      conditions: NO_CONDITIONS,
      start_datetime: null,
      insight_tools: [
        {
          name: "summary-tool",
          version: 1,
          insight_tool_definition_id: 1,
          tool_arguments: {
            outputs: [
              { name: "summary", type: "string" },
              { name: "rating", type: "string", return_values: ["Good", "OK", "Bad"] },
            ],
          },
        },
      ],
    },
  ]);
  const { id } = body.items[0].insight_tools[0];
  const shipped = await app.send("GET", `/api/v1/insights/tool-configurations/${id}`);
  expect(shipped.body.validation_issues).toEqual([]);
});

test("a name in the lists that no agent and no prompt has is stored, and whoever reads the workflow is warned of it", async () => {
  const agent = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
  const conditions = {
    agent_list: [agent.name, "Frnt desk", String(agent_id), "999999999999999"],
    prompt_list: [agent.prompt.name, "Recepton"],
  };
  const { body: made } = await app.send("POST", path, input({ name: "misspelt", conditions }));
  const warned = [
    { id: "unknown-agent", severity: "warning", path: "$.conditions.agent_list[1]", value: "Frnt desk" },
    { id: "unknown-agent", path: "$.conditions.agent_list[3]", value: "999999999999999" },
    { id: "unknown-prompt", path: "$.conditions.prompt_list[1]", value: "Recepton" },
  ];
  expect(made).toMatchObject({ conditions, validation_issues: warned });
  expect((await app.send("GET", `${path}/${made.id}`)).body).toEqual(made);
  const listed = await app.send("GET", `${path}/?search_fields=name_exact&search_field_values=misspelt`);
  expect(listed.body.items).toEqual([made]);
  // Recordings name people.
  const { body: over } = await put(made.id, input({ name: "misspelt", source: "upload", conditions }));
  expect(over).not.toHaveProperty("validation_issues");
});

test("any body the contract accepts comes back, and is read back, as it was sent", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !value.includes("\0"));
  const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 });
  const folders = [(await make.folder()).id, (await make.folder()).id];
  const conditions = fc
    .record(
      {
        min_duration: nullable(fc.integer({ min: 0, max: 100 })),
        max_duration: nullable(fc.integer({ min: 100, max: 2 ** 40 })),
        sample_rate: nullable(
          fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 100, noNaN: true })),
        ),
        agent_list: nullable(
          fc.oneof(fc.constant([agent_id]), fc.array(text, { minLength: 1 }), fc.constant([])),
        ),
        prompt_list: nullable(fc.array(text)),
        folder_list: nullable(fc.subarray(folders)),
        sheet_info: nullable(
          fc.dictionary(
            text.filter((key) => key !== "__proto__"),
            text,
          ),
        ),
      },
      { requiredKeys: [] },
    )
    .map((given) => ({ ...given }));
  const date = fc
    .date({ min: new Date("2020-01-01"), max: new Date("2029-12-31"), noInvalidDate: true })
    .map((at) => at.toISOString());
  const body = fc.record(
    {
      name: text.filter((value) => value !== ""),
      source: fc.constantFrom("agent", "transfer", "upload", "sheet", "manual"),
      description: text,
      insight_tool_ids: fc.constantFrom([], [tool.id]),
      conditions,
      start_datetime: nullable(date),
    },
    { requiredKeys: ["name", "source", "description", "insight_tool_ids", "conditions"] },
  );
  const { id } = await make.workflow();
  await fc.assert(
    fc.asyncProperty(body, async (given) => {
      const sent = JSON.parse(JSON.stringify(given));
      const answer = await put(id, sent);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const { start_datetime, conditions, ...plain } = sent;
      expect(answer.body).toMatchObject({ ...plain, end_datetime: null });
      expect(answer.body.conditions).toEqual({ ...NO_CONDITIONS, ...conditions });
      expect(answer.body.start_datetime && Date.parse(answer.body.start_datetime)).toBe(
        start_datetime ? Date.parse(start_datetime) : null,
      );
      expect((await app.send("GET", `${path}/${id}`)).body).toEqual(answer.body);
    }),
    { numRuns: rounds(100) },
  );
});
