import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { jsonPath } from "../schemas/validation-issue.ts";
import { toolIssues } from "../tools/issues/tool-issues.ts";
import { around, definition, withSteps, withTask } from "../tools/tool-definition.examples.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";
import { promptIssues } from "./prompt-issues.ts";

/*
 * The kinds of mistakes that saving finds: a bad example with its place, and a good one beside it in which it is mended.
 */

const step = (more: object) => withSteps({ id: "A", ...more });
const when = (expression: unknown, more: object = {}) =>
  withTask({
    type: "steps",
    steps: [
      {
        id: "A",
        goal: "g",
        inputs: [{ name: "age", type: "integer" }],
        on: { start: [{ action: "set", name: "local.tries", value: 0 }] },
        next: [{ id: "A", if: expression }, "A"],
      },
    ],
    ...more,
  });
const asks = (id: string, name: string, next: unknown[] = []) => ({ id, inputs: [{ name }], next });
const saves = (...inputs: string[]) =>
  step({ inputs: [{ name: "email" }], on: { submit: [{ action: "save", inputs }] } });
const gets = (...inputs: string[]) =>
  step({ inputs: [{ name: "email" }], on: { enter: [{ action: "get", inputs }] } });
const calls = (given: object) =>
  withTask([
    { type: "event", on: { start: [{ action: "call", name: "charge", arguments: given }] } },
    { type: "expression", tool: { name: "charge" }, inputs: [{ name: "amount", type: "integer" }] },
  ]);
const writes = (name: string) => step({ on: { enter: [{ action: "set", name, value: 1 }] } });
const endpoint = { url: "https://a.example", method: "get", argument_location: "query" };
const named = (name: string) => withTask({ type: "event", tool: { name } });
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const rule = (name: string, value: unknown, parameters: object = schema) =>
  definition({ defaults: { [name]: value } }, parameters);
const onPath = (url: string) =>
  definition({ endpoint: { ...endpoint, url, argument_location: "path" } }, schema);
const closed = { ...schema, additionalProperties: false };
const route = (id: string, ...next: unknown[]) => ({ id, tools: { call: true }, next });
const sub = (more: object, waits: object = {}) =>
  withTask([
    {
      type: "steps",
      steps: [{ id: "A", goal: "g", on: { enter: [{ action: "call", name: "sub", wait: true, ...waits }] } }],
    },
    { type: "steps", start: "manual", tool: { name: "sub" }, steps: [{ id: "S", goal: "g" }], ...more },
  ]);

type Row = [kind: string, id: string, path: string, bad: ToolDefinition, good: ToolDefinition];
const first = "$.context.task.steps[0]";

