import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Step, StepsTask } from "../api-types.ts";
import { beginHistory, edited, redone, undone } from "./edit-history.ts";
import { exampleAnswer } from "./example-answer.ts";
import { arrange, moveSteps, placeSteps, positionsOf } from "./layout.ts";
import { namesAt } from "./names.ts";
import { nextRecorded, recordedCalls } from "./recorded-play.ts";
import { renamedExpression, renameInput } from "./rename-input.ts";
import {
  addStep,
  connectSteps,
  disconnect,
  editStep,
  makeFirst,
  removeStep,
  renameStep,
} from "./step-edits.ts";
import { nextOf } from "./workflow.ts";
import { toolNameOf } from "./workflow-templates.ts";

const task = (steps: Step[]): StepsTask => ({ type: "steps", version: "v1alpha", start: "auto", steps });
const step = (id: string, ...next: string[]): Step => ({ id, goal: id, next });
const given = task([step("A", "B"), { ...step("B"), next: [{ id: "A", if: "x" }, "B"] }]);

describe("the picture of a workflow", () => {
  test("each step stands below the first that leads to it, branches side by side, strays at the bottom", () => {
    const steps = [step("A", "B", "C"), step("B", "D"), step("C", "A"), step("D"), step("STRAY", "A")];
    expect(placeSteps(steps)).toEqual([
      { id: "A", column: 0, row: 0 },
      { id: "B", column: 0, row: 1 },
      { id: "C", column: 1, row: 1 },
      { id: "D", column: 0, row: 2 },
      { id: "STRAY", column: 0, row: 3 },
    ]);
  });

  test("no two steps stand in one place, however they are joined", () => {
    const ids = ["A", "B", "C", "D", "E", "F"];
    const graph = fc.array(fc.tuple(fc.constantFrom(...ids), fc.array(fc.constantFrom(...ids, "GONE"))), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(graph, (drawn) => {
        const unique = [...new Map(drawn).entries()].map(([id, next]) => step(id, ...next));
        const places = placeSteps(unique).map(({ column, row }) => `${column}/${row}`);
        expect(new Set(places).size).toBe(unique.length);
      }),
    );
  });

  test("moving one step keeps the others where they are; arranging forgets all of it", () => {
    const before = positionsOf(given);
    const moved = moveSteps(given, new Map([["B", { x: 500.4, y: 20 }]]));
    expect(positionsOf(moved).get("B")).toEqual({ x: 500, y: 20 });
    expect(positionsOf(moved).get("A")).toEqual(before.get("A"));
    expect(positionsOf(renameStep(moved, "B", "C")).get("C")).toEqual({ x: 500, y: 20 });
    expect(removeStep(moved, "B").config).toEqual({ canvas: { A: [0, 0] } });
    expect(arrange(moved)).toEqual(given);
    expect(arrange({ ...moved, config: { ...moved.config, owner: "desk" } }).config).toEqual({
      owner: "desk",
    });
  });

  test("a step taller than a row pushes what is below it down, and one that somebody moved stays", () => {
    const drawn = task([step("A", "B", "C"), step("B"), step("C", "D"), step("D")]);
    const at = (heights: Map<string, number>) => [...positionsOf(drawn, heights).values()].map(({ y }) => y);
    const usual = at(new Map());
    expect(at(new Map([["A", 90]]))).toEqual(usual);
    const [a, b, c, d] = at(
      new Map([
        ["A", 320],
        ["B", 500],
      ]),
    ) as [number, number, number, number];
    expect(a).toBe(0);
    expect(b).toBe(c);
    expect(b - a).toBeGreaterThan(320);
    expect(d - b).toBeGreaterThan(500);
    const moved = moveSteps(drawn, new Map([["D", { x: 0, y: 7 }]]));
    expect(positionsOf(moved, new Map([["A", 320]])).get("D")).toEqual({ x: 0, y: 7 });
  });

  test("what stands in the place of positions and is none is not shown, and breaks nothing", () => {
    for (const canvas of [null, 7, [1], { A: "left" }, { A: [1] }, { A: [Number.NaN, 2] }])
      expect(positionsOf({ ...given, config: { canvas } })).toEqual(positionsOf(given));
  });
});

