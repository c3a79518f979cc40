import fc from "fast-check";
import { expect, test } from "vitest";
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
