import { describe, expect, test } from "vitest";
import { type FakeTool, steps, TaskDriver } from "./run-steps.examples.ts";

const ask = (name: string, more: object = {}) => ({ name, type: "string", ...more });

/** A first step that does this when it is entered. */
const entered = (
  enter: object[],
  more: { variables?: object; tools?: Record<string, FakeTool>; step?: object } = {},
) => {
  const task = steps([{ id: "A", on: { enter }, ...more.step }]);
  const driver = new TaskDriver(task, more.tools, { ...more.variables });
  const reply = driver.start();
  return { driver, reply };
};

describe("set", () => {
  test.each<[string, object, object, object]>([
    ["a variable", { name: "x", value: 1 }, {}, { x: 1 }],
    [
      "a text with variables in it",
      { name: "x", value: "{{ who }}!" },
      { who: "Ann" },
      { who: "Ann", x: "Ann!" },
    ],
    [
      "texts inside a value",
      { name: "x", value: { a: ["{{ who }}"] } },
      { who: "Ann" },
      { who: "Ann", x: { a: ["Ann"] } },
    ],
    [
      "what an expression gives",
      { name: "x", valueFrom: "length(who)" },
      { who: "Ann" },
      { who: "Ann", x: 3 },
    ],
    [
      "null for an expression that fails",
      { name: "x", valueFrom: { type: "cel", expression: "1 / 0" } },
      {},
      { x: null },
    ],
    ["null when it says nothing", { name: "x" }, { x: 1 }, { x: null }],
    ["a key with a dot", { name: "vars.pcp", value: 1 }, {}, { "vars.pcp": 1 }],
    [
      "the key that is there, by its bare name",
      { name: "pcp", value: 2 },
      { "vars.pcp": 1 },
      { "vars.pcp": 2 },
    ],
    ["the key that is there, by its long name", { name: "vars.pcp", value: 2 }, { pcp: 1 }, { pcp: 2 }],
    [
      "a path, making what lies on it",
      { name: "contact.phone.home", value: 1 },
      {},
      { contact: { phone: { home: 1 } } },
    ],
    [
      "a path into a value",
      { name: "contact.phone", value: 1 },
      { contact: { name: "Ann" } },
      { contact: { name: "Ann", phone: 1 } },
    ],
    ["a place in a list", { name: "list.1", value: 9 }, { list: [1, 2] }, { list: [1, 9] }],
    ["a place past the end of a list", { name: "list.2", value: 9 }, { list: [] }, { list: [null, null, 9] }],
    ["nothing far past the end", { name: "list.1000", value: 9 }, { list: [] }, { list: [] }],
    ["nothing under a plain value", { name: "x.y", value: 9 }, { x: "text" }, { x: "text" }],
    ["no variable of the program", { name: "vars.session.id", value: 9 }, {}, {}],
    ["no variable of the program by another name", { name: "session.id", value: 9 }, {}, {}],
    ["not all variables at once", { name: "vars", value: {} }, {}, {}],
    ["the voice", { name: "vars.session.voice", value: "Ava" }, {}, { "vars.session.voice": "Ava" }],
    ["no input, but before a submission", { name: "inputs.x", value: 9 }, {}, {}],
    ["no empty name", { name: "x..y", value: 9 }, {}, {}],
    ["no text without end", { name: "x", value: "x".repeat(300_000) }, {}, {}],
  ])("writes %s", (_title, action, variables, expected) => {
    const { driver } = entered([{ action: "set", ...action }], { variables, step: { inputs: [ask("x")] } });
    expect(driver.variables).toEqual(expected);
    expect(driver.state.inputs).toEqual({});
  });

  test("writes locals and the output", () => {
    const { driver } = entered([
      { action: "set", name: "local.a.b", value: 1 },
      { action: "set", name: "output.foo", value: "{{ local.a.b }}" },
    ]);
    expect(driver.state).toMatchObject({ local: { a: { b: 1 } }, output: { foo: "1" } });
    expect(driver.submit()).toMatchObject({ status: "completed", output: { foo: "1" } });
  });

  test("keeps no text that can't be stored", () => {
    const { driver } = entered([{ action: "set", name: "x", value: { "k\0": "a\0b\ud800" } }]);
    expect(driver.variables).toEqual({ x: { k: "ab\ufffd" } });
  });

  test.each(["__proto__.x", "local.__proto__.x", "local.constructor.prototype.x", "output.__proto__.x"])(
    "%s reaches no prototype",
    (name) => {
      entered([{ action: "set", name, value: true }]);
      expect(({} as { x?: boolean }).x).toBeUndefined();
    },
  );
});

describe("inc", () => {
  test.each<[string, object, object, unknown]>([
    ["a missing one counts as 0", {}, {}, 1],
    ["by what it says", { by: -3 }, { n: 5 }, 2],
    ["a text counts as 0", {}, { n: "7" }, 1],
    ["a fraction", {}, { n: 1.5 }, 2.5],
  ])("%s", (_title, more, variables, expected) => {
    const { driver } = entered([{ action: "inc", name: "n", ...more }], { variables });
    expect(driver.variables.n).toBe(expected);
  });
});

