import type { Issue, Path } from "../../schemas/validation-issue.ts";
import type { Step, StepsTask } from "../task-definition.ts";

/*
 * Whether the steps of a task lead somewhere. Steps are a graph: the first one is where the task starts, `next` are the
 * edges, and a step without `next` ends it.
 */

type Edge = { to: string; conditional: boolean; path: Path };

const edgesOf = (step: Step): Edge[] =>
  (step.next ?? []).map((next, index) =>
    typeof next === "string"
      ? { to: next, conditional: false, path: ["next", index] }
      : { to: next.id, conditional: next.if != null, path: ["next", index, "id"] },
  );

export function duplicateStepIds(task: StepsTask, path: Path): Issue[] {
  const first = new Map<string, number>();
  return task.steps.flatMap(({ id }, index) => {
    const earlier = first.get(id);
    if (earlier === undefined) {
      first.set(id, index);
      return [];
    }
    return [
      {
        id: "duplicate-step-id",
        severity: "error" as const,
        message: `Another step has the id "${id}" already; give each step an id of its own.`,
        path: [...path, "steps", index, "id"],
        value: id,
      },
    ];
  });
}

export function unknownStepIds(task: StepsTask, path: Path): Issue[] {
  const known = new Set(task.steps.map((step) => step.id));
  return task.steps.flatMap((step, index) =>
    edgesOf(step)
      .filter((edge) => !known.has(edge.to))
      .map((edge) => ({
        id: "unknown-step-id",
        severity: "error" as const,
        message: `No step of this task has the id "${edge.to}".`,
        path: [...path, "steps", index, ...edge.path],
        value: edge.to,
      })),
  );
}

/** go_to_step jumps to any step, so where a step that can be reached offers it, all can. */
export function unreachableSteps(task: StepsTask, path: Path): Issue[] {
  const [first] = task.steps;
  if (!first) return [];
  const byId = new Map(task.steps.toReversed().map((step) => [step.id, step]));
  const reached = new Set([first.id]);
  for (const id of reached) {
    const step = byId.get(id);
    if (step?.tools?.allowGoToStep) return [];
    for (const { to } of step ? edgesOf(step) : []) reached.add(to);
  }
  return task.steps.flatMap((step, index) =>
    reached.has(step.id)
      ? []
      : [
          {
            id: "unreachable-step",
            severity: "warning" as const,
            message: `No way leads from the first step to "${step.id}".`,
            path: [...path, "steps", index],
            value: step.id,
          },
        ],
  );
}

export function missingFallbacks(task: StepsTask, path: Path): Issue[] {
  return task.steps.flatMap((step, index) => {
    const edges = edgesOf(step);
    if (edges.length === 0 || edges.some((edge) => !edge.conditional)) return [];
    return [
      {
        id: "no-fallback-transition",
        severity: "info" as const,
        message: `When no condition holds after "${step.id}", the task ends there; a last entry without a condition would catch that.`,
        path: [...path, "steps", index, "next"],
      },
    ];
  });
}

/** An entry without a condition is always taken, or asks for what it requires: none after it is looked at. */
export function deadTransitions(task: StepsTask, path: Path): Issue[] {
  return task.steps.flatMap((step, index) => {
    const edges = edgesOf(step);
    const last = edges.findIndex(({ conditional }) => !conditional);
    return edges.slice(last < 0 ? edges.length : last + 1).map(({ to }, after) => ({
      id: "dead-transition",
      severity: "warning" as const,
      message: `The entry before has no condition, so the way to "${to}" is never taken.`,
      path: [...path, "steps", index, "next", last + 1 + after],
      value: to,
    }));
  });
}

export const missingSteps = (task: StepsTask, path: Path): Issue[] =>
  task.steps.length > 0
    ? []
    : [
        {
          id: "no-steps",
          severity: "warning",
          message: "A task of steps without any does nothing; add its first step.",
          path: [...path, "steps"],
        },
      ];
