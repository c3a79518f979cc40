import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { InsightToolOutput, InsightToolResponse } from "../../../src/insights/tool-configuration-schema.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, llmArguments } from "../../harness/insights.ts";
import { serverDocument } from "../../harness/operations.ts";
import { rounds } from "../../harness/seed.ts";

const path = "/api/v1/insights/tool-configurations";

let app: TestApp;
let make: ReturnType<typeof insightsOf>;
beforeAll(async () => {
  app = await createTestApp();
  make = insightsOf(app);
});

const input = (more: object = {}) => ({
  name: "verdict",
  description: "Judges",
  version: 1,
  tool_arguments: llmArguments(),
  insight_tool_definition_id: 1,
  ...more,
});
const put = (id: number, body: object) => app.send("PUT", `${path}/${id}`, body);

describe("insight tool definitions", () => {
  test("are a fixed list whose ids never change", async () => {
    const { status, body } = await app.send("GET", "/api/v1/insights/tool-definitions");
    expect(status).toBe(200);
    expect(body.map(({ id, name }: { id: number; name: string }) => [id, name])).toEqual([
      [1, "llm_tool"],
      [2, "transcribe"],
      [3, "deepgram_transcribe"],
      [4, "http_tool"],
      [5, "regex_tool"],
    ]);
    for (const definition of body) {
      expect(Object.keys(definition).toSorted()).toEqual(
        ["description", "id", "name", "tool_parameters", "tool_result_set", "type"].toSorted(),
      );
    }
  });
});