describe("editing it", () => {
  test("a renamed step keeps all that leads to it, with its conditions", () => {
    const renamed = renameStep(given, "A", "START");
    expect(renamed.steps.map(nextOf)).toEqual([[{ id: "B" }], [{ id: "START", if: "x" }, { id: "B" }]]);
  });

  test("with a step goes what led to it", () => {
    expect(removeStep(given, "A").steps).toEqual([{ ...step("B"), next: ["B"] }]);
  });

  test("a new step has an id of its own, and a line is drawn once", () => {
    const added = addStep(task([step("STEP_2")]));
    expect(added.id).toBe("STEP_3");
    const joined = connectSteps(connectSteps(added.task, "STEP_2", "STEP_3"), "STEP_2", "STEP_3");
    expect(joined.steps[0]?.next).toEqual(["STEP_3"]);
  });

  const id = fc.constantFrom("A", "B", "STEP_3", "STEP_4", "GONE");
  const edit = fc.oneof(
    id.map((from) => (it: StepsTask) => addStep(it, { below: from }).task),
    id.map((from) => (it: StepsTask) => addStep(it, { below: from, at: { x: 7, y: 9 } }).task),
    id.map((from) => (it: StepsTask) => removeStep(it, from)),
    id.map((from) => (it: StepsTask) => makeFirst(it, from)),
    fc.tuple(id, id).map(
      ([from, to]) =>
        (it: StepsTask) =>
          connectSteps(it, from, to),
    ),
    fc.tuple(id, fc.nat(2)).map(
      ([from, at]) =>
        (it: StepsTask) =>
          disconnect(it, from, at),
    ),
    fc.tuple(id, fc.constantFrom("X", "Y")).map(
      ([from, to]) =>
        (it: StepsTask) =>
          renameStep(it, from, to),
    ),
    fc.tuple(id, fc.integer()).map(
      ([from, x]) =>
        (it: StepsTask) =>
          moveSteps(it, new Map([[from, { x, y: 0 }]])),
    ),
    fc.tuple(id, fc.string()).map(
      ([from, goal]) =>
        (it: StepsTask) =>
          editStep(it, from, (step) => ({ ...step, goal })),
    ),
    fc.constant(arrange),
  );

  test("any edits, undone one by one, leave the same bytes, and done again what they had made", () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 30 }), (edits) => {
        const begin = JSON.stringify(given);
        let history = beginHistory(given);
        for (const each of edits) history = edited(history, each(history.present));
        const end = JSON.stringify(history.present);
        for (const _ of edits) history = undone(history);
        expect(JSON.stringify(history.present)).toBe(begin);
        expect(undone(history)).toBe(history);
        for (const _ of edits) history = redone(history);
        expect(JSON.stringify(history.present)).toBe(end);
      }),
    );
  });

  test("typing on in a field is one edit; another field, a pause and Undo begin another", () => {
    const typed = (key: string, at_ms: number) => ({ key, at_ms });
    let history = edited(beginHistory("a"), "ab", typed("goal", 0));
    history = edited(history, "abc", typed("goal", 100));
    expect(undone(history).present).toBe("a");
    history = edited(history, "abcd", typed("goal", 5_000));
    expect(undone(history).present).toBe("abc");
    history = edited(history, "!", typed("id", 5_001));
    expect(undone(history).present).toBe("abcd");
    expect(undone(edited(undone(history), "e", typed("goal", 5_002))).present).toBe("abcd");
  });
});

