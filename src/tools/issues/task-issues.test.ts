import { describe, expect, test } from "vitest";
import { toValidationIssue } from "../../schemas/validation-issue.ts";
import { around, withSteps, withTask } from "../tool-definition.examples.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { toolIssues } from "./tool-issues.ts";

type Case = [what: string, definition: ToolDefinition, severity: "error" | "warning" | "info", path: string];

const STEP = "$.context.task.steps";
const table: Record<string, Case[]> = {
  "unknown-step-id": [
    ["a bare id", withSteps({ id: "A", next: ["B"] }), "error", `${STEP}[0].next[0]`],
    [
      "an entry among others",
      withSteps({ id: "A", next: [{ if: "x", id: "A" }, { id: "B" }] }),
      "error",
      `${STEP}[0].next[1].id`,
    ],
  ],
  "duplicate-step-id": [
    ["the second one", withSteps({ id: "A", next: ["A"] }, { id: "A" }), "error", `${STEP}[1].id`],
  ],
  "unreachable-step": [
    ["no way there", withSteps({ id: "A" }, { id: "B", next: ["A"] }), "warning", `${STEP}[1]`],
  ],
  "dead-transition": [
    [
      "after an entry without a condition",
      withSteps({ id: "A", next: ["A", { if: "x", id: "B" }] }, { id: "B" }),
      "warning",
      `${STEP}[0].next[1]`,
    ],
  ],
  "no-steps": [["an empty list", withSteps(), "warning", STEP]],
  "system-variable-written": [
    [
      "a set",
      withSteps({ id: "A", on: { start: [{ action: "set", name: "vars.session.time", value: 1 }] } }),
      "warning",
      `${STEP}[0].on.start[0].name`,
    ],
  ],
  "no-fallback-transition": [
    ["all conditional", withSteps({ id: "A", next: [{ if: "x", id: "A" }] }), "info", `${STEP}[0].next`],
  ],
  "invalid-expression": [
    [
      "a variable",
      withTask([{ type: "event", variables: [{ name: "v", valueFrom: "(((" }] }]),
      "error",
      "$.context.task[0].variables[0].valueFrom",
    ],
    [
      "a variable's condition",
      withTask({ type: "event", variables: [{ name: "v", if: "(((" }] }),
      "error",
      "$.context.task.variables[0].if",
    ],
    [
      "the expression of a task",
      withTask({ type: "expression", expression: { type: "cel", expression: "(((" } }),
      "error",
      "$.context.task.expression.expression",
    ],
    [
      "an instruction",
      withSteps({ id: "A", instructions: [{ if: "(((", text: "t" }] }),
      "error",
      `${STEP}[0].instructions[0].if`,
    ],
    [
      "an argument of a call",
      withSteps({
        id: "A",
        on: {
          submit: [{ action: "call", name: "lookup", arguments: { of: [{ day: { valueFrom: "(((" } }] } }],
        },
      }),
      "error",
      `${STEP}[0].on.submit[0].arguments.of[0].day.valueFrom`,
    ],
    [
      "a transition",
      withSteps({ id: "A", next: [{ if: "(((", id: "A" }, "A"] }),
      "error",
      `${STEP}[0].next[0].if`,
    ],
    [
      "an action's condition",
      withSteps({ id: "A", on: { enter: [{ action: "say", text: "t", if: "(((" }] } }),
      "error",
      `${STEP}[0].on.enter[0].if`,
    ],
    [
      "an action's value",
      withSteps({ id: "A", on: { start: [{ action: "set", name: "n", valueFrom: "(((" }] } }),
      "error",
      `${STEP}[0].on.start[0].valueFrom`,
    ],
    [
      "what a call saves",
      withTask({
        type: "event",
        on: { start: [{ action: "call", name: "lookup", result: { save: [{ from: "(((", to: "x" }] } }] },
      }),
      "error",
      "$.context.task.on.start[0].result.save[0].from",
    ],
  ],
  "loose-negation": [
    [
      "a transition",
      withSteps({ id: "A", next: [{ if: "!local.ok", id: "A" }, "A"] }),
      "warning",
      `${STEP}[0].next[0].if`,
    ],
  ],
  "reserved-expression-case": [
    [
      "a condition",
      withSteps({ id: "A", instructions: [{ if: { case: [] }, text: "t" }] }),
      "warning",
      `${STEP}[0].instructions[0].if`,
    ],
  ],
  "import-task-not-allowed": [
    ["a file", withTask({ type: "import", file: "x.json" }), "error", "$.context.task.type"],
  ],
  "value-and-value-from": [
    [
      "a variable",
      withTask({ type: "event", variables: [{ name: "v", value: 0, valueFrom: "a" }] }),
      "error",
      "$.context.task.variables[0]",
    ],
    [
      "a get",
      withSteps({ id: "A", on: { presubmit: [{ action: "get", value: "", valueFrom: "a" }] } }),
      "error",
      `${STEP}[0].on.presubmit[0]`,
    ],
  ],
  "action-not-allowed-for-event": [
    [
      "save on enter",
      withSteps({ id: "A", on: { enter: [{ action: "say", text: "t" }, { action: "save" }] } }),
      "error",
      `${STEP}[0].on.enter[1].action`,
    ],
    [
      "say on presubmit",
      withSteps({ id: "A", on: { presubmit: [{ action: "say", text: "t" }] } }),
      "error",
      `${STEP}[0].on.presubmit[0].action`,
    ],
    [
      "load on start",
      withTask({ type: "event", on: { start: [{ action: "load" }] } }),
      "error",
      "$.context.task.on.start[0].action",
    ],
    [
      "get on a computing task's submit",
      withTask({ type: "expression", on: { submit: [{ action: "get" }] } }),
      "error",
      "$.context.task.on.submit[0].action",
    ],
  ],
  "call-to-own-submit-tool": [
    [
      "its own",
      withTask({ type: "event", tool: { name: "own" }, on: { start: [{ action: "call", name: "own" }] } }),
      "error",
      "$.context.task.on.start[0].name",
    ],
  ],
  "submit-tool-name-collision": [
    [
      "another tool",
      withTask({ type: "event", tool: { name: "taken" } }),
      "error",
      "$.context.task.tool.name",
    ],
    [
      "another task",
      withTask([
        { type: "event", tool: { name: "x" } },
        { type: "event", tool: { name: "x" } },
      ]),
      "error",
      "$.context.task[1].tool.name",
    ],
    [
      "a generated one",
      withTask({ type: "event", tool: { name: "go_to_step" } }),
      "error",
      "$.context.task.tool.name",
    ],
  ],
  "unknown-tool-reference": [
    [
      "a call",
      withTask({ type: "event", on: { start: [{ action: "call", name: "lookpu" }] } }),
      "warning",
      "$.context.task.on.start[0].name",
    ],
    [
      "an allowed one",
      withSteps({ id: "A", tools: { allow: ["lookup", "lookpu", "go_to_step"] } }),
      "warning",
      `${STEP}[0].tools.allow[1]`,
    ],
    [
      "a call without a name",
      withTask({ type: "event", on: { start: [{ action: "call", name: "" }] } }),
      "warning",
      "$.context.task.on.start[0].name",
    ],
    [
      "an allowed one without a name",
      withSteps({ id: "A", tools: { allow: ["lookup", ""] } }),
      "warning",
      `${STEP}[0].tools.allow[1]`,
    ],
  ],
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
    [
      "in steps that go_to_step can reach",
      withSteps({ id: "A", tools: { allowGoToStep: true } }, { id: "B" }),
    ],
    ["in a loop", withSteps({ id: "A", next: [{ if: "x", id: "B" }, "A"] }, { id: "B" })],
    [
      "in a call of another task of the tool",
      withTask([
        { type: "event", on: { start: [{ action: "call", name: "x" }] } },
        { type: "steps", tool: { name: "x" }, steps: [{ id: "A", goal: "g" }] },
      ]),
    ],
    [
      "when value or valueFrom is null",
      withTask({
        type: "event",
        variables: [
          { name: "v", value: null, valueFrom: "a" },
          { name: "w", value: 0, valueFrom: null },
        ],
      }),
    ],
  ])("%s", (_what, whole) => {
    expect(toolIssues(whole, around)).toEqual([]);
  });
});

test("a condition that is never run is not compiled: {case} is told, what is in it is not", () => {
  const reserved = withSteps({ id: "A", instructions: [{ if: { case: [{ if: "(((" }] }, text: "t" }] });
  expect(toolIssues(reserved, around).map(({ id }) => id)).toEqual(["reserved-expression-case"]);
});