describe("an insight tool configuration", () => {
  test("is created, read, listed, updated and deleted", async () => {
    const created = await app.send("POST", path, input({ name: "life" }));
    expect(created.status, JSON.stringify(created.body)).toBe(200);
    const { validation_issues, ...record } = created.body;
    expect(created.body).toEqual({
      ...input({ name: "life" }),
      id: expect.any(Number),
      insight_tool_definition: expect.objectContaining({ id: 1, name: "llm_tool" }),
      created_at: "2026-11-18T12:00:00+00:00",
      updated_at: "2026-11-18T12:00:00+00:00",
      last_updated_by: "admin@example.com",
      validation_issues: [],
    });
    expect((await app.send("GET", `${path}/${record.id}`)).body).toEqual(created.body);
    const listed = await app.send("GET", `${path}?search_fields=name_exact&search_field_values=life`);
    expect(listed.body).toEqual({ items: [record], page: 0, page_size: 25, total_pages: 1, total_count: 1 });

    app.clock.advance(60_000);
    const updated = await put(record.id, input({ name: "life", description: "again", version: 2 }));
    expect(updated).toMatchObject({
      status: 200,
      body: { ...record, description: "again", version: 2, updated_at: "2026-11-18T12:01:00+00:00" },
    });
    expect(await app.send("DELETE", `${path}/${record.id}`)).toMatchObject({
      status: 200,
      body: { success: true },
    });
    for (const [method, body] of [["GET"], ["PUT", input()], ["DELETE"]] as const) {
      expect(await app.send(method, `${path}/${record.id}`, body)).toMatchObject({
        status: 404,
        body: { detail: `Insight tool configuration with ID ${record.id} not found` },
      });
    }
  });

  test("warns of what its prompt names and never has, and of no output of another tool", async () => {
    await make.tool({ tool_arguments: llmArguments({ outputs: [{ name: "topic", type: "string" }] }) });
    await make.tool({ insight_tool_definition_id: 5, tool_arguments: { pattern: "refund" } });
    const found = async (prompt: string) => {
      const made = await make.tool({ tool_arguments: llmArguments({ prompt }) });
      expect((await app.send("GET", `${path}/${made.id}`)).body).toEqual(made);
      return made.validation_issues;
    };
    expect(await found("{{ insights.topik }} {{ vars.session.date }} {{ insights.topic }")).toEqual(
      [
        [
          "template-never-filled",
          "{{ insights.topic } is no template: the second brace at its end is missing.",
        ],
        [
          "unknown-insight",
          'No insight tool has an output "topik", so insights.topik has no value; "topic" may be meant.',
        ],
        [
          "no-insight",
          "vars.session.date has no value here: a prompt of an insight tool reads only {{ insights.<output> }}.",
        ],
      ].map(([id, message]) => ({
        id,
        severity: "warning",
        message,
        path: "$.tool_arguments.prompt",
        value: expect.any(String),
      })),
    );
    const known = `{{ insights.topic }} \${insights.matched} {{ insights }} {{ vars.insights.summary }}`;
    const text = `{name} \\{{ name }} \${date=today} {"a": 1}`;
    expect(await found(`${known} ${text}`)).toEqual([]);
  });

  test("warns of no output where a service answers, which may give any", async () => {
    const neighbour = await app.createNeighbour();
    const of = insightsOf({ ...app, ...neighbour });
    const asks = () => of.tool({ tool_arguments: llmArguments({ prompt: "{{ insights.score }}" }) });
    expect((await asks()).validation_issues).toMatchObject([{ id: "unknown-insight" }]);
    await of.tool({ insight_tool_definition_id: 4, tool_arguments: { url: "https://scores.example/" } });
    expect((await asks()).validation_issues).toEqual([]);
  });

  test("answers exactly the fields of its contract", async () => {
    const { id } = await make.tool();
    expect(Object.keys((await app.send("GET", `${path}/${id}`)).body).toSorted()).toEqual(
      Object.keys(InsightToolResponse.shape).toSorted(),
    );
    const { items } = (await app.send("GET", path)).body;
    for (const item of items) {
      expect(Object.keys(item).toSorted()).toEqual(Object.keys(InsightToolOutput.shape).toSorted());
      InsightToolOutput.parse(item);
    }
  });

  test("an id that is no number names nothing: GET answers 404, the others 422", async () => {
    expect((await app.send("GET", `${path}/verdict`)).status).toBe(404);
    expect((await app.send("PUT", `${path}/verdict`, input())).status).toBe(422);
    expect((await app.send("DELETE", `${path}/verdict`)).status).toBe(422);
  });

  test("a neighbour's answers 404 like one that never was, and is not listed", async () => {
    const { id, name } = await make.tool();
    const neighbour = await app.createNeighbour();
    for (const [method, body] of [["GET"], ["PUT", input()], ["DELETE"]] as const) {
      expect((await neighbour.send(method, `${path}/${id}`, body)).status).toBe(404);
    }
    expect((await neighbour.send("GET", path)).body.items).toEqual([]);
    const tested = await neighbour.send("POST", "/api/v1/insights/tools-test", {
      tool_name: name,
      session_id: 1,
    });
    expect(tested.status).toBe(404);
    // The same name is free there.
    expect((await neighbour.send("POST", path, input({ name }))).status).toBe(200);
  });

  test("a name is unique among those that are not deleted", async () => {
    const { id, name } = await make.tool();
    const again = { status: 400, body: { detail: expect.stringContaining("already exists") } };
    expect(await app.send("POST", path, input({ name }))).toMatchObject(again);
    const other = await make.tool();
    expect(await put(other.id, input({ name }))).toMatchObject(again);
    await app.send("DELETE", `${path}/${id}`);
    expect((await put(other.id, input({ name }))).status).toBe(200);
  });

  test.each([
    [{ description: "", version: 1, tool_arguments: {}, insight_tool_definition_id: 1 }, ["body", "name"]],
    [input({ description: null }), ["body", "description"]],
    [input({ version: "one" }), ["body", "version"]],
    [input({ tool_arguments: undefined }), ["body", "tool_arguments"]],
    [input({ insight_tool_definition_id: {} }), ["body", "insight_tool_definition_id"]],
  ])("a body that breaks the contract is refused at its place: %j", async (body, loc) => {
    const { id } = await make.tool();
    for (const answer of [await app.send("POST", path, body), await put(id, body)]) {
      expect(answer.status).toBe(422);
      expect(answer.body.detail).toEqual([expect.objectContaining({ loc })]);
    }
  });

  test.each([
    [{ insight_tool_definition_id: 99 }, "99 does not exist; choose one of 1 (llm_tool)"],
    [{ tool_arguments: null }, "do not fit llm_tool"],
    [{ tool_arguments: [] }, "do not fit llm_tool"],
    [{ tool_arguments: "Sum it up" }, "do not fit llm_tool"],
    [{ tool_arguments: { model: "gpt-4o" } }, "tool_arguments.prompt: Field required"],
    [{ tool_arguments: llmArguments({ promt: "x" }) }, "tool_arguments.promt: Extra inputs"],
    [{ tool_arguments: llmArguments({ temperature: 3 }) }, "tool_arguments.temperature"],
    [{ tool_arguments: llmArguments({ provider: "acme" }) }, "tool_arguments.provider"],
    [{ tool_arguments: llmArguments({ model: "gpt-99" }) }, 'tool_arguments.model: "gpt-99" of OpenAI'],
    [{ tool_arguments: llmArguments({ outputs: [{ name: "a b", type: "string" }] }) }, "outputs.0.name"],
    [{ tool_arguments: llmArguments({ outputs: [{ name: "a", type: "date" }] }) }, "outputs.0.type"],
    [
      { tool_arguments: llmArguments({ outputs: [{ name: "a", type: "integer", return_values: "1,x" }] }) },
      "outputs.0.return_values",
    ],
    [
      {
        tool_arguments: llmArguments({
          outputs: [
            { name: "a", type: "string" },
            { name: "a", type: "boolean" },
          ],
        }),
      },
      "outputs.1.name: Output 'a' is given twice",
    ],
    [{ insight_tool_definition_id: 4, tool_arguments: { url: "ftp://x.example" } }, "tool_arguments.url"],
    [
      {
        insight_tool_definition_id: 4,
        tool_arguments: { url: "https://x.example", headers: { Authorization: "x" } },
      },
      "tool_arguments.headers.Authorization: Credentials are not stored here",
    ],
    [{ insight_tool_definition_id: 5, tool_arguments: { pattern: "(a" } }, "tool_arguments.pattern"],
    [{ insight_tool_definition_id: 5, tool_arguments: { pattern: "(?=a)" } }, "tool_arguments.pattern"],
    [
      { insight_tool_definition_id: 5, tool_arguments: { pattern: "a", field: "who" } },
      "tool_arguments.field",
    ],
    [{ insight_tool_definition_id: 2, tool_arguments: { diarize: "yes" } }, "tool_arguments.diarize"],
  ])("arguments that do not fit are a 400 that names the place: %j", async (more, detail) => {
    const { id } = await make.tool();
    for (const answer of [
      await app.send("POST", path, input({ name: "never", ...more })),
      await put(id, input(more)),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining(detail) } });
    }
  });

  test("the least an earlier configuration holds is enough: a prompt, or a language", async () => {
    for (const more of [
      { tool_arguments: { prompt: "Sum it up." } },
      { insight_tool_definition_id: 3, tool_arguments: { language: "en", smart_format: true } },
    ]) {
      expect((await make.tool(more)).tool_arguments).toEqual(more.tool_arguments);
    }
  });

  test("a model with a last day rides along as a warning; once retired it blocks the save", async () => {
    const { id } = await make.tool({ name: "old", tool_arguments: llmArguments({ model: "gpt-4o" }) });
    const warning = {
      id: "deprecated-model",
      severity: "warning",
      path: "$.tool_arguments.model",
      value: "gpt-4o",
      message: expect.stringContaining("2027-01-14"),
    };
    const body = input({ name: "old", tool_arguments: llmArguments({ model: "gpt-4o" }) });
    expect((await put(id, body)).body.validation_issues).toEqual([warning]);
    expect((await app.send("GET", `${path}/${id}`)).body.validation_issues).toEqual([warning]);

    const gone = input({ tool_arguments: llmArguments({ provider: "google", model: "gemini-2.0-flash" }) });
    expect(await put(id, gone)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "tool_arguments", "model"], type: "retired-model" }] },
    });
  });

  test("a service of somebody else, or that never was, can't be named", async () => {
    const neighbour = await app.createNeighbour();
    const theirs = await neighbour.send("POST", "/api/v1/services/", { name: "Theirs", description: "" });
    for (const service_id of [theirs.body.id, 999_999]) {
      const tool_arguments = { url: "https://x.example/", service_id };
      const body = input({ name: "svc", insight_tool_definition_id: 4, tool_arguments });
      expect(await app.send("POST", path, body)).toMatchObject({
        status: 404,
        body: { detail: `Service with ID ${service_id} not found` },
      });
    }
  });

  test("lists are searched, ordered and paged by the same rules as every list", async () => {
    for (const letter of ["a", "b", "c"]) await make.tool({ name: `list ${letter}`, description: "listed" });
    const search = "search_fields=name&search_field_values=LIST";
    const page = await app.send("GET", `${path}?${search}&order_by=name&order_by_direction=desc&limit=2`);
    expect(page.body).toMatchObject({ page: 0, page_size: 2, total_pages: 2, total_count: 3 });
    expect(page.body.items.map(({ name }: { name: string }) => name)).toEqual(["list c", "list b"]);
    for (const [field, value] of [
      ["tool_arguments", "sum it up"],
      ["insight_tool_definition_id", "1"],
      ["description", "LISTED"],
    ]) {
      const found = await app.send("GET", `${path}?search_fields=${field}&search_field_values=${value}`);
      expect(found.body.total_count, field).toBeGreaterThanOrEqual(3);
    }
    const wrong = await app.send("GET", `${path}?search_fields=id&search_field_values=x`);
    expect(wrong).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["query", "search_field_values", 0] }] },
    });
    expect((await app.send("GET", `${path}?order_by=version`)).status).toBe(422);
  });

  test("each change writes one audit entry", async () => {
    const { id } = await make.tool();
    await put(id, input({ name: "audited" }));
    await put(id, input({ name: "audited", version: 0 }));
    await app.send("DELETE", `${path}/${id}`);
    const entries = await app.db
      .selectFrom("audit_entries")
      .select("action")
      .where("resource", "=", "insight_tools")
      .where("resource_id", "=", String(id))
      .orderBy("id")
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(["create", "update", "delete"]);
  });

  test("reading, changing and deleting need their own permission", async () => {
    const { id } = await make.tool();
    for (const [permissions, allowed] of [
      [["insights_read"], { GET: 200, POST: 403, PUT: 403, DELETE: 403 }],
      [["insights_write"], { GET: 403, POST: 200, PUT: 200, DELETE: 403 }],
      [["insights_delete"], { GET: 403, POST: 403, PUT: 403, DELETE: 200 }],
    ] as const) {
      const send = app.sendAs(await app.createToken([...permissions]));
      const name = `p-${permissions}`;
      expect({
        GET: (await send("GET", `${path}/${id}`)).status,
        POST: (await send("POST", path, input({ name }))).status,
        PUT: (await send("PUT", `${path}/${id}`, input({ name: `q-${permissions}` }))).status,
        DELETE: (await send("DELETE", `${path}/${id}`)).status,
      }).toEqual(allowed);
    }
  });
});