describe("get and load", () => {
  const inputs = [ask("name"), ask("day")];
  test.each<[string, object, object, object]>([
    [
      "all inputs from the variables of their names",
      {},
      { name: "Ann", "vars.day": "mon" },
      { name: "Ann", day: "mon" },
    ],
    ["only the ones it names", { inputs: ["name"] }, { name: "Ann", day: "mon" }, { name: "Ann" }],
    ["from a value", { inputs: ["name"], value: "{{ who }}" }, { who: "Bob" }, { name: "Bob" }],
    ["from an expression", { inputs: ["name"], valueFrom: "people[0]" }, { people: ["Cy"] }, { name: "Cy" }],
    ["nothing where there is nothing", {}, {}, {}],
    ["nothing the step does not declare", { inputs: ["other"], value: 1 }, {}, {}],
    ["nothing that an object has by itself", { inputs: ["constructor"] }, {}, {}],
  ])("%s", (_title, action, variables, expected) => {
    for (const name of ["get", "load"]) {
      const { driver, reply } = entered([{ action: name, ...action }], { variables, step: { inputs } });
      expect(driver.state.inputs).toEqual(expected);
      expect(reply).toMatchObject({ collected: expected });
    }
  });

  test("a local stands in for a variable, and what is there stays unless it is to be overwritten", () => {
    const { driver } = entered(
      [
        { action: "set", name: "local.name", value: "local" },
        { action: "get", inputs: ["name"] },
        { action: "get", inputs: ["name"], value: "other" },
        { action: "get", inputs: ["day"], value: "mon" },
        { action: "get", inputs: ["day"], value: "tue", overwrite: true },
      ],
      { step: { inputs } },
    );
    expect(driver.state.inputs).toEqual({ name: "local", day: "tue" });
  });
});

describe("save", () => {
  test.each<[string, object, object, object]>([
    ["each as a variable of its name", {}, { a: "1", b: "2" }, { a: "1", b: "2" }],
    ["only the ones it names", { inputs: ["b"] }, { a: "1", b: "2" }, { b: "2" }],
    [
      "one under a name is the value",
      { inputs: ["a"], name: "contact.a" },
      { a: "1" },
      { contact: { a: "1" } },
    ],
    [
      "several under a name are an object",
      { name: "contact" },
      { a: "1", b: "2" },
      { contact: { a: "1", b: "2" } },
    ],
    ["not what was not collected", {}, { a: "1" }, { a: "1", b: "kept" }],
    ["not what the step does not declare", { inputs: ["c"] }, { c: "1" }, {}],
  ])("%s", (title, action, given, expected) => {
    const step = {
      id: "A",
      inputs: [ask("a", { required: false }), ask("b", { required: false })],
      on: { submit: [{ action: "save", ...action }] },
    };
    const variables = title === "not what was not collected" ? { b: "kept" } : {};
    const driver = new TaskDriver(steps([step]), {}, variables);
    driver.start();
    driver.submit({ ...given });
    expect(driver.variables).toEqual(expected);
  });
});

describe("say", () => {
  test("the agent's texts are spoken and told to the model once, the user's enter the conversation", () => {
    const { driver, reply } = entered([
      { action: "say", text: "Hello {{ who }}." },
      { action: "say", text: "I am in.", role: "user" },
      { action: "say", text: " " },
      { action: "say", text: "Not this.", if: "missing" },
    ]);
    expect(driver.effects.slice(0, 2)).toEqual([
      { type: "say", text: "Hello ." },
      { type: "hear", text: "I am in." },
    ]);
    expect(reply).toMatchObject({ say: ["Hello ."] });
    expect(driver.state.say).toEqual([]);
  });
});

