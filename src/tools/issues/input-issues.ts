import type { Issue, Path } from "../../schemas/validation-issue.ts";
import type { Task } from "../task-definition.ts";
import { actionsOf, hookedActions, stepsOf, writesOf } from "../task-parts.ts";

/*
 * Whether the inputs that a task names are there. These are warnings: such a workflow runs, but not as it reads.
 */

/** Of two inputs with one name in a step, the model is shown one. */
export function doubledInputs(task: Task, path: Path): Issue[] {
  return inputListsOf(task, path).flatMap(({ inputs, path }) => {
    const seen = new Set<string>();
    return inputs.flatMap(({ name }, index): Issue[] => {
      if (!seen.has(name)) {
        seen.add(name);
        return [];
      }
      return [
        {
          id: "duplicate-input",
          severity: "warning",
          message: `There is an input "${name}" here already; give each input a name of its own.`,
          path: [...path, "inputs", index, "name"],
          value: name,
        },
      ];
    });
  });
}

/** `get`, `load` and `save` go by the inputs of their own step, and pass over other names. */
export function unknownActionInputs(task: Task, path: Path): Issue[] {
  const places = [
    ...stepsOf(task, path).map(({ step, path }) => ({
      inputs: step.inputs ?? [],
      actions: hookedActions(step.on, path),
    })),
    ...(task.type === "expression" ? [{ inputs: task.inputs ?? [], actions: actionsOf(task, path) }] : []),
  ];
  return places.flatMap(({ inputs, actions }) => {
    const known = new Set(inputs.map(({ name }) => name));
    return actions.flatMap(({ action, path }) =>
      action.action === "get" || action.action === "load" || action.action === "save"
        ? (action.inputs ?? []).flatMap((name, index) =>
            known.has(name) ? [] : [unknownInput(action.action, name, [...path, "inputs", index])],
          )
        : [],
    );
  });
}

const unknownInput = (action: string, name: string, path: Path): Issue => ({
  id: "unknown-input",
  severity: "warning",
  message: `This step has no input "${name}", so ${action} passes over it.`,
  path,
  value: name,
});

/** A transition that requires what nobody collects or sets waits for ever, unless the conversation has such a variable. */
export function unknownRequires(task: Task, path: Path): Issue[] {
  if (task.type !== "steps") return [];
  const given = new Set([
    ...inputListsOf(task, path).flatMap(({ inputs }) => inputs.map(({ name }) => name)),
    ...writesOf(task, path).map(({ name }) => name.replace(/^vars\./, "")),
  ]);
  return stepsOf(task, path).flatMap(({ step, path }) =>
    (step.next ?? []).flatMap((next, at) =>
      typeof next === "string"
        ? []
        : (next.requires ?? []).flatMap((name, index): Issue[] =>
            given.has(name.replace(/^vars\./, ""))
              ? []
              : [
                  {
                    id: "unknown-required-input",
                    severity: "warning",
                    message: `No step has an input "${name}" and nothing here sets it; the transition is refused unless the conversation has a variable of that name.`,
                    path: [...path, "next", at, "requires", index],
                    value: name,
                  },
                ],
          ),
    ),
  );
}

const inputListsOf = (task: Task, path: Path) => [
  ...stepsOf(task, path).map(({ step, path }) => ({ inputs: step.inputs ?? [], path })),
  ...(task.type === "expression" ? [{ inputs: task.inputs ?? [], path }] : []),
];
