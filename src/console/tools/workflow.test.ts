import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Step, StepsTask } from "../api-types.ts";
import { addStep, connectSteps, nextOf, placeSteps, removeStep, renameStep } from "./workflow.ts";

const task = (steps: Step[]): StepsTask => ({ type: "steps", version: "v1alpha", start: "auto", steps });
const step = (id: string, ...next: string[]): Step => ({ id, goal: id, next });

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
});

describe("editing it", () => {
  const given = task([step("A", "B"), { ...step("B"), next: [{ id: "A", if: "x" }, "B"] }]);

  test("a renamed step keeps all that leads to it, with its conditions", () => {
    const renamed = renameStep(given, "A", "START");
    expect(renamed.steps?.map(nextOf)).toEqual([[{ id: "B" }], [{ id: "START", if: "x" }, { id: "B" }]]);
  });

  test("with a step goes what led to it", () => {
    expect(removeStep(given, "A").steps).toEqual([{ ...step("B"), next: ["B"] }]);
  });

  test("a new step has an id of its own, and a line is drawn once", () => {
    const added = addStep(task([step("STEP_2")]));
    expect(added.id).toBe("STEP_3");
    const joined = connectSteps(connectSteps(added.task, "STEP_2", "STEP_3"), "STEP_2", "STEP_3");
    expect(joined.steps?.[0]?.next).toEqual(["STEP_3"]);
  });
});