describe("call", () => {
  const tools = {
    lookup: {
      required: ["id"],
      answer: ({ id }: Record<string, unknown>) => ({ name: `no. ${id}`, free: [1, 2] }),
    },
    broken: {
      answer: () => {
        throw new Error("down");
      },
    },
  };
  const save = [
    { from: "name", to: "found" },
    { from: "free[0]", to: "vars.first" },
    { from: "missing.path", to: "local.nothing" },
  ];

  test("with all it requires it runs at once, and what it answers is kept", () => {
    const { driver } = entered(
      [
        { action: "call", name: "lookup", arguments: { id: "{{ who }}" }, result: { save } },
        { action: "set", name: "seen", value: "{{ found }}/{{ local.found }}" },
      ],
      { tools, variables: { who: "7" } },
    );
    expect(driver.called).toEqual([["lookup", { id: "7" }]]);
    expect(driver.state.local).toEqual({ found: "no. 7", nothing: null });
    expect(driver.variables).toEqual({ who: "7", seen: "no. 7/no. 7", "vars.first": 1 });
  });

  test.each([
    ["none given", {}, {}],
    ["one that renders to nothing", { id: "{{ missing }}", day: "mon" }, { day: "mon" }],
    ["null", { id: null }, {}],
  ])("without all it requires the model is made to call it: %s", (_title, given, known) => {
    const { driver, reply } = entered(
      [{ action: "call", name: "lookup", arguments: given, result: { save } }],
      { tools },
    );
    expect(driver.called).toEqual([]);
    expect(driver.state.pending_calls).toEqual([{ tool: "lookup", arguments: known, immediate: false }]);
    expect(reply).toMatchObject({ pending_tool_call: { tool: "lookup", arguments: known } });
  });

  test.each([
    ["a failure", "broken", "Error: down"],
    ["a tool that is not there", "gone", "There is no tool named gone to call."],
    ["the task's own tool", "submit", "There is no tool named submit to call."],
  ])("%s saves nothing and is remembered; the hook goes on", (_title, name, message) => {
    const { driver, reply } = entered(
      [
        { action: "call", name, result: { save } },
        { action: "set", name: "after", value: 1 },
      ],
      { tools },
    );
    expect(driver.state.local).toEqual({
      last_call_error: { tool: name, message, status: null, body: null },
    });
    expect(driver.variables).toEqual({ after: 1 });
    expect(reply).toMatchObject({ status: "active", step: "A" });
  });

  test("a later call that works makes the failure forgotten", () => {
    const call = (name: string) => ({ action: "call", name, arguments: { id: 1 } });
    const { driver } = entered([call("broken"), call("lookup")], { tools });
    expect(driver.state.local).toEqual({});
  });

  test("while a call runs, nothing else is taken", () => {
    const driver = new TaskDriver(
      steps([{ id: "A", on: { enter: [{ action: "call", name: "lookup", arguments: { id: 1 } }] } }]),
      tools,
    );
    driver.step({ type: "activate" });
    const { effects } = driver.step({ type: "submit", arguments: {} });
    expect(effects).toMatchObject([{ type: "reply", error: "The task is busy." }]);
    driver.step({ type: "called", result: {}, error: null });
    expect(driver.state).toMatchObject({ awaiting: false, agenda: [], step: "A" });
    driver.step({ type: "called", result: {}, error: null });
    expect(driver.notes).toContain("a call answered that nobody waits for");
  });
});

test("an action that its event does not take is skipped", () => {
  const task = steps([
    {
      id: "A",
      inputs: [ask("x")],
      on: { presubmit: [{ action: "say", text: "No." }], enter: [{ action: "save" }] },
    },
  ]);
  const driver = new TaskDriver(task);
  driver.start();
  driver.submit({ x: "1" });
  expect(driver.said).toEqual([]);
  expect(driver.notes).toEqual([
    "save is not an action of enter and was skipped",
    "say is not an action of presubmit and was skipped",
  ]);
});

describe("names in conditions and texts", () => {
  test("a variable of the conversation, then a local, then an input; what a call gave comes first", () => {
    const tools = { lookup: { answer: () => "captured" } };
    const { driver } = entered(
      [
        { action: "set", name: "local.a", value: "local" },
        { action: "set", name: "local.b", value: "local" },
        { action: "get", inputs: ["a", "b", "c"], value: "input" },
        { action: "call", name: "lookup", result: { save: [{ from: "@", to: "d" }] } },
        { action: "set", name: "seen", value: "{{ a }} {{ b }} {{ c }} {{ d }}" },
      ],
      {
        tools,
        variables: { "vars.a": "global", d: "global" },
        step: { inputs: [ask("a"), ask("b"), ask("c")] },
      },
    );
    expect(driver.variables.seen).toBe("global local input captured");
  });
});

describe("the trace", () => {
  test("tells of steps, conditions and what changed, before and after", () => {
    const driver = new TaskDriver(
      steps([
        {
          id: "A",
          inputs: [ask("x")],
          on: { submit: [{ action: "inc", name: "n" }] },
          next: [{ id: "B", if: "n > `5`" }],
        },
        { id: "B" },
      ]),
      {},
      { n: 5 },
    );
    driver.start();
    driver.submit({ x: "1" });
    const rows = driver.trace.map(({ category, label, details }) => ({ category, label, details }));
    const row = (label: string, details: object) => ({
      category: "step",
      label,
      details: { workflow: "holder#0", ...details },
    });
    expect(rows).toEqual([
      row("entered", { step: "A", visit: 1 }),
      row("submission", { step: "A", inputs: { x: "1" } }),
      row("condition", { step: "A", where: "A.next.0", condition: "n > `5`", value: true, holds: true }),
      row("entered", { step: "B", visit: 1 }),
      row("variables", { step: "B", changes: { n: { before: 5, after: 6 } } }),
    ]);
  });
});