describe("the version of a configuration", () => {
  test("tells in openapi.json which refusals to expect", async () => {
    await app.api.server.ready();
    const { put: update } = serverDocument(app.api.server).paths[`${path}/{tool_id}`] ?? {};
    const statuses = Object.keys((update as { responses?: object } | undefined)?.responses ?? {});
    expect(statuses).toEqual(expect.arrayContaining(["200", "400", "404", "412", "422"]));
  });

  test("never goes down: 412", async () => {
    const { id, name } = await make.tool({ version: 3 });
    expect(await put(id, input({ name, version: 2 }))).toMatchObject({
      status: 412,
      body: { detail: expect.stringContaining("lower than the stored version 3") },
    });
    expect((await put(id, input({ name, version: 3 }))).status).toBe(200);
  });

  test("has to be raised with the arguments while an active workflow uses it: 412", async () => {
    const tool = await make.tool();
    const workflow = await make.workflow({ insight_tool_ids: [tool.id] });
    const changed = { tool_arguments: llmArguments({ prompt: "Other" }) };
    const same = input({ name: tool.name });
    // Inactive: anything goes.
    expect((await put(tool.id, { ...same, ...changed })).status).toBe(200);
    expect((await make.activate(workflow.id)).status).toBe(200);

    expect(await put(tool.id, same)).toMatchObject({
      status: 412,
      body: { detail: expect.stringContaining(`"${workflow.name}"`) },
    });
    const regex = { insight_tool_definition_id: 5, tool_arguments: { pattern: "a" } };
    expect((await put(tool.id, { ...same, ...regex })).status).toBe(412);
    // The same arguments in another order of keys are the same; a name or description is not analysed with.
    const { prompt, model, provider } = llmArguments({ prompt: "Other" });
    const reordered = { tool_arguments: { prompt, model, provider } };
    expect((await put(tool.id, { ...same, ...reordered, name: "renamed" })).status).toBe(200);
    expect((await put(tool.id, { ...same, version: 2 })).status).toBe(200);

    await app.send("PUT", `/api/v1/insights/workflows/${workflow.id}/inactivate`);
    expect((await put(tool.id, { ...same, ...changed, version: 2 })).status).toBe(200);
  });

  test("a configuration that a workflow lists, active or not, can't be deleted: 412", async () => {
    const tool = await make.tool();
    const workflow = await make.workflow({ insight_tool_ids: [tool.id] });
    expect(await app.send("DELETE", `${path}/${tool.id}`)).toMatchObject({
      status: 412,
      body: { detail: expect.stringContaining(`"${workflow.name}"`) },
    });
    await app.send("DELETE", `/api/v1/insights/workflows/${workflow.id}`);
    expect((await app.send("DELETE", `${path}/${tool.id}`)).status).toBe(200);
  });

  test("nor can one that a judge asks, or a service that one calls", async () => {
    const outputs = [{ name: "ok", type: "boolean" }];
    const tool = await make.tool({ tool_arguments: llmArguments({ outputs }) });
    const asks = { question: "Is it?", insight_tool_id: tool.id, output: "ok", wanted: true };
    const { id } = (await app.send("POST", "/api/v1/judges/", { name: "Careful", ...asks })).body;
    expect(await app.send("DELETE", `${path}/${tool.id}`)).toMatchObject({
      status: 412,
      body: { detail: `Cannot delete insight tool "${tool.name}" while judges use it: "Careful".` },
    });
    await app.send("DELETE", `/api/v1/judges/${id}?reason=test`);
    expect((await app.send("DELETE", `${path}/${tool.id}`)).status).toBe(200);

    const service = (await app.send("POST", "/api/v1/services/", { name: "Scores", description: "" })).body;
    const tool_arguments = { url: "https://x.example/", service_id: service.id };
    const calls = await make.tool({ insight_tool_definition_id: 4, tool_arguments });
    const remove = () => app.send("DELETE", `/api/v1/services/${service.id}?reason=test`);
    expect(await remove()).toMatchObject({
      status: 400,
      body: { detail: `Cannot delete service "Scores" while it is used by insight tool "${calls.name}".` },
    });
    await app.send("DELETE", `${path}/${calls.id}`);
    expect((await remove()).status).toBe(200);
  });
});

