import { Expression } from "../expressions/expression.ts";
import { isRecord } from "../expressions/member.ts";
import type { Path } from "../schemas/validation-issue.ts";
import type { TaskAction, TaskEvent } from "./task-action.ts";
import type { Step, Task } from "./task-definition.ts";

/*
 * What is inside a task, each part with its place, so that a rule about actions or expressions need not know where in a
 * task they may stand.
 */

type PlacedAction = { action: TaskAction; event: TaskEvent; path: Path };
type PlacedExpression = { expression: Expression; path: Path };
type TextInTask = { text: string; path: Path };
export type PlacedName = { name: string; path: Path };

/** The steps of a steps task; none for the other kinds. */
export const stepsOf = (task: Task, path: Path): { step: Step; path: Path }[] =>
  task.type === "steps" ? task.steps.map((step, index) => ({ step, path: [...path, "steps", index] })) : [];

/** The events that each kind of task has of its own. A key beside them is kept, but nothing of ours has looked at it. */
const OWN_EVENTS: Record<Task["type"], readonly TaskEvent[]> = {
  steps: [],
  expression: ["start", "submit"],
  event: ["start"],
  import: [],
};

export function actionsOf(task: Task, path: Path): PlacedAction[] {
  const hooked = "on" in task ? hookedActions(task.on, path, OWN_EVENTS[task.type]) : [];
  return [...hooked, ...stepsOf(task, path).flatMap(({ step, path }) => hookedActions(step.on, path))];
}

type Hooks = { [event in TaskEvent]?: TaskAction[] | null | undefined };

/** The actions of one task's or step's own events. */
export const hookedActions = (
  on: Hooks | undefined,
  path: Path,
  events: readonly TaskEvent[] = ["start", "enter", "presubmit", "submit"],
): PlacedAction[] =>
  events.flatMap((event) =>
    (on?.[event] ?? []).map((action, index) => ({ action, event, path: [...path, "on", event, index] })),
  );

/** Everything of a task that may give a value by expression or by itself. */
export function valueSourcesOf(
  task: Task,
  path: Path,
): { value: unknown; valueFrom: Expression | null | undefined; path: Path }[] {
  const variables = (task.variables ?? []).map((variable, index) => ({
    value: variable.value,
    valueFrom: variable.valueFrom,
    path: [...path, "variables", index],
  }));
  const actions = actionsOf(task, path).flatMap(({ action, path }) =>
    action.action === "set" || action.action === "get" || action.action === "load"
      ? [{ value: action.value, valueFrom: action.valueFrom, path }]
      : [],
  );
  return [...variables, ...actions];
}

export function expressionsOf(task: Task, path: Path): PlacedExpression[] {
  const found: PlacedExpression[] = [];
  const add = (expression: Expression | null | undefined, ...at: Path) => {
    if (expression != null) found.push({ expression, path: at });
  };

  if (task.type === "expression") add(task.expression, ...path, "expression");
  for (const [index, variable] of (task.variables ?? []).entries()) {
    add(variable.if, ...path, "variables", index, "if");
  }
  for (const { valueFrom, path: at } of valueSourcesOf(task, path)) add(valueFrom, ...at, "valueFrom");
  for (const { action, path: at } of actionsOf(task, path)) {
    add(action.if, ...at, "if");
    if (action.action !== "call") continue;
    for (const { expression, path } of argumentParts(action.arguments, [...at, "arguments"]).expressions)
      add(expression, ...path);
    for (const [index, saved] of (action.result?.save ?? []).entries()) {
      add(saved.from, ...at, "result", "save", index, "from");
    }
  }
  for (const { step, path: at } of stepsOf(task, path)) {
    for (const key of ["instructions", "next"] as const) {
      for (const [index, item] of (step[key] ?? []).entries()) {
        if (typeof item !== "string") add(item.if, ...at, key, index, "if");
      }
    }
  }
  return found;
}

/**
 * Where a task writes: its variables, and what its actions set, count, keep and take from a tool's answer. A name without
 * `local.` or the like is a variable of the conversation, or a local where `isOwn`.
 */