const rows: Row[] = [
  [
    "save of an input no step has",
    "unknown-input",
    `${first}.on.submit[0].inputs[0]`,
    saves("mail"),
    saves("email"),
  ],
  [
    "get of an input no step has",
    "unknown-input",
    `${first}.on.enter[0].inputs[0]`,
    gets("mail"),
    gets("email"),
  ],
  [
    "requires of an input no step has",
    "unknown-required-input",
    `${first}.next[0].requires[0]`,
    withSteps(asks("A", "email", [{ id: "B", requires: ["mail"] }]), { id: "B" }),
    withSteps(asks("A", "email", [{ id: "B", requires: ["email"] }]), { id: "B" }),
  ],
  [
    "condition on an unknown local",
    "unknown-name",
    `${first}.next[0].if`,
    when("local.trys"),
    when("local.tries"),
  ],
  [
    "condition on an unknown input",
    "unknown-name",
    `${first}.next[0].if`,
    when("inputs.agee"),
    when("inputs.age"),
  ],
  [
    "condition on an unknown system variable",
    "unknown-system-variable",
    `${first}.next[0].if`,
    when("vars.session.weekday == 'Monday'"),
    when("vars.session.day_of_week == 'Monday'"),
  ],
  [
    "unreachable next",
    "dead-transition",
    `${first}.next[1]`,
    withSteps(asks("A", "x", ["B", { id: "A", if: "x" }]), { id: "B" }),
    withSteps(asks("A", "x", [{ id: "A", if: "x" }, "B"]), { id: "B" }),
  ],
  [
    "unreachable step",
    "unreachable-step",
    "$.context.task.steps[1]",
    withSteps(asks("A", "x"), { id: "B" }),
    withSteps(asks("A", "x", ["B"]), { id: "B" }),
  ],
  [
    "number input compared with text",
    "impossible-comparison",
    `${first}.next[0].if`,
    when("age == '5'"),
    when("age == `5`"),
  ],
  [
    "number local compared with text",
    "impossible-comparison",
    `${first}.next[0].if`,
    when("local.tries >= '3'"),
    when("local.tries >= `3`"),
  ],
  [
    "a bare word on the right of ==",
    "word-without-quotes",
    `${first}.next[0].if`,
    when("city == Bronx"),
    when("city == 'Bronx'"),
  ],
  [
    "two inputs of one name",
    "duplicate-input",
    `${first}.inputs[1].name`,
    step({ inputs: [{ name: "a" }, { name: "a" }] }),
    step({ inputs: [{ name: "a" }, { name: "b" }] }),
  ],
  [
    "set of a system variable",
    "system-variable-written",
    `${first}.on.enter[0].name`,
    writes("vars.session.date"),
    writes("vars.date"),
  ],
  [
    "call of a tool that is not there",
    "unknown-tool-reference",
    "$.context.task.on.start[0].name",
    withTask({ type: "event", on: { start: [{ action: "call", name: "lokup" }] } }),
    withTask({ type: "event", on: { start: [{ action: "call", name: "lookup" }] } }),
  ],
  [
    "call with an argument it has not",
    "unknown-call-argument",
    "$.context.task[0].on.start[0].arguments.sum",
    calls({ amount: 1, sum: 1 }),
    calls({ amount: 1 }),
  ],
  [
    "call with an argument of the wrong type",
    "call-argument-type",
    "$.context.task[0].on.start[0].arguments.amount",
    calls({ amount: "a lot" }),
    calls({ amount: "{{ amount }}" }),
  ],
  [
    "a name where its value is meant",
    "name-as-text",
    `${first}.on.enter[0].value`,
    step({
      inputs: [{ name: "age" }],
      on: { enter: [{ action: "set", name: "local.a", value: "inputs.age" }] },
    }),
    step({
      inputs: [{ name: "age" }],
      on: { enter: [{ action: "set", name: "local.a", value: "{{ inputs.age }}" }] },
    }),
  ],
  [
    "a name in an argument where its value is meant",
    "name-as-text",
    "$.context.task[0].on.start[0].arguments.amount",
    calls({ amount: "local.sum" }),
    calls({ amount: "{{ local.sum }}" }),
  ],
  ["no steps", "no-steps", "$.context.task.steps", withTask({ type: "steps", steps: [] }), step({})],
  [
    "unknown key of a task",
    "unknown-key",
    "$.context.task.strat",
    withTask({ type: "event", strat: "auto" }),
    withTask({ type: "event" }),
  ],
  [
    "unknown key of a step",
    "unknown-key",
    `${first}.instuctions`,
    step({ instuctions: ["x"] }),
    step({ instructions: ["x"] }),
  ],
  [
    "unknown event",
    "unknown-key",
    `${first}.on.exit`,
    step({ on: { exit: [{ action: "set" }] } }),
    step({ on: { submit: [{ action: "save" }] } }),
  ],
  [
    "unknown key of an action",
    "unknown-key",
    `${first}.on.enter[0].val`,
    step({ on: { enter: [{ action: "set", name: "local.a", value: 1, val: 1 }] } }),
    writes("local.a"),
  ],
  [
    "unknown key of an input",
    "unknown-key",
    `${first}.inputs[0].minimum`,
    step({ inputs: [{ name: "a", minimum: 1 }] }),
    step({ inputs: [{ name: "a", value_from: "b" }].map(({ name }) => ({ name })) }),
  ],
  [
    "unknown key of a transition",
    "unknown-key",
    `${first}.next[0].require`,
    withSteps({ ...asks("A", "x", [{ id: "B", require: ["x"] }]) }, { id: "B" }),
    withSteps({ ...asks("A", "x", [{ id: "B", requires: ["x"] }]) }, { id: "B" }),
  ],
  [
    "unknown key of an expression",
    "unknown-key",
    `${first}.next[0].if.lang`,
    when({ type: "cel", expression: "true", lang: "cel" }),
    when({ type: "cel", expression: "true" }),
  ],
  [
    "a task's name that providers refuse",
    "invalid-tool-name",
    "$.context.task.tool.name",
    named("send mail"),
    named("send_mail"),
  ],
  [
    "GET with a JSON body",
    "body-with-get",
    "$.endpoint.argument_location",
    definition({ endpoint: { ...endpoint, argument_location: "body" } }),
    definition({ endpoint }),
  ],
  [
    "an address without its scheme",
    "url-without-scheme",
    "$.endpoint.url",
    definition({ endpoint: { ...endpoint, url: "a.example:8080/slots" } }),
    definition({ endpoint: { ...endpoint, url: "{{ vars.base }}/slots" } }),
  ],
  [
    "an address without a server",
    "url-without-host",
    "$.endpoint.url",
    definition({ endpoint: { ...endpoint, url: "https://" } }),
    definition({ endpoint: { ...endpoint, url: "https://{{ vars.host }}.a.example:{{ port }}/{city}" } }),
  ],
  [
    "an address with a password in it",
    "url-with-credentials",
    "$.endpoint.url",
    definition({ endpoint: { ...endpoint, url: "https://ann:secret@a.example/slots" } }),
    definition({ endpoint: { ...endpoint, url: "https://a.example/slots?mail=ann@b.example" } }),
  ],
  [
    "a placeholder that no argument fills in",
    "path-placeholder-unknown",
    "$.endpoint.url",
    onPath("https://a.example/slots/{town}"),
    onPath("https://a.example/{{ town }}/{vars.clinic}/{city}"),
  ],
  [
    "a placeholder where arguments go elsewhere",
    "path-placeholder-unused",
    "$.endpoint.url",
    definition({ endpoint: { ...endpoint, url: "https://a.example/{city}" } }, schema),
    definition({ endpoint: { ...endpoint, url: "https://a.example/{clinic}/{{ city }}" } }, schema),
  ],
  [
    "arguments beside the properties",
    "argument-outside-properties",
    "$.tool.function.parameters.city",
    definition({ endpoint }, schema.properties),
    definition({ endpoint }, { additionalProperties: { type: "string" } }),
  ],
  [
    "remove of a required argument",
    "required-argument-removed",
    "$.defaults.city.transform.action",
    rule("city", { transform: { action: "remove" } }),
    rule("city", { transform: { action: "remove" } }, { ...schema, required: [] }),
  ],
  [
    "a rule that sets nothing",
    "rule-without-value",
    "$.defaults.city.transform",
    rule("city", { transform: { action: "default", value: null } }),
    rule("city", { transform: { action: "override", value: null } }),
  ],
  [
    "a value beside a format",
    "rule-value-unused",
    "$.defaults.city.transform.value",
    rule("city", { transform: { action: "override", value: "Bronx", format: "The {city}" } }),
    rule("city", { transform: { action: "override", value: null, format: "The {city}" } }),
  ],
  [
    "defaults outside a closed schema",
    "default-outside-schema",
    "$.defaults.town",
    rule("town", "Bronx", closed),
    rule("city", "Bronx", closed),
  ],
  [
    "a template that names no system variable",
    "unknown-system-variable",
    `${first}.instructions[0]`,
    step({ instructions: ["Today is {{ vars.session.today }}."] }),
    step({ instructions: ["Today is {{ vars.session.date }}."] }),
  ],
  [
    "a template that names an input no step has",
    "unknown-name",
    `${first}.goal`,
    step({ goal: "Confirm {{ inputs.emial }}", inputs: [{ name: "email" }] }),
    step({ goal: "Confirm {{ inputs.email }}", inputs: [{ name: "email" }] }),
  ],
  [
    "what only looks like a template",
    "template-never-filled",
    "$.endpoint.url",
    definition({ endpoint: { ...endpoint, url: "https://a.example/{{ city | lower }}" } }),
    definition({ endpoint: { ...endpoint, url: "https://a.example/{{ city }}" } }),
  ],
  [
    "a ring of routing steps that change nothing",
    "endless-routing",
    `${first}.next`,
    withSteps(route("A", "B"), route("B", { id: "C", if: "vars.x" }, "A"), { id: "C" }),
    withSteps(route("A", "B"), route("B", "C"), asks("C", "x", ["A"])),
  ],
  [
    "wait for a task that starts by itself",
    "wait-for-automatic-task",
    "$.context.task[0].steps[0].on.enter[0].wait",
    sub({ start: "auto" }),
    sub({}),
  ],
  [
    "wait for what is no steps task",
    "wait-without-effect",
    "$.context.task[0].steps[0].on.enter[0].wait",
    sub({ type: "expression", steps: undefined, start: undefined }),
    sub({ type: "expression", steps: undefined, start: undefined }, { wait: undefined }),
  ],
  [
    "tasks that wait for each other",
    "wait-in-a-ring",
    "$.context.task[1].steps[0].on.enter[0].wait",
    withTask(
      ["one", "two"].map((name, index) => ({
        type: "steps",
        start: "manual",
        tool: { name },
        steps: [
          {
            id: "A",
            goal: "g",
            on: { enter: [{ action: "call", name: index ? "one" : "two", wait: true }] },
          },
        ],
      })),
    ),
    sub({}),
  ],
];