test("any body the contract accepts comes back, and is read back, as it was sent", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => !value.includes("\0"));
  const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 });
  const name = fc.stringMatching(/^[A-Za-z_]\w{0,20}$/);
  const outputs = fc.uniqueArray(
    fc.oneof(
      fc.record({ name, type: fc.constantFrom("boolean", "string", "integer", "number", "array") }),
      fc.record({
        name,
        type: fc.constantFrom("string", "array"),
        description: nullable(text),
        return_values: nullable(fc.oneof(text, fc.array(text, { maxLength: 4 }))),
      }),
      fc.record({
        name,
        type: fc.constant("integer"),
        return_values: fc.array(fc.integer(), { maxLength: 4 }),
      }),
    ),
    { selector: (output) => output.name, maxLength: 5 },
  );
  const llm = fc.record(
    {
      prompt: text.filter((value) => value !== ""),
      provider: nullable(fc.constantFrom("openai", "anthropic", "google", "azure_openai")),
      model: fc.constant("scripted"),
      version: nullable(text),
      temperature: nullable(fc.double({ min: 0, max: 2, noNaN: true })),
      seed: nullable(fc.integer()),
      outputs: nullable(outputs),
    },
    { requiredKeys: ["prompt", "model"] },
  );
  const regex = fc.record(
    {
      pattern: fc.constantFrom("a+", "(b)", "\\d{3}", "(?i)x"),
      field: nullable(fc.constantFrom("user", "agent")),
    },
    { requiredKeys: ["pattern"] },
  );
  // What looks like a credential is refused.
  const header = fc
    .stringMatching(/^X-[A-Za-z]{1,8}$/)
    .filter((of) => !/auth|cookie|cred|jwt|bearer|pass|pwd|key|token|secret/i.test(of));
  const http = fc.record(
    {
      url: fc.webUrl({ validSchemes: ["https", "http"], withQueryParameters: true }),
      method: nullable(fc.constantFrom("POST", "PUT", "PATCH")),
      headers: nullable(fc.dictionary(header, text)),
    },
    { requiredKeys: ["url"] },
  );
  const body = fc
    .oneof(
      llm.map((tool_arguments) => ({ insight_tool_definition_id: 1, tool_arguments })),
      http.map((tool_arguments) => ({ insight_tool_definition_id: 4, tool_arguments })),
      regex.map((tool_arguments) => ({ insight_tool_definition_id: 5, tool_arguments })),
    )
    .chain((kind) =>
      fc
        .record({ name: text.filter((value) => value !== ""), description: text })
        .map((words) => ({ ...kind, ...words })),
    );
  const { id, version } = await make.tool({ version: -5 });
  await fc.assert(
    fc.asyncProperty(body, async (given) => {
      const sent = JSON.parse(JSON.stringify({ ...given, version }));
      const answer = await put(id, sent);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body).toMatchObject({ name: sent.name, description: sent.description, version });
      expect(answer.body.tool_arguments).toEqual(sent.tool_arguments);
      expect((await app.send("GET", `${path}/${id}`)).body).toEqual(answer.body);
    }),
    { numRuns: rounds(100) },
  );
});
