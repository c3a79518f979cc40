import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeDefinitions } from "./merge-definitions.ts";

const step = fc.record(
  { goal: fc.constantFrom("", "a", "b"), next: fc.array(fc.constantFrom("A", "B"), { maxLength: 2 }) },
  { requiredKeys: ["goal"] },
);
const definition = fc
  .record({ name: fc.constantFrom("x", "y"), steps: fc.dictionary(fc.constantFrom("A", "B", "C"), step) })
  .map(({ name, steps }) => ({
    tool: { name },
    context: { task: { steps: Object.entries(steps).map(([id, each]) => ({ id, ...each })) } },
  }));
const json = (value: unknown) => JSON.parse(JSON.stringify(value));

test("what only one of two people changed is theirs, and nobody is asked", () => {
  fc.assert(
    fc.property(definition, definition, (began, changed) => {
      for (const merged of [
        mergeDefinitions(began, changed, began),
        mergeDefinitions(began, began, changed),
        mergeDefinitions(began, changed, json(changed)),
      ])
        expect(merged).toEqual({ value: changed, conflicts: [] });
    }),
  );
});

test("each field of a step is what its one changer made of it; what both changed stays mine and is told", () => {
  fc.assert(
    fc.property(definition, definition, definition, (began, mine, theirs) => {
      const { value, conflicts } = mergeDefinitions(began, mine, theirs);
      const goal = (of: unknown, id: string): string | undefined =>
        (of as typeof began).context.task.steps.find((each) => each.id === id)?.goal;
      for (const id of ["A", "B", "C"]) {
        const [was, own, other] = [began, mine, theirs].map((each) => goal(each, id));
        if (was === undefined || own === undefined || other === undefined) continue;
        expect(goal(value, id)).toBe(own === was ? other : own);
        expect(conflicts.includes(`step ${id}.goal`)).toBe(own !== was && other !== was && own !== other);
      }
    }),
  );
});

test("a step that one removed and the other changed stays, and is told", () => {
  const began = {
    steps: [
      { id: "A", goal: "a" },
      { id: "B", goal: "b" },
    ],
  };
  const mine = {
    steps: [
      { id: "B", goal: "b" },
      { id: "C", goal: "c" },
    ],
  };
  const theirs = {
    steps: [
      { id: "A", goal: "A" },
      { id: "B", goal: "B" },
    ],
  };
  expect(mergeDefinitions(began, mine, theirs)).toEqual({
    value: {
      steps: [
        { id: "B", goal: "B" },
        { id: "C", goal: "c" },
        { id: "A", goal: "A" },
      ],
    },
    conflicts: ["step A"],
  });
});

describe("a step that was renamed", () => {
  const task = (...steps: object[]) => ({ type: "steps", steps });
  const ask = (id: string, more: object = {}) => ({ id, goal: "Ask for the name", next: ["END"], ...more });
  const end = { id: "END", goal: "Say goodbye", next: [] };
  const began = task({ id: "START", goal: "Greet", next: ["ASK"] }, ask("ASK"), end);
  const named = (id: string, more: object = {}) =>
    task({ id: "START", goal: "Greet", next: [id] }, ask(id, more), end);

  test("is one step with its new name and what the other person changed in it, whoever renamed it", () => {
    const changed = task(
      { id: "START", goal: "Greet", next: ["ASK"] },
      ask("ASK", { instructions: ["Kindly."] }),
      {
        ...end,
        next: ["ASK"],
      },
    );
    const both = task(
      { id: "START", goal: "Greet", next: ["ASK_NAME"] },
      ask("ASK_NAME", { instructions: ["Kindly."] }),
      {
        ...end,
        next: ["ASK_NAME"],
      },
    );
    const renamed = named("ASK_NAME");
    expect(mergeDefinitions(began, renamed, changed)).toEqual({ value: both, conflicts: [] });
    expect(mergeDefinitions(began, changed, renamed)).toEqual({ value: both, conflicts: [] });
  });

  test("by both to different names keeps mine, and is told", () => {
    expect(mergeDefinitions(began, named("MINE"), named("THEIRS", { instructions: ["Kindly."] }))).toEqual({
      value: named("MINE", { instructions: ["Kindly."] }),
      conflicts: ["step MINE.name"],
    });
  });

  test("keeps its place on the canvas", () => {
    const placed = (of: object, id: string) => ({ ...of, config: { canvas: { [id]: { x: 1, y: 2 } } } });
    const changed = placed(named("ASK", { instructions: ["Kindly."] }), "ASK");
    expect(mergeDefinitions(placed(began, "ASK"), placed(named("B"), "B"), changed)).toEqual({
      value: placed(named("B", { instructions: ["Kindly."] }), "B"),
      conflicts: [],
    });
  });

  test("and changed so much that it may be another step is asked about: the step that the other person changed stays, and is told", () => {
    const other = task(
      { id: "START", goal: "Greet", next: ["PAY"] },
      { id: "PAY", goal: "Take the money", next: [] },
      end,
    );
    const { value, conflicts } = mergeDefinitions(began, other, named("ASK", { instructions: ["Kindly."] }));
    expect(conflicts).toEqual(["step ASK"]);
    expect((value as typeof began).steps).toContainEqual(ask("ASK", { instructions: ["Kindly."] }));
  });

  test("while the other person removed it, or took its new name for another step, stays as each of them left it", () => {
    const removed = task({ id: "START", goal: "Greet", next: ["END"] }, end);
    const kept = mergeDefinitions(began, removed, named("ASK_NAME")).value as typeof began;
    expect(kept.steps).toContainEqual(ask("ASK_NAME"));
    const taken = task({ id: "START", goal: "Greet", next: ["ASK"] }, ask("ASK"), end, {
      id: "PAY",
      goal: "Pay",
    });
    const { value, conflicts } = mergeDefinitions(began, named("PAY"), taken);
    expect(
      (value as typeof began).steps.filter((step) => (step as { id: string }).id === "PAY"),
    ).toHaveLength(1);
    expect(conflicts).toEqual(["step PAY.goal"]);
  });
});
