import type { Step, StepsTask } from "../api-types.ts";
import { freePlace, isArranged, moveSteps, type Point } from "./layout.ts";
import { type NextEntry, nextOf } from "./workflow.ts";

/* Edits of a workflow. Each makes a new task and leaves the given one as it is. */

/** Renames a step and all that leads to it; its place on the canvas comes along. */
export function renameStep(task: StepsTask, from: string, to: string): StepsTask {
  const steps = task.steps.map((step): Step => {
    const next = step.next?.map((entry) => {
      if (typeof entry === "string") return entry === from ? to : entry;
      return entry.id === from ? { ...entry, id: to } : entry;
    });
    return { ...step, id: step.id === from ? to : step.id, ...(next && { next }) };
  });
  return { ...withPlaces(task, (id) => (id === from ? to : id)), steps };
}

/** The kept places, by the names that the steps have now; null takes a place away. */
function withPlaces(task: StepsTask, nameOf: (id: string) => string | null): StepsTask {
  if (!isArranged(task)) return task;
  const canvas = Object.entries(task.config?.canvas as object).flatMap(([id, place]) => {
    const name = nameOf(id);
    return name === null ? [] : [[name, place]];
  });
  return { ...task, config: { ...task.config, canvas: Object.fromEntries(canvas) } };
}

export const editStep = (task: StepsTask, id: string, edited: (step: Step) => Step): StepsTask => ({
  ...task,
  steps: task.steps.map((each) => (each.id === id ? edited(each) : each)),
});

/** Removes a step and the transitions that lead to it. */
export function removeStep(task: StepsTask, id: string): StepsTask {
  const steps = task.steps
    .filter((step) => step.id !== id)
    .map((step): Step => {
      const next = step.next?.filter((entry) => (typeof entry === "string" ? entry : entry.id) !== id);
      return { ...step, ...(next && { next }) };
    });
  return { ...withPlaces(task, (name) => (name === id ? null : name)), steps };
}

/** Adds an empty step, below another one if it is given; `at` is where somebody dropped it. */
export function addStep(
  task: StepsTask,
  { below = null, at = null }: { below?: string | null; at?: Point | null } = {},
): { task: StepsTask; id: string } {
  const taken = new Set(task.steps.map(({ id }) => id));
  let number = task.steps.length + 1;
  while (taken.has(`STEP_${number}`)) number++;
  const id = `STEP_${number}`;
  const added = { ...task, steps: [...task.steps, { id, goal: "", instructions: [], next: [] }] };
  if (at === null && !isArranged(task)) return { task: added, id };
  return { task: moveSteps(added, new Map([[id, at ?? freePlace(task, below)]])), id };
}

/** Adds a transition from one step to another, unless there is one. */
export function connectSteps(task: StepsTask, from: string, to: string): StepsTask {
  return editStep(task, from, (step) =>
    nextOf(step).some(({ id }) => id === to) ? step : { ...step, next: [...(step.next ?? []), to] },
  );
}

/** Takes away one transition, by its place among those of its step. */
export function disconnect(task: StepsTask, from: string, index: number): StepsTask {
  return editStep(task, from, (step) =>
    step.next ? { ...step, next: step.next.toSpliced(index, 1) } : step,
  );
}

/** Makes a step the one where the workflow begins. */
export function makeFirst(task: StepsTask, id: string): StepsTask {
  const step = task.steps.find((each) => each.id === id);
  if (!step) return task;
  return { ...task, steps: [step, ...task.steps.filter((each) => each.id !== id)] };
}

/** The transitions of a step, a plain name where there is nothing but the name. */
export const withNext = (step: Step, entries: NextEntry[]): Step => ({
  ...step,
  next: entries.map(({ id, ...rest }) =>
    Object.values(rest).every((value) => value == null || (Array.isArray(value) && value.length === 0))
      ? id
      : { id, ...rest },
  ),
});
