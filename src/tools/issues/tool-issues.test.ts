import { describe, expect, test } from "vitest";
import { processorMs } from "../../../test/harness/processor-time.ts";
import { InvalidInput } from "../../base/errors.ts";
import { jsonPath, refuseErrors, toValidationIssue } from "../../schemas/validation-issue.ts";
import { ResponseDisplayConfig } from "../response-display.ts";
import { around, changed, definition, everyField, withSteps, withTask } from "../tool-definition.examples.ts";
import { ToolDefinition } from "../tool-definition.ts";
import { mentionedNames, toolIssues } from "./tool-issues.ts";

const endpoint = { url: "https://a.example/{b}", method: "get", argument_location: "path" };
const takesB = { type: "object", properties: { b: { type: "string" } } };
const otherFunction = { function: { name: "g", description: "", parameters: takesB } };

type Case = [what: string, definition: ToolDefinition, severity: "error" | "warning", path: string];

const table: Record<string, Case[]> = {
  "invalid-json-schema": [
    ["no object", definition({}, []), "error", "$.tool.function.parameters"],
    ["no map of arguments", definition({}, { type: "string" }), "error", "$.tool.function.parameters.type"],
    [
      "a keyword",
      definition({}, { properties: { "a b": { type: "text" } } }),
      "error",
      "$.tool.function.parameters.properties['a b'].type",
    ],
    [
      "an input's pattern",
      withSteps({ id: "A", inputs: [{ name: "i", pattern: "(" }] }),
      "error",
      "$.context.task.steps[0].inputs[0].pattern",
    ],
  ],
  "invalid-tool-name": [
    [
      "a task's, with a space",
      withTask({ type: "event", tool: { name: "send mail" } }),
      "error",
      "$.context.task.tool.name",
    ],
    [
      "a task's, with an umlaut",
      withTask({ type: "expression", tool: { name: "prüfen" } }),
      "error",
      "$.context.task.tool.name",
    ],
    [
      "a task's, of 65 characters",
      withTask({ type: "event", tool: { name: "x".repeat(65) } }),
      "error",
      "$.context.task.tool.name",
    ],
  ],
  "path-placeholder-missing": [
    ["none", definition({ endpoint: { ...endpoint, url: "https://a.example" } }), "error", "$.endpoint.url"],
    [
      "a variable is none",
      definition({ endpoint: { ...endpoint, url: "https://{{ host }}/a" } }),
      "error",
      "$.endpoint.url",
    ],
  ],
  "duplicate-static-parameter": [
    [
      "the second one",
      definition({ static_parameters: [1, 2].map(() => ({ name: "p", required: true, type: "int" })) }),
      "error",
      "$.static_parameters[1].name",
    ],
  ],
  "static-default-type-mismatch": [
    ["string", 1],
    ["int", 1.5],
    ["int", "1"],
    ["boolean", "false"],
    ["data_source_list", [1]],
    ["data_source_list", {}],
  ].map(([type, wrong]) => [
    `${type} ${JSON.stringify(wrong)}`,
    definition({ static_parameters: [{ name: "p", required: true, type, default: wrong }] }),
    "error",
    "$.static_parameters[0].default",
  ]),
  "unknown-data-source": [
    [
      "the second of a list",
      definition({
        static_parameters: [
          {
            name: "doc",
            required: true,
            type: "data_source_list",
            default: ["faq", "faqs", "{{ vars.doc }}"],
          },
        ],
      }),
      "warning",
      "$.static_parameters[0].default[1]",
    ],
  ],
  "function-name-mismatch": [
    [
      "by type",
      definition({
        type: "endpoint",
        endpoint,
        tool: otherFunction,
      }),
      "error",
      "$.tool.function.name",
    ],
    ["by what it has", definition({ endpoint, tool: otherFunction }), "error", "$.tool.function.name"],
  ],
  "requires-verified-on-task": [
    [
      "a workflow",
      definition({ requires_verified: true, context: { task: { type: "event", tool: { name: "x" } } } }),
      "error",
      "$.requires_verified",
    ],
  ],
  "endpoint-missing": [["no endpoint", definition({ type: "endpoint" }), "warning", "$.endpoint"]],
  "defaults-without-effect": [["a list", definition({ defaults: ["a"] }), "warning", "$.defaults"]],
  "unknown-key": [
    [
      "a rule",
      { ...definition(), requires_verifed: true } as ToolDefinition,
      "warning",
      "$.requires_verifed",
    ],
    [
      "an option",
      definition({ options: { propagate_tool_result: true, propagate: true } as never }),
      "warning",
      "$.options.propagate",
    ],
    ...[
      ["a line of a card", { "content.heder": "a" }, "['content.heder']"],
      ["a text of a card", { content: { titel: "a" } }, ".content.titel"],
    ].map(
      ([what, mapping, path]): Case => [
        what as string,
        definition({
          options: { propagate_tool_result: true },
          response_display: ResponseDisplayConfig.parse({ type: "card-list", items_path: "a", mapping }),
        }),
        "warning",
        `$.response_display.mapping${path}`,
      ],
    ),
  ],
  "unknown-display-version": [
    [
      "a later one",
      definition({
        options: { propagate_tool_result: true },
        response_display: ResponseDisplayConfig.parse({
          version: 2,
          type: "card-list",
          items_path: "items",
          mapping: {},
        }),
      }),
      "warning",
      "$.response_display.version",
    ],
  ],
  "cards-not-shown": [null, { propagate_tool_result: false }].map((options) => [
    JSON.stringify(options),
    definition({
      options,
      response_display: ResponseDisplayConfig.parse({ type: "card-list", items_path: "items", mapping: {} }),
    }),
    "warning",
    "$.response_display",
  ]),
};

