import type { Issue, Path } from "../../schemas/validation-issue.ts";
import type { Step, Task } from "../task-definition.ts";
import { actionsOf, hookedActions, stepsOf, writesOf } from "../task-parts.ts";
import { type NameInTask, readNames } from "./read-names.ts";

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

/**
 * A step's inputs are gone once it is left. Named in another step, they have a value only where something keeps them; a
 * call that lacks one has the model make it up.
 */
export function inputsLeftBehind(task: Task, path: Path): Issue[] {
  const steps = stepsOf(task, path);
  const askedBy = new Map(
    steps.flatMap(({ step }) => (step.inputs ?? []).map(({ name }) => [name, step.id] as const)),
  );
  const kept = new Set(keptNames(task, path));
  const found = readNames(task, path).flatMap((read) => {
    const [part, index] = read.path.slice(path.length);
    const reader = part === "steps" ? steps[Number(index)]?.step : undefined;
    const [first = "", second] = read.names;
    const isScoped = first === "inputs";
    const name = (isScoped ? second : first) ?? "";
    const step = askedBy.get(name);
    if (!reader || step === undefined || (!isScoped && kept.has(name))) return [];
    if (reader.inputs?.some((own) => own.name === name)) return [];
    return [inputLeftBehind({ name, step, isScoped, isKept: kept.has(name) }, read)];
  });
  // A name may stand twice in a text.
  return [...new Map(found.map((issue) => [JSON.stringify([issue.path, issue.message]), issue])).values()];
}

type LeftBehind = { name: string; step: string; isScoped: boolean; isKept: boolean };

function inputLeftBehind({ name, step, isScoped, isKept }: LeftBehind, { path, text }: NameInTask): Issue {
  const keep = `Keep it with the action save in that step${isScoped ? `, and write ${name}` : ""}.`;
  const cure = isKept ? `Write ${name} for the kept value.` : keep;
  const meant = isScoped ? "" : ` If a variable of the conversation is meant, write vars.${name}.`;
  const message = `${name} is an input of step ${step} and has no value once that step is left. ${cure}${meant}`;
  return { id: "input-left-behind", severity: "warning", message, path, value: text };
}

/** Names that something writes, or that a step fills from a variable of the conversation. */
function keptNames(task: Task, path: Path): string[] {
  const written = writesOf(task, path).map(
    ({ name }) => name.replace(/^(?:vars|local)\./, "").split(".")[0] ?? "",
  );
  const filled = stepsOf(task, path).flatMap(({ step, path }) =>
    hookedActions(step.on, path).flatMap(({ action }) => {
      const { inputs } = "inputs" in action ? action : {};
      if (action.action === "save") return action.name == null ? namesOf(step, inputs) : [];
      if (action.action !== "get" && action.action !== "load") return [];
      return action.value === undefined && action.valueFrom == null ? namesOf(step, inputs) : [];
    }),
  );
  return [...written, ...filled];
}

const namesOf = (step: Step, named: readonly string[] | null | undefined): readonly string[] =>
  named ?? (step.inputs ?? []).map(({ name }) => name);

const inputListsOf = (task: Task, path: Path) => [
  ...stepsOf(task, path).map(({ step, path }) => ({ inputs: step.inputs ?? [], path })),
  ...(task.type === "expression" ? [{ inputs: task.inputs ?? [], path }] : []),
];
