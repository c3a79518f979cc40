import { describe, expect, test } from "vitest";
import { ADDRESS_AND_TIME, steps, TaskDriver, taskOf } from "./run-steps.examples.ts";
import { MAX_VISITS } from "./run-steps.ts";

const ask = (name: string, more: object = {}) => ({ name, type: "string", ...more });
const start = (list: object[], more: object = {}, tools = {}, variables = {}) => {
  const driver = new TaskDriver(steps(list, more), tools, variables);
  return { driver, reply: driver.start() };
};

describe("the worked example: retry and branch", () => {
  const begin = () => {
    const driver = new TaskDriver(ADDRESS_AND_TIME, {}, { "vars.name": "Ann" });
    return { driver, first: driver.start() };
  };

  test("the first step is handed out with its goal, its instructions and what it collects", () => {
    expect(begin().first).toEqual({
      status: "active",
      step: "ASK_EMAIL",
      goal: "Get the e-mail address",
      instructions: ["Ask Ann for the e-mail address."],
      say: [],
      inputs: [{ name: "email", required: true }],
      collected: {},
    });
  });

  test.each([
    ["evening", "MAIL"],
    ["morning", "CALL"],
  ])("an address, then %s, leads to %s and ends there", (when, last) => {
    const { driver } = begin();
    expect(driver.submit({ email: "a@b.c" })).toMatchObject({
      step: "ASK_TIME",
      instructions: ["Ask when to reach a@b.c."],
    });
    expect(driver.variables.email).toBe("a@b.c");
    expect(driver.submit({ when })).toMatchObject({ status: "active", step: last });
    expect(driver.submit()).toMatchObject({ status: "completed", step: last });
    expect(driver.submit()).toEqual({ status: "completed" });
  });

  test("a wrong address is asked for again, and after three times given up", () => {
    const { driver } = begin();
    expect(driver.submit({ email: "nonsense" })).toMatchObject({
      step: "ASK_EMAIL",
      say: ["That does not look like an address."],
      instructions: ["Ask Ann for the e-mail address.", "It was wrong 1 time(s); spell it out."],
      collected: {},
    });
    driver.submit({ email: "more of it" });
    expect(driver.submit({ email: "still none" })).toMatchObject({
      step: "GIVE_UP",
      say: ["Let us leave it at that, Ann."],
    });
    expect(driver.said).toHaveLength(3);
    expect(driver.variables).not.toHaveProperty("email");
  });
});

describe("activation", () => {
  test("variables, the first step's start hook, then its enter hook; no other step's", () => {
    const mark = (name: string) => [
      { action: "set", name: "local.order", value: `{{ local.order }}${name}` },
    ];
    const { driver } = start(
      [
        { id: "A", on: { start: mark("s"), enter: mark("e") }, next: ["B"] },
        { id: "B", on: { start: mark("S"), enter: mark("E") } },
      ],
      { variables: [{ name: "order", value: "v" }] },
    );
    expect(driver.state.local.order).toBe("vse");
    driver.submit();
    expect(driver.state.local.order).toBe("vseE");
  });

  test.each([
    ["a value", { value: 3 }, 3],
    ["a template", { value: "hi {{ name }}" }, "hi Ann"],
    ["an expression", { valueFrom: "length(name)" }, 3],
    ["a condition that fails", { value: 1, if: "missing" }, undefined],
    ["nothing", {}, undefined],
  ])("a variable takes %s", (_title, variable, expected) => {
    const { driver } = start([{ id: "A" }], { variables: [{ name: "x", ...variable }] }, {}, { name: "Ann" });
    expect(driver.state.local.x).toEqual(expected);
  });

  test("a variable that is there already is not overwritten, one under its own scope is a local", () => {
    const variables = [
      { name: "vars.known", value: "new" },
      { name: "vars.fresh", value: "new" },
      { name: "local.mine", value: 1 },
      { name: "known", value: "mine" },
    ];
    const { driver } = start([{ id: "A" }], { variables }, {}, { "vars.known": "old" });
    expect(driver.variables).toEqual({ "vars.known": "old", "vars.fresh": "new" });
    expect(driver.state.local).toEqual({ mine: 1, known: "mine" });
  });

  test("a task that waits is brought to its first step by its first call, which submits nothing when it is empty", () => {
    const task = steps([{ id: "A", inputs: [ask("x")], next: ["B"] }, { id: "B" }], { start: "manual" });
    const empty = new TaskDriver(task);
    expect(empty.submit()).toMatchObject({ status: "active", step: "A" });
    const full = new TaskDriver(task);
    expect(full.submit({ x: "1" })).toMatchObject({ status: "active", step: "B" });
  });

  test("a task without steps is done at once", () => {
    expect(start([]).driver.state.status).toBe("completed");
  });

  test("activating twice does nothing the second time", () => {
    const { driver } = start([{ id: "A", on: { enter: [{ action: "inc", name: "n" }] } }]);
    expect(driver.start()).toBeNull();
    expect(driver.variables.n).toBe(1);
  });
});