describe("inputs", () => {
  const asking: StepsTask = task([
    {
      id: "ASK",
      goal: "Ask for {{ day }}",
      inputs: [{ name: "day", type: "string", enum: ["day"], required: true }],
      on: {
        submit: [
          { action: "save", inputs: ["day"] },
          {
            action: "call",
            name: "day",
            arguments: { on: "{{ inputs.day }}" },
            result: { save: [{ from: "day", to: "free" }] },
          },
        ],
      },
      next: [{ id: "END", if: "day == 'day' && a.day", requires: ["day"] }],
    },
    { id: "END", goal: "End", instructions: ["See you {{ day }}, {{ today }}."] },
  ]);

  test("a renamed input is renamed where it is read, and nothing else that has its letters", () => {
    const renamed = renameInput(asking, "ASK", "day", "date");
    expect(renamed.steps).toEqual([
      {
        id: "ASK",
        goal: "Ask for {{ date }}",
        inputs: [{ name: "date", type: "string", enum: ["day"], required: true }],
        on: {
          submit: [
            { action: "save", inputs: ["date"] },
            {
              action: "call",
              name: "day",
              arguments: { on: "{{ inputs.date }}" },
              result: { save: [{ from: "day", to: "free" }] },
            },
          ],
        },
        next: [{ id: "END", if: "date == 'day' && a.day", requires: ["date"] }],
      },
      { id: "END", goal: "End", instructions: ["See you {{ date }}, {{ today }}."] },
    ]);
    expect(JSON.stringify(renameInput(renamed, "ASK", "date", "day"))).toBe(JSON.stringify(asking));
  });

  test("a function, a member and a text of an expression keep their names", () => {
    expect(renamedExpression("length(length) > `1` && a.length", "length", "n")).toBe(
      "length(n) > `1` && a.length",
    );
    expect(renamedExpression("inputs.x == 'x' || vars.inputs.x", "x", "y")).toBe(
      "inputs.y == 'x' || vars.inputs.x",
    );
  });

  test("a later step knows what was saved, what a tool answered and what is set, and not what was only asked", () => {
    const names = namesAt(asking, asking.steps[1] as Step, []).map(({ name }) => name);
    expect(names).toEqual(["day", "local.free", "local.last_call_error"]);
    const unsaved = editStep(asking, "ASK", (step) => ({ ...step, on: {} }));
    expect(namesAt(unsaved, unsaved.steps[1] as Step, [])).toEqual([]);
  });
});

test("a tool's answer is made of its parts", () => {
  expect(exampleAnswer({ "slots[1].time": "09:00", "length(days)": "2", ok: "true" })).toEqual({
    slots: [undefined, { time: "09:00" }],
    days: [{}, {}],
    ok: true,
  });
});

test("of a session's calls the arguments are read, and those of its opening are none of anybody", () => {
  const event = (label: string, turn_index: number, request: object) => ({
    kind: "tool" as const,
    timestamp: "",
    offset: "",
    label,
    turn_index,
    tool_request: JSON.stringify(request),
    tool_result: '{"free":1}',
  });
  const calls = recordedCalls([
    event("submit", 0, {}),
    event("submit", 1, { day: "monday" }),
    event("find", 1, { method: "GET", url: "http://x", arguments: { on: "monday" } }),
  ]);
  expect(calls).toEqual([
    { tool: "submit", arguments: { day: "monday" }, result: { free: 1 }, error: null },
    { tool: "find", arguments: { on: "monday" }, result: { free: 1 }, error: null },
  ]);
});

test("a recorded conversation goes on with the answer that is awaited, or with the next submission", () => {
  const calls = [
    { tool: "submit", arguments: { day: "monday" }, result: null, error: null },
    { tool: "find", arguments: {}, result: { free: 2 }, error: null },
    { tool: "other", arguments: {}, result: null, error: null },
  ];
  const stand = { awaits: null, submit: "submit", isOver: false };
  expect(nextRecorded(calls, [], stand)).toEqual({
    place: 0,
    event: { type: "submit", arguments: { day: "monday" } },
  });
  expect(nextRecorded(calls, [null, 0], { ...stand, awaits: "find" })?.place).toBe(1);
  expect(nextRecorded(calls, [null, 0, 1], stand)).toBeNull();
  expect(nextRecorded(calls, [], { ...stand, isOver: true })).toBeNull();
});

test("what somebody calls a workflow becomes a name that a tool may have", () => {
  expect(toolNameOf("Book a visit!")).toBe("book_a_visit");
  fc.assert(
    fc.property(fc.string(), (title) => void expect(toolNameOf(title)).toMatch(/^[a-zA-Z0-9_-]{0,64}$/)),
  );
});
