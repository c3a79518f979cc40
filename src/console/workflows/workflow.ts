import type { Expression, Step, StepEventActions, StepsTask, ToolDefinition } from "../api-types.ts";

/** A steps task of a definition, with its place among the tasks; the API takes one task or a list. */
export type PlacedTask = { task: StepsTask; index: number; path: (string | number)[] };

export function stepsTasks(definition: ToolDefinition): PlacedTask[] {
  const task = definition.context?.task;
  const path = ["context", "task"];
  if (task == null) return [];
  if (!Array.isArray(task)) return task.type === "steps" ? [{ task, index: 0, path }] : [];
  return task.flatMap((each, index) =>
    each.type === "steps" ? [{ task: each, index, path: [...path, index] }] : [],
  );
}

export function withTask(definition: ToolDefinition, index: number, task: StepsTask): ToolDefinition {
  const given = definition.context?.task;
  const next = Array.isArray(given) ? given.with(index, task) : task;
  return { ...definition, context: { ...definition.context, task: next } };
}

export type NextEntry = {
  id: string;
  if?: Expression | null | undefined;
  requires?: string[] | null | undefined;
};

/** The transitions of a step, in the order in which they are tried. */
export const nextOf = (step: Step): NextEntry[] =>
  (step.next ?? []).map((entry) => (typeof entry === "string" ? { id: entry } : entry));

export type StepEvent = keyof StepEventActions;
export type StepAction = NonNullable<StepEventActions[StepEvent]>[number];
export const STEP_EVENTS = ["start", "enter", "presubmit", "submit"] as const satisfies readonly StepEvent[];

/** All actions of a step, each with its event and its place in it. */
export const actionsOf = (step: Step): { action: StepAction; event: StepEvent; index: number }[] =>
  STEP_EVENTS.flatMap((event) => (step.on?.[event] ?? []).map((action, index) => ({ action, event, index })));

/** The tools that a step's actions call, each once. */
export const calledTools = (step: Step): string[] => [
  ...new Set(actionsOf(step).flatMap(({ action }) => (action.action === "call" ? [action.name] : []))),
];
