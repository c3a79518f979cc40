import type { Step, StepsTask, ToolDefinition } from "../api-types.ts";

/** A steps task of a definition, with its place among the tasks; the API takes one task or a list. */
type PlacedTask = { task: StepsTask; index: number };

export function stepsTasks(definition: ToolDefinition): PlacedTask[] {
  const task = definition.context?.task;
  const all = task == null ? [] : Array.isArray(task) ? task : [task];
  return all.flatMap((each, index) => (each.type === "steps" ? [{ task: each, index }] : []));
}

export function withTask(definition: ToolDefinition, index: number, task: StepsTask): ToolDefinition {
  const given = definition.context?.task;
  const next = Array.isArray(given) ? given.with(index, task) : task;
  return { ...definition, context: { ...definition.context, task: next } };
}

export type NextEntry = { id: string; if?: unknown; requires?: string[] | null | undefined };

/** The transitions of a step, in the order in which they are tried. */
export const nextOf = (step: Step): NextEntry[] =>
  (step.next ?? []).map((entry) => (typeof entry === "string" ? { id: entry } : entry));

/** A condition as its author wrote it; null means always. */
export function conditionText(condition: unknown): string | null {
  if (condition === null || condition === undefined) return null;
  if (typeof condition === "string") return condition;
  const { type, expression } = condition as { type?: string; expression?: string };
  return expression === undefined
    ? JSON.stringify(condition)
    : type === "cel"
      ? `CEL ${expression}`
      : expression;
}

export type Place = { id: string; column: number; row: number };

/**
 * The layout of the steps: each is one row below the first step that leads to it, steps of a row side by side.
 * Unreachable steps come last.
 */
export function placeSteps(steps: readonly Step[]): Place[] {
  const rows = new Map<string, number>();
  const byId = new Map(steps.map((step) => [step.id, step]));
  const queue = steps[0] ? [steps[0].id] : [];
  if (steps[0]) rows.set(steps[0].id, 0);
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] as string;
    for (const { id: to } of nextOf(byId.get(id) as Step)) {
      if (rows.has(to) || !byId.has(to)) continue;
      rows.set(to, (rows.get(id) as number) + 1);
      queue.push(to);
    }
  }
  const below = rows.size === 0 ? 0 : Math.max(...rows.values()) + 1;
  const filled = new Map<number, number>();
  return steps.map(({ id }) => {
    const row = rows.get(id) ?? below;
    const column = filled.get(row) ?? 0;
    filled.set(row, column + 1);
    return { id, column, row };
  });
}

/** Renames a step and the transitions that lead to it. */
export function renameStep(task: StepsTask, from: string, to: string): StepsTask {
  const steps = (task.steps ?? []).map((step): Step => {
    const next = step.next?.map((entry) => {
      if (typeof entry === "string") return entry === from ? to : entry;
      return entry.id === from ? { ...entry, id: to } : entry;
    });
    return { ...step, id: step.id === from ? to : step.id, ...(next && { next }) };
  });
  return { ...task, steps };
}

export const replaceStep = (task: StepsTask, id: string, step: Step): StepsTask => ({
  ...task,
  steps: (task.steps ?? []).map((each) => (each.id === id ? step : each)),
});

/** Removes a step and the transitions that lead to it. */
export function removeStep(task: StepsTask, id: string): StepsTask {
  const steps = (task.steps ?? [])
    .filter((step) => step.id !== id)
    .map((step): Step => {
      const next = step.next?.filter((entry) => (typeof entry === "string" ? entry : entry.id) !== id);
      return { ...step, ...(next && { next }) };
    });
  return { ...task, steps };
}

export function addStep(task: StepsTask): { task: StepsTask; id: string } {
  const steps = task.steps ?? [];
  const taken = new Set(steps.map(({ id }) => id));
  let number = steps.length + 1;
  while (taken.has(`STEP_${number}`)) number++;
  const id = `STEP_${number}`;
  return { task: { ...task, steps: [...steps, { id, goal: "", instructions: [], next: [] }] }, id };
}

/** Adds a transition from one step to another, unless there is one. */
export function connectSteps(task: StepsTask, from: string, to: string): StepsTask {
  const step = task.steps?.find(({ id }) => id === from);
  if (!step || nextOf(step).some(({ id }) => id === to)) return task;
  return replaceStep(task, from, { ...step, next: [...(step.next ?? []), to] });
}