describe("saving a tool finds, and finds no more once it is mended:", () => {
  test.each(rows)("%s", (_kind, id, path, bad, good) => {
    const found = toolIssues(bad, around);
    const told = found.map((issue) => [issue.id, jsonPath(issue.path)]);
    expect(told).toContainEqual([id, path]);
    expect(found.find((issue) => issue.id === id)?.message).toMatch(/^\S.*[.]$/);
    const left = toolIssues(good, around).filter((issue) => issue.id === id);
    expect(left).toEqual([]);
  });
});

test("saving a tool of an MCP server finds what the server has changed since it was added", () => {
  const hash = (letter: string) => letter.repeat(64);
  const mcp = { tool: "book", schema_hash: hash("a"), description_hash: hash("b") };
  const offered = { name: "book", description: "", input_schema: {}, ...mcp };
  const found = (more: object, server: { url: string | null; tools: object[] | null }) => {
    const tools = server.tools && new Map(server.tools.map((tool) => ["book", tool as typeof offered]));
    const surroundings = { ...around, mcp: { url: server.url, tools } };
    return toolIssues(definition({ type: "mcp", ...more }), surroundings).map(({ id }) => id);
  };
  const url = "https://mcp.example/mcp";
  expect(found({ mcp }, { url, tools: [offered] })).toEqual([]);
  expect(found({ mcp }, { url, tools: null })).toEqual([]);
  expect(found({}, { url, tools: [offered] })).toEqual(["mcp-missing"]);
  expect(found({ mcp, type: "action" }, { url, tools: [offered] })).toEqual(["mcp-without-effect"]);
  expect(found({ mcp }, { url: null, tools: null })).toEqual(["mcp-service-without-server"]);
  expect(found({ mcp }, { url, tools: [] })).toEqual(["mcp-tool-gone"]);
  expect(found({ mcp }, { url, tools: [{ ...offered, schema_hash: hash("c") }] })).toEqual([
    "mcp-schema-changed",
  ]);
  expect(found({ mcp }, { url, tools: [{ ...offered, description_hash: hash("c") }] })).toEqual([
    "mcp-description-changed",
  ]);
});