describe.each(Object.entries(table))("%s", (id, cases) => {
  test.each(cases)("%s", (_what, broken, severity, path) => {
    expect(toolIssues(broken, around).map(toValidationIssue)).toEqual([
      {
        id,
        severity,
        message: expect.any(String),
        path,
        value: expect.toSatisfy((value) => value !== undefined),
      },
    ]);
  });
});

describe("nothing is found", () => {
  test.each<[string, ToolDefinition]>([
    ["in a definition that uses everything", ToolDefinition.parse(everyField)],
    [
      "in a placeholder between variables",
      definition({ endpoint: { ...endpoint, url: "{{ base }}/{b}" } }, takesB),
    ],
    [
      "in another name of a function that is no endpoint's",
      changed(definition(), ["tool", "function", "name"], "g"),
    ],
    [
      "in defaults of the right type",
      definition({
        static_parameters: [
          ["string", ""],
          ["int", 0],
          ["boolean", false],
          ["data_source_list", "faq"],
          ["int", null],
        ].map(([type, value], index) => ({ name: `p${index}`, required: false, type, default: value })),
      }),
    ],
  ])("%s", (_what, whole) => {
    expect(toolIssues(whole, around)).toEqual([]);
  });

  test("in a built-in tool without an endpoint", () => {
    expect(toolIssues(definition({ type: "endpoint" }), { ...around, is_system: true })).toEqual([]);
  });
});

test("the names that a definition mentions are those of its tasks, and those it calls beyond them", () => {
  expect(mentionedNames(ToolDefinition.parse(everyField))).toEqual({
    shown: ["submit_booking", "lookup"],
    called: [],
  });
  const calls = withSteps({
    id: "A",
    tools: { allow: ["hangup", "go_to_step"] },
    on: { enter: [{ action: "call", name: "lookup" }] },
  });
  expect(mentionedNames(calls)).toEqual({ shown: [], called: ["lookup", "hangup"] });
});

describe("telling issues", () => {
  test("errors are refused at their places, warnings and infos are not", () => {
    const broken = withSteps({ id: "A", next: [{ if: "x", id: "B" }] }, { id: "C" });
    const issues = toolIssues(broken, around);
    expect(issues.map(({ severity }) => severity).toSorted()).toEqual(["error", "info", "warning"]);
    const refused = new InvalidInput([
      {
        loc: ["body", "definition", "context", "task", "steps", 0, "next", 0, "id"],
        msg: 'No step of this task has the id "B".',
        type: "unknown-step-id",
      },
    ]);
    expect(() => refuseErrors(issues, ["body", "definition"])).toThrow(refused);
    expect(() =>
      refuseErrors(
        issues.filter(({ severity }) => severity !== "error"),
        [],
      ),
    ).not.toThrow();
  });

  test.each([
    [[], "$"],
    [["steps", 0, "on", "enter"], "$.steps[0].on.enter"],
    [["a b", "it's", "x\\y"], "$['a b']['it\\'s']['x\\\\y']"],
  ])("%j is shown as %s", (path, shown) => {
    expect(jsonPath(path)).toBe(shown);
  });
});

test.each<[string, object, string[]]>([
  ["a.b", definition(), ["$.tool.function.name"]],
  ["größe", definition(), ["$.tool.function.name"]],
  ["x".repeat(65), definition(), ["$.tool.function.name"]],
  ["x".repeat(64), definition(), []],
  ["a-B_9", definition(), []],
  ["a.holder", withTask({ type: "steps", tool: { name: "submit" } }), []],
  ["a.holder", withTask({ type: "steps" }), ["$.tool.function.name"]],
])("the tool name %s is judged where models see it", (name, tool, paths) => {
  const issues = toolIssues(tool as never, { ...around, name }).map(toValidationIssue);
  expect(issues.filter(({ id }) => id === "invalid-tool-name").map(({ path }) => path)).toEqual(paths);
});

test("a URL of thousands of braces holds nobody up", () => {
  const url = `https://a.example/${"{".repeat(15_000)}`;
  const tool = definition({ type: "endpoint", endpoint: { ...endpoint, url } });
  expect(processorMs(() => toolIssues(tool, around))).toBeLessThan(1_000);
});
