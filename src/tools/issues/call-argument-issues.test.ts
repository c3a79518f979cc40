import { describe, expect, test } from "vitest";
import { MAX_STEPS, Meter } from "../../expressions/meter.ts";
import { targetOfTask, targetOfTool } from "../call-target.ts";
import { definition } from "../tool-definition.examples.ts";
import { type ToolDefinition, tasksOf } from "../tool-definition.ts";
import { callArgumentIssues } from "./call-argument-issues.ts";

const calling = (given: object) =>
  definition({
    context: {
      task: {
        type: "steps",
        steps: [
          { id: "A", goal: "g", on: { enter: [{ action: "call", name: "target", arguments: given }] } },
        ],
      },
    },
  });

function issuesOf(given: object, called: ToolDefinition, meter = new Meter()) {
  const [caller] = tasksOf(calling(given));
  const [task] = tasksOf(called);
  const target = task ? targetOfTask(task.task) : targetOfTool(called);
  return caller
    ? callArgumentIssues(caller.task, caller.path, new Map([["target", target]]), meter).map(
        ({ severity, message }) => `${severity}: ${message}`,
      )
    : [];
}

const stepsWith = (inputs: object[], presubmit: object[] = []) =>
  definition({
    context: { task: { type: "steps", steps: [{ id: "A", goal: "g", inputs, on: { presubmit } }] } },
  });

describe("the arguments of a call of a task", () => {
  test("fit the choices of an input by their text, as at run time", () => {
    const inputs = [
      { name: "sure", type: "boolean", enum: ["true"] },
      { name: "size", enum: ["38", "40"] },
      { name: "count", type: "integer", enum: ["1", "2"] },
    ];
    expect(issuesOf({ sure: true, size: 38, count: "2" }, stepsWith(inputs))).toEqual([]);
    expect(issuesOf({ sure: false, size: 39, count: 3 }, stepsWith(inputs))).toHaveLength(3);
  });

  test("may be anything where the step's presubmit hook writes inputs before they are checked", () => {
    const inputs = [{ name: "n", type: "integer" }];
    const mend = { action: "set", name: "inputs.n", valueFrom: "length(inputs.n)" };
    expect(issuesOf({ n: "many" }, stepsWith(inputs))).toHaveLength(1);
    expect(issuesOf({ n: "many" }, stepsWith(inputs, [mend]))).toEqual([]);
    expect(issuesOf({ n: "many" }, stepsWith(inputs, [{ action: "save" }]))).toHaveLength(1);
  });
});

describe("the arguments of a call of a tool", () => {
  test("are looked up in the whole schema where its parts refer to one another", () => {
    const parameters = {
      type: "object",
      properties: { from: { $ref: "#/$defs/day" }, to: { $ref: "#/properties/from" } },
      $defs: { day: { type: "string", pattern: "^\\d{4}-" } },
    };
    expect(issuesOf({ from: "2026-05-01", to: "2026-05-02" }, definition({}, parameters))).toEqual([]);
    expect(issuesOf({ from: "May", to: "June" }, definition({}, parameters))).toHaveLength(2);
  });

  test("of an unknown name are told with some of the names there are, not with thousands", () => {
    const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, {}]));
    const [told] = issuesOf({ q: 1 }, definition({}, { type: "object", properties }));
    expect(told).toMatch(/^warning: target has no parameter "q"; it takes p0, .*, p19 and others\.$/);
  });

  test("are judged until the meter of the definition is spent", () => {
    const meter = new Meter();
    const properties = { n: { type: "integer" } };
    meter.spend(MAX_STEPS - 4);
    expect(issuesOf({ n: "many" }, definition({}, { type: "object", properties }), meter)).toEqual([]);
  });
});