test("saving a tool that asks the person first finds what they would not be asked", () => {
  const found = (more: object, parameters: object = schema) =>
    toolIssues(definition(more, parameters), around).map(({ id }) => id);
  expect(found({ confirm: true })).toEqual(["read-back-missing"]);
  expect(found({ confirm: true, read_back: "Go there?" })).toEqual(["read-back-leaves-out"]);
  expect(found({ read_back: "Go to {{ city }}?" })).toEqual(["read-back-without-confirm"]);
  expect(found({ confirm: true, read_back: "Go to {{ city }}?" })).toEqual([]);
  const workflow = { ...step({}), confirm: true, read_back: "Go?" } as ToolDefinition;
  expect(toolIssues(workflow, around).map(({ id }) => id)).toContain("confirm-on-task");
});

const offer = { catalogue: [] } as never;
const prompt = (context: string, tools: string[], called: string) =>
  promptIssues(
    {
      context,
      tools,
      tools_full: [
        {
          name: "flow",
          definition: withTask({ type: "event", on: { start: [{ action: "call", name: called }] } }),
        },
      ],
      llm_config: { provider: "scripted", model: "scripted" } as never,
    },
    offer,
  ).map(({ id }) => id);

test("saving a prompt finds a workflow's call of a tool that the prompt lacks", () => {
  expect(prompt("", ["flow"], "lookup")).toEqual(["workflow-tool-missing"]);
  expect(prompt("", ["flow", "lookup"], "lookup")).toEqual([]);
});

test("saving a prompt finds templates that are never filled in", () => {
  expect(prompt("Today: {{ vars.session.today }}", [], "flow")).toContain("unknown-system-variable");
  expect(prompt("Today: {{ name | you }}", ["flow", "x"], "x")).toEqual(["template-never-filled"]);
  expect(prompt("Today: {{ name }, {{ name}}", ["flow", "x"], "x")).toEqual(["template-never-filled"]);
  expect(prompt('Today: {{ vars.session.date }}, {name}, {"a": {{1}}}', ["flow", "x"], "x")).toEqual([]);
});

test("every kind of finding has a bad example in a test", () => {
  const of = (folder: URL) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }));
  const files = [...of(new URL("../tools/issues/", import.meta.url)), ...of(new URL("./", import.meta.url))];
  const isTest = ({ name }: { name: string }) => name.endsWith(".test.ts");
  const ids = files
    .filter((file) => !isTest(file) && file.name.includes("issues"))
    .flatMap(({ text }) => [...text.matchAll(/\bid: "([a-z-]+)"/g)].map(([, id]) => id as string));
  const tested = files
    .filter(isTest)
    .map(({ text }) => text)
    .join("\n");
  expect(ids.length).toBeGreaterThan(30);
  expect(ids.filter((id) => !new RegExp(`\\b${id}\\b`).test(tested))).toEqual([]);
});
