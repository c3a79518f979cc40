import { expect, test } from "vitest";
import { around, withSteps, withTask } from "../tool-definition.examples.ts";
import type { ToolDefinition } from "../tool-definition.ts";
import { toolIssues } from "./tool-issues.ts";

const found = (definition: ToolDefinition) =>
  toolIssues(definition, around).filter(({ severity }) => severity === "warning");

/** A step with an input of each type, which counts its tries and leads on by a condition. */
const leadsOnBy = (condition: unknown, more: object = {}): ToolDefinition =>
  withSteps(
    {
      id: "A",
      inputs: [
        { name: "email", type: "string" },
        { name: "age", type: "integer" },
        { name: "sure", type: "boolean" },
        { name: "any" },
        { name: "when", type: "string", enum: ["morning", "evening"] },
      ],
      on: { start: [{ action: "set", name: "local.tries", value: 0 }] },
      next: [{ id: "B", if: condition }, "A"],
      ...more,
    },
    { id: "B" },
  );

test.each([
  "local.tries >= `3` && age > `17`",
  "inputs.email == 'x' || email != vars.other.email",
  "sure == `true` || any == `5` || any == 'x'",
  "local.last_call_error.status == `404`",
  "days[?local.free && name == nobody]",
  "plan == 'gold' && session.channel == 'voice'",
  "email == inputs.any",
  "inputs.email == null",
  "when == 'evening' || inputs.when != 'morning' || when == vars.usual",
])("nothing is found in %s", (condition) => {
  expect(found(leadsOnBy(condition))).toEqual([]);
});

test.each([
  ["local.trys >= `3`", "Nothing in this task sets local.trys, so it has no value."],
  ["inputs.emial == 'x'", 'No step has an input "emial", so inputs.emial has no value.'],
  [
    "email == evening",
    "evening is read as a variable, which nothing here sets. A text stands in quotes: 'evening'. If a variable of the conversation is meant, write vars.evening.",
  ],
  ["sure == true", "true is read as a variable, which nothing here sets. Write `true`."],
  ["age == '5'", 'age is a number, and "5" is a text: they are never equal. Write `5`.'],
  ["inputs.age > '17'", 'inputs.age is a number, and "17" is a text: they have no order. Write `17`.'],
  ["email == `5`", "email is a text, and 5 is a number: they are never equal. Write '5'."],
  ["sure == 'true'", 'sure is true or false, and "true" is a text: they are never equal.'],
  ["true", "true is read as a variable, which nothing here sets. Write `true`."],
  ["when == 'Evening'", "when is never 'Evening': its choices are morning, evening."],
  ["'noon' != inputs.when", "when is never 'noon': its choices are morning, evening."],
  ["email > 'm'", "> compares numbers only, and email is a text."],
])("%s is told: %s", (condition, message) => {
  expect(found(leadsOnBy(condition)).map((issue) => issue.message)).toEqual([message]);
});

test("an input that an action writes may have another value than its choices", () => {
  const on = { presubmit: [{ action: "set", name: "inputs.when", valueFrom: "vars.usual" }] };
  expect(found(leadsOnBy("when == 'noon'", { on }))).toEqual([]);
});

test("templates that name an input or a local that is nowhere are found where they stand", () => {
  const texts = { instructions: ["Ask {{ inputs.email }} {{ local.tries }}", "Say {{ inputs.mail }}"] };
  expect(found(leadsOnBy("sure", texts)).map(({ id, path }) => [id, path.slice(3)])).toEqual([
    ["unknown-name", [0, "instructions", 1]],
  ]);
});

test("values and the arguments of calls are looked into, at any depth", () => {
  const call = {
    action: "call",
    name: "lookup",
    arguments: {
      email: "{{ inputs.emial }}",
      rows: [{ sum: { valueFrom: "local.trys" } }, "for {{ local.nobody }}"],
      known: ["{{ local.tries }}", { valueFrom: "inputs.age" }],
      plain: { valueFrom: "local.data", more: 1 },
    },
  };
  const on = { submit: [{ action: "set", name: "vars.mail", value: "{{ inputs.mail }}" }, call] };
  const steps = leadsOnBy("sure", {
    on: { start: [{ action: "set", name: "local.tries", value: 0 }], ...on },
  });
  expect(found(steps).map(({ message, path }) => [message, path.slice(6)])).toEqual([
    [
      "Nothing in this task sets local.trys, so it has no value.",
      [1, "arguments", "rows", 0, "sum", "valueFrom"],
    ],
    ['No step has an input "mail", so inputs.mail has no value.', [0, "value"]],
    ['No step has an input "emial", so inputs.emial has no value.', [1, "arguments", "email"]],
    ["Nothing in this task sets local.nobody, so it has no value.", [1, "arguments", "rows", 1]],
  ]);
});

test("what a call takes from a tool's answer is not judged, and may be named afterwards", () => {
  const call = {
    action: "call",
    name: "lookup",
    result: { save: [{ from: "local.x.y", to: "booking" }] },
  };
  const steps = { on: { start: [call] }, inputs: [], next: [{ id: "B", if: "local.booking" }, "A"] };
  expect(found(leadsOnBy("x", steps))).toEqual([]);
});

test("a task's variables are locals, and CEL is left alone", () => {
  const task = {
    type: "event",
    variables: [{ name: "tries", value: 0 }],
    on: {
      start: [
        { action: "say", text: "{{ local.tries }}", if: { type: "cel", expression: "local.nothing == 1" } },
      ],
    },
  };
  expect(found(withTask(task))).toEqual([]);
});