export function writesOf(task: Task, path: Path): (PlacedName & { isOwn: boolean })[] {
  const variables = (task.variables ?? []).map(({ name }, index) => {
    return { name, path: [...path, "variables", index, "name"], isOwn: true };
  });
  const written = actionsOf(task, path).flatMap(({ action, path }): (PlacedName & { isOwn: boolean })[] => {
    switch (action.action) {
      case "set":
      case "inc":
        return [{ name: action.name, path: [...path, "name"], isOwn: false }];
      case "save":
        return action.name == null ? [] : [{ name: action.name, path: [...path, "name"], isOwn: false }];
      case "call":
        return (action.result?.save ?? []).map(({ to }, index) => {
          return { name: to, path: [...path, "result", "save", index, "to"], isOwn: task.type !== "event" };
        });
      default:
        return [];
    }
  });
  return [...variables, ...written];
}

/** Every text of a task that may hold templates. */
export function textsOf(task: Task, path: Path): TextInTask[] {
  const values = valueSourcesOf(task, path).flatMap(({ value, path }) =>
    typeof value === "string" ? [{ text: value, path: [...path, "value"] }] : [],
  );
  const said = actionsOf(task, path).flatMap(({ action, path }) =>
    action.action === "say"
      ? [{ text: action.text, path: [...path, "text"] }]
      : action.action === "call"
        ? argumentParts(action.arguments, [...path, "arguments"]).texts
        : [],
  );
  const steps = stepsOf(task, path).flatMap(({ step, path }) => [
    { text: step.goal, path: [...path, "goal"] },
    ...(step.instructions ?? []).map((item, index) =>
      typeof item === "string"
        ? { text: item, path: [...path, "instructions", index] }
        : { text: item.text, path: [...path, "instructions", index, "text"] },
    ),
  ]);
  return [...values, ...said, ...steps];
}

/** Deeper arguments are sent as they are. */
export const MAX_ARGUMENT_DEPTH = 100;

/** An object of the single key `valueFrom` gives what the expression does; more keys make it plain data. */
export function argumentExpression(part: object): { key: string; expression: Expression } | null {
  const [key, ...more] = Object.keys(part);
  if (!isRecord(part) || more.length > 0 || (key !== "valueFrom" && key !== "value_from")) return null;
  const expression = Expression.safeParse(part[key]);
  return expression.success ? { key, expression: expression.data } : null;
}

/** What is filled in of the arguments of a `call`, however deep it stands. */
function argumentParts(given: unknown, at: Path): { texts: TextInTask[]; expressions: PlacedExpression[] } {
  const texts: TextInTask[] = [];
  const expressions: PlacedExpression[] = [];
  const visit = (part: unknown, path: Path, depth: number): void => {
    if (typeof part === "string") texts.push({ text: part, path });
    if (depth === MAX_ARGUMENT_DEPTH || typeof part !== "object" || part === null) return;
    const computed = Array.isArray(part) || depth === 0 ? null : argumentExpression(part);
    if (computed) expressions.push({ expression: computed.expression, path: [...path, computed.key] });
    else
      for (const [key, item] of Object.entries(part))
        visit(item, [...path, Array.isArray(part) ? Number(key) : key], depth + 1);
  };
  visit(given, at, 0);
  return { texts, expressions };
}

/** The tools that a task calls, keeps to itself, or names as the only ones of a step. */
export function toolMentionsOf(task: Task, path: Path): PlacedName[] {
  const called = actionsOf(task, path).flatMap(({ action, path }) =>
    action.action === "call" ? [{ name: action.name, path: [...path, "name"] }] : [],
  );
  const allowed = stepsOf(task, path).flatMap(({ step, path }) =>
    (step.tools?.allow ?? []).map((name, index) => ({ name, path: [...path, "tools", "allow", index] })),
  );
  const kept = (task.tools ?? []).map((name, index) => ({ name, path: [...path, "tools", index] }));
  return [...called, ...allowed, ...kept];
}

/** The name under which the model sees a task, where it has one. */
export const taskToolName = (task: Task, path: Path): PlacedName | null =>
  task.tool?.name ? { name: task.tool.name, path: [...path, "tool", "name"] } : null;
