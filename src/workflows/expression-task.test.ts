import { describe, expect, test } from "vitest";
import { TaskDriver } from "./run-steps.examples.ts";

const compute = (more: object, variables = {}) =>
  new TaskDriver({ type: "expression", tool: { name: "compute" }, ...more }, {}, variables);

describe("an expression task", () => {
  const inputs = [{ name: "n", type: "integer" }];
  test.each<[string, object, unknown]>([
    ["its value", { expression: "inputs.n" }, 4],
    ["a CEL value", { expression: { type: "cel", expression: "inputs.n * 2" } }, 8],
    ["null when it fails", { expression: { type: "cel", expression: "inputs.n / 0" } }, null],
    ["null without an expression", {}, null],
    [
      "its output filled in",
      {
        expression: "inputs.n",
        output: { text: "{{ result }} of {{ output }}", all: [{ valueFrom: "[output, inputs.n]" }] },
      },
      { text: "4 of 4", all: [[4, 4]] },
    ],
    ["null for a leaf that is no expression", { output: { valueFrom: 5 } }, null],
  ])("answers %s", (_title, more, expected) => {
    const driver = compute({ inputs, ...more });
    driver.start();
    expect(driver.submit({ n: 4 })).toEqual({ result: expected });
  });

  test("its output holds a hundred computed values and 256 KB, however often the value is in it", () => {
    const answer = (expression: string, times: number) => {
      const output = Array.from({ length: times }, () => ({ valueFrom: "result" }));
      const driver = compute({ expression, output });
      driver.start();
      const { result } = driver.submit({}) as { result: unknown[] };
      return { computed: result.filter((each) => each !== null).length, notes: driver.notes };
    };
    const tooMany = "the output has more than 100 valueFrom";
    expect(answer("'x'", 100)).toEqual({ computed: 100, notes: [] });
    expect(answer("'x'", 120)).toEqual({ computed: 100, notes: [tooMany] });
    const { computed, notes } = answer(`'${"x".repeat(8000)}'`, 90);
    expect(computed).toBe(32);
    expect(new Set(notes)).toEqual(new Set(["a valueFrom of the output is too large"]));
  });

  test("what it can't answer is noted for who reads the trace", () => {
    const noted = (more: object) => {
      const driver = compute(more);
      driver.start();
      return [driver.submit({}), driver.notes];
    };
    expect(noted({ output: { valueFrom: 5 } })).toEqual([
      { result: null },
      ["a valueFrom of the output is no expression"],
    ]);
    const whole = {
      type: "cel",
      expression: `'${"x".repeat(1000)}'${".replace('x', 'xxxxxxxx')".repeat(3)}`,
    };
    expect(noted({ expression: whole })).toEqual([
      { result: null },
      ["the value of the expression is too large"],
    ]);
  });

  test("arguments that don't fit are told and nothing is run", () => {
    const driver = compute({
      inputs,
      expression: "inputs.n",
      on: { submit: [{ action: "inc", name: "ran" }] },
    });
    driver.start();
    expect(driver.submit({ n: "four" })).toEqual({
      status: "error",
      errors: [{ input: "n", message: "n must be of type integer" }],
    });
    expect(driver.variables).toEqual({});
  });

  test("it can be called any number of times; its submit hook runs each time, its start hook once asked", () => {
    const on = {
      start: [{ action: "set", name: "begun", value: true }],
      submit: [{ action: "save" }, { action: "inc", name: "ran" }],
    };
    const driver = compute({ inputs, expression: "inputs.n", on });
    driver.start();
    expect(driver.variables).toEqual({});
    driver.send({ type: "start" });
    expect(driver.variables).toEqual({ begun: true });
    expect([driver.submit({ n: 1 }), driver.submit({ n: 2 })]).toEqual([{ result: 1 }, { result: 2 }]);
    expect(driver.variables).toEqual({ begun: true, n: 2, ran: 2 });
  });
});

describe("an event task", () => {
  test("runs its start hook; what its calls save are variables of the conversation", () => {
    const driver = new TaskDriver(
      {
        type: "event",
        on: {
          start: [
            { action: "call", name: "who", result: { save: [{ from: "name", to: "name" }] } },
            { action: "say", text: "Hello {{ name }}." },
          ],
        },
      },
      { who: { answer: () => ({ name: "Ann" }) } },
    );
    driver.start();
    expect(driver.said).toEqual([]);
    driver.send({ type: "start" });
    expect(driver.variables).toEqual({ name: "Ann" });
    expect(driver.said).toEqual(["Hello Ann."]);
    expect(driver.task.tool_name).toBeNull();
  });
});
