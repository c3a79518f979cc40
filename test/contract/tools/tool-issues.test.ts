import { beforeAll, describe, expect, test } from "vitest";
import { changed, everyField } from "../../../src/tools/tool-definition.examples.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  service_id = (await app.send("POST", "/api/v1/services/", { name: "Clinic", description: "" })).body.id;
});

const endpointTool = (name: string) => ({
  type: "endpoint",
  tool: {
    type: "function",
    function: { name, description: "Looks something up", parameters: { type: "object" } },
  },
  endpoint: { url: "https://clinic.example/search", method: "get", argument_location: "query" },
});
const body = (name: string) => ({ name, definition: endpointTool(name), service_id });
const post = (input: unknown) => app.send("POST", "/api/v1/tools/", input);
const create = (name: string) => post(body(name));

describe("saving a tool", () => {
  test.each<[string, () => object, number, unknown]>([
    [
      "a name that is taken",
      () => body("taken"),
      400,
      "Tool with this name already exists. Choose another name.",
    ],
    [
      "a service that is not there",
      () => ({ ...body("fresh"), service_id: 999_999 }),
      400,
      "Service not found",
    ],
    ["a name with whitespace", () => body("two words"), 422, [["body", "name"], "string_pattern_mismatch"]],
    ["an empty name", () => body(""), 422, [["body", "name"], "string_too_short"]],
    [
      "no service",
      () => ({ ...body("fresh"), service_id: undefined }),
      422,
      [["body", "service_id"], "missing"],
    ],
    [
      "an endpoint's function of another name",
      () => ({ ...body("fresh"), definition: endpointTool("other") }),
      422,
      [["body", "definition", "tool", "function", "name"], "function-name-mismatch"],
    ],
    [
      "an issue deep inside",
      () => ({
        ...body("fresh"),
        definition: changed(everyField, ["context", "task", 0, "steps", 0, "next", 1], "NOWHERE"),
      }),
      422,
      [["body", "definition", "context", "task", 0, "steps", 0, "next", 1], "unknown-step-id"],
    ],
  ])("is refused: %s", async (_what, input, status, expected) => {
    await post(body("taken"));
    const answer = await post(input());
    expect(answer.status).toBe(status);
    const detail = Array.isArray(expected)
      ? [{ loc: expected[0], msg: expect.any(String), type: expected[1] }]
      : expected;
    expect(answer.body.detail).toEqual(detail);
    expect((await app.send("GET", "/api/v1/tools/fresh")).status).toBe(404);
  });

  test("is refused with all there is to mend, of the body and of the definition", async () => {
    const definition = changed(everyField, ["context", "task", 0, "steps", 0, "next", 1], "NOWHERE");
    const places = async (input: object) => {
      const { status, body: refused } = await post(input);
      expect(status).toBe(422);
      return refused.detail.map(({ type }: { type: string }) => type);
    };
    expect(await places({ name: "fresh", definition })).toEqual(["missing", "unknown-step-id"]);
    expect(await places({ name: "two words", definition, service_id })).toEqual([
      "string_pattern_mismatch",
      "unknown-step-id",
    ]);
    expect(await places({ name: "fresh", definition: endpointTool("other") })).toEqual([
      "missing",
      "function-name-mismatch",
    ]);
    expect(await places({ definition: { ...endpointTool("x"), type: "none" } })).toEqual([
      "missing",
      "enum",
      "missing",
    ]);
    // Also of the parts that can be read of a definition of which others can't.
    const broken = { ...definition, type: "none", endpoint: { url: "/", method: "patch" } };
    expect(await places({ name: "fresh", definition: broken, service_id })).toEqual([
      "enum",
      "enum",
      "missing",
      "unknown-step-id",
    ]);
    const twice = { name: "limit", required: true, type: "int" };
    const unread = { ...definition, tool: { function: {} }, static_parameters: [twice, twice] };
    expect(await places({ name: "fresh", definition: unread, service_id })).toEqual([
      ...Array(3).fill("missing"),
      "duplicate-static-parameter",
      "unknown-step-id",
    ]);
  });

  test("what is odd but not wrong is told with the tool, for as long as it holds", async () => {
    const task = {
      type: "event",
      on: { start: [{ action: "call", name: "soon_there" }] },
    };
    const definition = { ...endpointTool("greeter"), type: "context", endpoint: null, context: { task } };
    const { body: made } = await post({ name: "greeter", definition, service_id });
    expect(made.validation_issues).toEqual([
      {
        id: "unknown-tool-reference",
        severity: "warning",
        message: 'There is no tool named "soon_there" yet.',
        path: "$.context.task.on.start[0].name",
        value: "soon_there",
      },
    ]);
    await create("soon_there");
    expect((await app.send("GET", "/api/v1/tools/greeter")).body.validation_issues).toEqual([]);
  });

  test("a new name is checked against the workflows that call, allow or keep the tool by its old one", async () => {
    const tool = async (name: string) => (await app.send("GET", `/api/v1/tools/${name}`)).body;
    await create("sought");
    const { id } = await tool("sought");
    const workflow = async (name: string, more: object) => {
      const task = {
        type: "steps",
        tool: { name: `${name}_on` },
        steps: [{ id: "A", goal: "sought", ...more }],
      };
      const definition = { ...endpointTool(name), type: "context", endpoint: null, context: { task } };
      expect((await post({ name, definition, service_id })).status).toBe(200);
    };
    await workflow("calls_it", { on: { enter: [{ action: "call", name: "sought" }] } });
    await workflow("allows_it", { tools: { allow: ["sought"] } });
    await workflow("speaks_of_it", {});
    const check = async (name: string) =>
      (
        await app.send("POST", "/api/v1/tools/check", {
          id,
          name,
          definition: endpointTool(name),
          service_id,
        })
      ).body.validation_issues;
    expect(await check("sought")).toEqual([]);
    expect(await check("found")).toEqual([
      {
        id: "renamed-tool-in-use",
        severity: "warning",
        message:
          '"sought" is used by the workflows allows_it and calls_it. Change the name there too, or the calls fail.',
        path: "$.tool.function.name",
        value: "sought",
      },
    ]);
    const filters = { search_fields: ["has_error", "failed_tool"], search_field_values: ["true", "sought"] };
    const rule = { name: "Search down", metric: { name: "sessions" }, condition: "above", threshold: 3 };
    const tile = { metric: { name: "sessions" }, search_fields: ["tool"], search_field_values: ["sought"] };
    const made = [
      await app.send("POST", "/api/v1/alerts/", { ...rule, ...filters }),
      await app.send("POST", "/api/v1/boards/", { name: "Searches", tiles: [{ metric: tile.metric }, tile] }),
      await app.send("POST", "/api/v1/session_views/", { name: "Failed searches", ...filters }),
    ];
    expect(made.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await check("found")).map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining("used by the workflows"),
      '"sought" is looked for by the alert Search down, the board Searches, and the view Failed searches. Change the name there too, or no new session is found.',
    ]);
    await app.send("PUT", "/api/v1/tools/", {
      id,
      name: "found",
      definition: endpointTool("found"),
      service_id,
    });
    expect((await tool("calls_it")).validation_issues).toMatchObject([
      { id: "unknown-tool-reference", path: "$.context.task.steps[0].on.enter[0].name", value: "sought" },
    ]);
    expect((await tool("allows_it")).validation_issues).toMatchObject([
      { id: "unknown-tool-reference", path: "$.context.task.steps[0].tools.allow[0]", value: "sought" },
    ]);
    expect((await tool("speaks_of_it")).validation_issues).toEqual([]);
  });

  test("a task may not take the name of another tool, but may that of another workflow", async () => {
    const workflow = (submit: string) => ({
      ...endpointTool("any"),
      type: "context",
      endpoint: null,
      context: { task: { type: "steps", tool: { name: submit }, steps: [{ id: "A", goal: "g" }] } },
    });
    await create("plain");
    const collides = await post({ name: "flow_1", definition: workflow("plain"), service_id });
    expect(collides.body.detail).toEqual([
      {
        loc: ["body", "definition", "context", "task", "tool", "name"],
        msg: expect.stringContaining('"plain"'),
        type: "submit-tool-name-collision",
      },
    ]);
    const first = await post({ name: "flow_1", definition: workflow("flow_1"), service_id });
    expect(first.status).toBe(200);
    expect((await post({ name: "flow_2", definition: workflow("flow_1"), service_id })).status).toBe(200);
    const again = { name: "flow_1", definition: workflow("flow_1"), service_id, id: first.body.id };
    expect((await app.send("PUT", "/api/v1/tools/", again)).status).toBe(200);
    const caller = changed(workflow("flow_3"), ["context", "task", "on"], undefined);
    const calls = changed(caller, ["context", "task", "steps", 0], {
      id: "A",
      goal: "g",
      tools: { allow: ["flow_1", "flow_3"] },
    });
    expect((await post({ name: "flow_3", definition: calls, service_id })).body.validation_issues).toEqual(
      [],
    );
  });
});
