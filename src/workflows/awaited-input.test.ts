import { expect, test } from "vitest";
import type { StepsTask } from "../tools/task-definition.ts";
import { awaitedInput, FREE } from "./awaited-input.ts";
import { freshTask, type SessionTask } from "./workflow-state.ts";

const taskOf = (inputs: object[], key = "booking") =>
  ({
    key,
    task: {
      type: "steps",
      steps: [
        { id: "ask", goal: "", inputs },
        { id: "other", goal: "" },
      ],
    } as unknown as StepsTask,
    tool_name: key,
    tool: {},
  }) as SessionTask;
const input = (more: object) => ({ name: "it", required: true, ...more });
const open = (given: Record<string, unknown> = {}, step = "ask") => ({
  started: true,
  tasks: { booking: { ...freshTask(), status: "active" as const, step, inputs: given } },
});
const awaited = (...inputs: object[]) => awaitedInput([taskOf(inputs.map(input))], open());

test.each([
  [{ enum: ["check_up", "cleaning"] }, { kind: "choice", choices: ["check up", "cleaning"] }],
  [{ type: "boolean" }, { kind: "choice", choices: expect.arrayContaining(["yes", "no", "sí"]) }],
  [{ pattern: "^\\d{10}$" }, { kind: "dictated", characters: 10 }],
  [{ pattern: "[A-Z0-9]{6}" }, { kind: "dictated", characters: 6 }],
  [{ pattern: "^[A-Z]{2}-\\d+$" }, { kind: "dictated", characters: null }],
  [{ format: "email" }, { kind: "dictated", characters: null }],
  [{ format: "date" }, FREE],
  [{ type: "string" }, FREE],
])("an open step that lacks %o waits for %o", (more, expected) => {
  expect(awaited(more)).toEqual(expected);
});

test("what was given, what may be left out, and what another step asks is not waited for", () => {
  const two = [input({ name: "day", enum: ["Monday"] }), input({ name: "phone", pattern: "^\\d{4}$" })];
  expect(awaitedInput([taskOf(two)], open())).toEqual(FREE);
  expect(awaitedInput([taskOf(two)], open({ day: "Monday" }))).toEqual({ kind: "dictated", characters: 4 });
  expect(awaitedInput([taskOf(two)], open({ day: "Monday", phone: "1234" }))).toEqual(FREE);
  expect(awaitedInput([taskOf(two)], open({}, "other"))).toEqual(FREE);
  expect(awaitedInput([taskOf([input({ type: "boolean", required: false })])], open())).toEqual(FREE);
});

test("a conversation without a workflow, or before it, may be answered with anything", () => {
  expect(awaitedInput([], undefined)).toEqual(FREE);
  expect(awaitedInput([taskOf([input({ type: "boolean" })])], null)).toEqual(FREE);
  expect(awaitedInput([taskOf([input({ type: "boolean" })])], { started: false, tasks: {} })).toEqual(FREE);
});