describe("submission", () => {
  test.each<[string, object, unknown, string | null]>([
    ["a required one that is missing", {}, undefined, "x is required"],
    ["a required one that is null", {}, null, "x is required"],
    ["a required one that is empty", {}, "", "x is required"],
    ["an optional one that is missing", { required: false }, undefined, null],
    ["a text for a text", {}, "a", null],
    ["a number for a text", {}, 1, "x must be of type string"],
    ["a fraction for an integer", { type: "integer" }, 1.5, "x must be of type integer"],
    ["a text for a number", { type: "number" }, "1", "x must be of type number"],
    ["a text for a boolean", { type: "boolean" }, "true", "x must be of type boolean"],
    ["false for a required boolean", { type: "boolean" }, false, null],
    ["zero for a required integer", { type: "integer" }, 0, null],
    ["a list for an object", { type: "object" }, [], "x must be of type object"],
    ["an empty list for a list", { type: "array" }, [], null],
    ["anything where no type is said", { type: null }, { a: 1 }, null],
    ["one of the choices", { enum: ["a", "b"] }, "b", null],
    ["none of the choices", { enum: ["a", "b"] }, "c", "x must be one of a, b"],
    ["a number among choices", { type: "integer", enum: ["1", "2"] }, 2, null],
    ["what matches the pattern", { pattern: "^\\d+$" }, "12", null],
    ["what doesn't match the pattern", { pattern: "^\\d+$" }, "1a", "x must match ^\\d+$"],
    [
      "a pattern that would take for ever elsewhere",
      { pattern: "^(a+)+$" },
      `${"a".repeat(5000)}b`,
      "x must match ^(a+)+$",
    ],
    ["a date", { format: "date" }, "2026-02-28", null],
    ["no date", { format: "date" }, "2026-02-30", "x must be a valid date"],
    ["no address", { format: "email" }, "nobody", "x must be a valid email"],
    ["a format nobody knows", { format: "phone" }, "anything", null],
  ])("%s", (_title, more, value, expected) => {
    const { driver } = start([
      { id: "A", instructions: ["Ask."], inputs: [ask("x", more)], next: ["B"] },
      { id: "B" },
    ]);
    const reply = driver.submit({ x: value });
    if (expected === null) expect(reply).toMatchObject({ status: "active", step: "B" });
    else {
      const errors = [{ input: "x", message: expected }];
      expect(reply).toEqual({ status: "error", step: "A", errors, instructions: ["Ask."] });
      expect(driver.state).toMatchObject({ status: "active", step: "A" });
      expect(driver.state.inputs).toEqual({});
    }
  });

  test("what the step does not declare is dropped", () => {
    const { driver } = start([{ id: "A", inputs: [ask("x")], on: { submit: [{ action: "save" }] } }]);
    driver.submit({ x: "1", evil: "2", "local.tries": 9, __proto__: { polluted: true } });
    expect(driver.variables).toEqual({ x: "1" });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test.each(["__proto__", "constructor", "toString"])(
    "a task whose id is %s, which all objects know, has a state of its own",
    (id) => expect(taskOf(steps([{ id: "A" }], { id })).key in {}).toBe(false),
  );

  test("what was right stays collected when something else was not, and what was filled in before comes back", () => {
    const { driver } = start([
      {
        id: "A",
        inputs: [ask("x"), ask("day", { enum: ["mon"] })],
        on: { enter: [{ action: "get", inputs: ["day"], value: "mon" }] },
        next: ["B"],
      },
      { id: "B" },
    ]);
    for (const x of ["1", "2"]) {
      expect(driver.submit({ x, day: "nonsense" })).toMatchObject({ status: "error" });
      expect(driver.state.inputs).toEqual({ x, day: "mon" });
    }
    expect(driver.submit()).toMatchObject({ step: "B" });
  });

  test("presubmit runs before the check and can put an input right; submit runs only after it", () => {
    const { driver } = start([
      {
        id: "A",
        inputs: [ask("day", { enum: ["mon"] })],
        on: {
          presubmit: [
            { action: "inc", name: "seen" },
            { action: "set", name: "inputs.day", value: "mon", if: "inputs.day == 'monday'" },
          ],
          submit: [{ action: "inc", name: "taken" }],
        },
      },
    ]);
    driver.submit({ day: "friday" });
    expect(driver.variables).toEqual({ seen: 1 });
    driver.submit({ day: "monday" });
    expect(driver.variables).toEqual({ seen: 2, taken: 1 });
  });

  test("inputs begin anew at every visit", () => {
    const { driver } = start([{ id: "A", inputs: [ask("x")], next: ["A"] }]);
    expect(driver.submit({ x: "1" })).toMatchObject({ step: "A", collected: {} });
    expect(driver.submit()).toMatchObject({ status: "error" });
  });
});

describe("next", () => {
  test.each<[string, unknown[] | undefined, object, object]>([
    [
      "the first that holds wins",
      [{ id: "B", if: "inputs.x == 'no'" }, { id: "C", if: "inputs.x" }, "D"],
      { x: "1" },
      { step: "C" },
    ],
    ["a plain one always holds", ["D", { id: "B", if: "`true`" }], { x: "1" }, { step: "D" }],
    ["one without a condition always holds", [{ id: "B" }], { x: "1" }, { step: "B" }],
    [
      "none that holds ends the task there",
      [{ id: "B", if: "nothing" }],
      { x: "1" },
      { status: "completed", step: "A" },
    ],
    ["an empty list ends the task", [], { x: "1" }, { status: "completed", step: "A" }],
    ["no list ends the task", undefined, { x: "1" }, { status: "completed", step: "A" }],
    [
      "a condition that fails does not hold",
      [{ id: "B", if: { type: "cel", expression: "1 + 'a' == 2" } }, "C"],
      { x: "1" },
      { step: "C" },
    ],
    ["what it requires is collected", [{ id: "B", requires: ["x"] }], { x: "1" }, { step: "B" }],
    ["what it requires is a variable", [{ id: "B", requires: ["known"] }], { x: "1" }, { step: "B" }],
    [
      "what it requires is missing, and no later one is tried",
      [{ id: "B", requires: ["y"] }, "C"],
      { x: "1" },
      { status: "error", step: "A", errors: [{ input: "y", message: "y is needed before going on" }] },
    ],
    [
      "what a later one requires does not matter",
      [
        { id: "C", if: "`true`" },
        { id: "B", requires: ["y"] },
      ],
      { x: "1" },
      { step: "C" },
    ],
  ])("%s", (_title, next, given, expected) => {
    const first = { id: "A", inputs: [ask("x"), ask("y", { required: false })], ...(next && { next }) };
    const { driver } = start([first, { id: "B" }, { id: "C" }, { id: "D" }], {}, {}, { known: "yes" });
    expect(driver.submit({ ...given })).toMatchObject(expected);
  });

  test("a loop that nobody leaves is ended", () => {
    const { driver } = start([{ id: "A", next: ["A"] }]);
    let replies = 0;
    while (driver.submit()?.status === "active") replies++;
    expect(replies).toBe(MAX_VISITS - 1);
    expect(driver.state).toMatchObject({
      status: "completed",
      error: expect.stringContaining("more than 25 times"),
    });
  });

  test("a step that is not there ends the task and is noted", () => {
    const { driver } = start([{ id: "A", next: ["gone"] }]);
    expect(driver.submit()).toMatchObject({ status: "completed", error: 'There is no step "gone".' });
  });
});

describe("go_to_step", () => {
  const jump = (allowGoToStep: boolean) =>
    start([
      {
        id: "A",
        tools: { allowGoToStep },
        inputs: [ask("x")],
        on: { presubmit: [{ action: "inc", name: "n" }], submit: [{ action: "inc", name: "n" }] },
      },
      { id: "B", on: { enter: [{ action: "say", text: "Here." }] } },
    ]).driver;

  test("goes to a step without checks or hooks but enter", () => {
    const driver = jump(true);
    expect(driver.send({ type: "go_to_step", step_id: "B" })).toMatchObject({ step: "B", say: ["Here."] });
    expect(driver.variables).toEqual({});
  });

  test.each([
    ["a step that does not allow it", false, "B"],
    ["an unknown step", true, "Z"],
    ["no step", true, undefined],
    ["a name of an object's own", true, "constructor"],
  ])("%s is refused with the reason, and the step stays", (_title, allowed, step_id) => {
    const driver = jump(allowed);
    const message = allowed ? "step_id must be one of A, B" : "This step can't be left that way.";
    expect(driver.send({ type: "go_to_step", step_id })).toMatchObject({
      status: "error",
      step: "A",
      errors: [{ input: "step_id", message }],
    });
  });
});

describe("tools.call", () => {
  test.each([
    ["the task's own tool", {}, "submit"],
    ["the only one it allows", { allow: ["lookup"] }, "lookup"],
    ["its own where it allows several", { allow: ["lookup", "other"] }, "submit"],
  ])("forces %s, once", (_title, tools, tool) => {
    const inputs = [{ name: "x", required: false }];
    const { driver } = start([
      { id: "A", inputs, tools: { call: true, ...tools }, next: ["B"] },
      { id: "B" },
    ]);
    expect(driver.state.pending_calls).toEqual([{ tool, arguments: {}, immediate: true }]);
    driver.submit();
    expect(driver.state.pending_calls).toEqual([]);
  });

  test("of a step without inputs moves on without a model: hooks, conditions, next step", () => {
    const { driver, reply } = start(
      [
        {
          id: "ROUTE",
          tools: { call: true },
          on: {
            presubmit: [{ action: "set", name: "local.vip", valueFrom: "tier == 'gold'" }],
            submit: [{ action: "inc", name: "local.n" }],
          },
          next: [{ id: "VIP", if: "local.vip" }, "OTHERS"],
        },
        { id: "VIP", instructions: ["Greet by name."] },
        { id: "OTHERS" },
      ],
      {},
      {},
      { tier: "gold" },
    );
    expect(reply).toMatchObject({ status: "active", step: "VIP", instructions: ["Greet by name."] });
    expect(driver.state).toMatchObject({ pending_calls: [], local: { vip: true, n: 1 }, routed: 1 });
    expect(driver.trace.map(({ label }) => label)).toEqual([
      "entered",
      "routed",
      "condition",
      "entered",
      "variables",
    ]);
  });

  test("of a step whose transition lacks what it requires stays, and says what is missing", () => {
    const { driver, reply } = start([
      { id: "ROUTE", tools: { call: true }, next: [{ id: "B", requires: ["email"] }] },
      { id: "B" },
    ]);
    expect(reply).toMatchObject({ status: "error", step: "ROUTE", errors: [{ input: "email" }] });
    expect(driver.state).toMatchObject({ status: "active", agenda: [], pending_calls: [] });
  });

  test("of steps in a ring ends the task, and says why", () => {
    const ring = Array.from({ length: 3 }, (_, n) => ({
      id: `R${n}`,
      tools: { call: true },
      next: [`R${(n + 1) % 3}`],
    }));
    const { driver, reply } = start(ring);
    expect(reply).toMatchObject({
      status: "completed",
      error: "More than 50 steps were passed in a row without a submission.",
    });
    expect(driver.trace.filter(({ label }) => label === "routed")).toHaveLength(50);
  });

  test("of more steps than that goes on where submissions come between them", () => {
    const routes = Array.from({ length: 6 }, (_, n) => ({
      id: `R${n}`,
      tools: { call: true },
      next: [n < 5 ? `R${n + 1}` : "A"],
    }));
    const { driver } = start([{ id: "A", inputs: [ask("x")], next: ["R0"] }, ...routes]);
    for (let n = 0; n < 10; n++)
      expect(driver.submit({ x: "1" })).toMatchObject({ status: "active", step: "A" });
    expect(driver.trace.filter(({ label }) => label === "routed")).toHaveLength(60);
  });

  test("waits for a call that the model is made to make first", () => {
    const { driver } = start(
      [
        { id: "A", tools: { call: true }, on: { enter: [{ action: "call", name: "needy" }] }, next: ["B"] },
        { id: "B" },
      ],
      {},
      { needy: { required: ["id"], answer: () => 1 } },
    );
    expect(driver.state).toMatchObject({ step: "A", pending_calls: [{ tool: "needy" }, { tool: "submit" }] });
  });
});
