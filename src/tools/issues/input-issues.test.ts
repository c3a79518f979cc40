import { expect, test } from "vitest";
import { around, withSteps } from "../tool-definition.examples.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { toolIssues } from "./tool-issues.ts";

const found = (definition: ToolDefinition): string[] =>
  toolIssues(definition, around)
    .filter(({ severity }) => severity !== "info")
    .map(({ id, path }) => `${id} ${path.slice(3).join(".")}`);

const EMAIL = { name: "email", type: "string" };

test("a second input of one name is found", () => {
  expect(found(withSteps({ id: "A", inputs: [EMAIL, { name: "phone" }, EMAIL] }))).toEqual([
    "duplicate-input 0.inputs.2.name",
  ]);
});

test("get and save of what their own step does not ask for are found", () => {
  const hooks = (inputs: string[]) => ({
    presubmit: [{ action: "get", inputs }],
    submit: [{ action: "save", inputs }],
  });
  expect(
    found(
      withSteps(
        { id: "A", inputs: [EMAIL], on: hooks(["email"]), next: ["B"] },
        { id: "B", inputs: [{ name: "phone" }], on: hooks(["phone", "email"]) },
      ),
    ),
  ).toEqual(["unknown-input 1.on.presubmit.0.inputs.1", "unknown-input 1.on.submit.0.inputs.1"]);
});

test("a transition that requires what no step asks for and nothing sets is found", () => {
  const requires = (name: string) => ({ id: "B", requires: [name] });
  const saved = { action: "call", name: "lookup", result: { save: [{ from: "id", to: "booking" }] } };
  const steps = (name: string) =>
    withSteps(
      {
        id: "A",
        on: { start: [{ action: "set", name: "vars.plan", value: 1 }, saved] },
        next: [requires(name)],
      },
      { id: "B", inputs: [EMAIL] },
    );
  for (const known of ["email", "plan", "vars.plan", "booking"]) expect(found(steps(known))).toEqual([]);
  expect(found(steps("emial"))).toEqual(["unknown-required-input 0.next.0.requires.0"]);
});

const asksFor = (name: string, more: object = {}) => ({ id: "A", inputs: [{ name }], next: ["B"], ...more });
const call = (value: unknown) => ({ action: "call", name: "lookup", arguments: { of: value } });

test("an input named in another step is reported unless something keeps it, and the message says how to keep it", () => {
  const issues = toolIssues(
    withSteps(asksFor("rx", { instructions: ["Ask for {{ rx }}."] }), {
      id: "B",
      instructions: ["Say {{ inputs.rx }} and {{ inputs.rx }}."],
      on: { submit: [call("{{ rx }}"), call({ valueFrom: "rx.code" })] },
      next: [{ id: "A", if: "inputs.rx == '1' || vars.rx == '2'" }],
    }),
    around,
  ).filter(({ severity }) => severity === "warning");
  const gone = "rx is an input of step A and has no value once that step is left.";
  expect(issues.map(({ id, path, message }) => [id, path.slice(3).join("."), message])).toEqual([
    ["input-left-behind", "1.on.submit.1.arguments.of.valueFrom", expect.stringContaining("write vars.rx")],
    ["input-left-behind", "1.next.0.if", `${gone} Keep it with the action save in that step, and write rx.`],
    [
      "input-left-behind",
      "1.on.submit.0.arguments.of",
      `${gone} Keep it with the action save in that step. If a variable of the conversation is meant, write vars.rx.`,
    ],
    ["input-left-behind", "1.instructions.0", expect.stringContaining(gone)],
  ]);
});

test.each([
  ["saved", asksFor("rx", { on: { submit: [{ action: "save" }] } })],
  ["saved by its name", asksFor("rx", { on: { submit: [{ action: "save", inputs: ["rx"] }] } })],
  ["saved under its own name", asksFor("rx", { on: { submit: [{ action: "save", name: "vars.rx" }] } })],
  ["set", asksFor("rx", { on: { submit: [{ action: "set", name: "local.rx", valueFrom: "inputs.rx" }] } })],
  ["a variable of the conversation before", asksFor("rx", { on: { enter: [{ action: "get" }] } })],
])("an input that is %s may be named in every step", (_how, step) => {
  expect(found(withSteps(step, { id: "B", goal: "{{ rx }}" }))).toEqual([]);
  // `inputs.` still means the step's own.
  expect(found(withSteps(step, { id: "B", goal: "{{ inputs.rx }}" }))).toEqual(["input-left-behind 1.goal"]);
});

test("an input that is saved under another name is not kept under its own", () => {
  const step = asksFor("rx", { on: { submit: [{ action: "save", name: "order" }] } });
  expect(found(withSteps(step, { id: "B", goal: "{{ rx }} {{ order }}" }))).toEqual([
    "input-left-behind 1.goal",
  ]);
});
