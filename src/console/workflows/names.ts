import type { InputParameter, Step, StepsTask } from "../api-types.ts";
import { actionsOf } from "./workflow.ts";

/** A name that a condition or a text may use. */
export type KnownName = {
  name: string;
  about: string;
  type?: InputParameter["type"];
  choices?: readonly string[];
};

/**
 * The names that can have a value in a step: what it asks, what earlier steps saved, what the workflow sets, what it took
 * from a tool's answer, and `others`: variables of agents and of the program.
 */
export function namesAt(task: StepsTask, step: Step | null, others: readonly KnownName[]): KnownName[] {
  const own = (step?.inputs ?? []).map((input) => known(input.name, "asked in this step", input));
  const saved = task.steps.flatMap((each) => (each === step ? [] : savedNames(each)));
  const variables = (task.variables ?? []).map(({ name, type }) => ({
    name: localName(name),
    about: "of the workflow",
    ...(type && { type }),
  }));
  const written = task.steps.flatMap((each) =>
    actionsOf(each).flatMap(({ action }): KnownName[] => {
      if (action.action === "set") return [{ name: action.name, about: `set in ${each.id}` }];
      if (action.action === "inc")
        return [{ name: action.name, about: `counted in ${each.id}`, type: "number" }];
      if (action.action !== "call") return [];
      return (action.result?.save ?? []).map(({ to }) => ({
        name: localName(to),
        about: `answer of ${action.name}`,
      }));
    }),
  );
  const calls = task.steps.some((each) => actionsOf(each).some(({ action }) => action.action === "call"));
  const error = calls ? [{ name: "local.last_call_error", about: "why the last call failed" }] : [];
  const all = [...own, ...saved, ...variables, ...written, ...error, ...others].filter(
    ({ name }) => name !== "",
  );
  return [...new Map(all.toReversed().map((each) => [each.name, each])).values()].toReversed();
}

const localName = (name: string): string =>
  /^(local|inputs|output|vars)\./.test(name) || name === "" ? name : `local.${name}`;

function known(name: string, about: string, { type, enum: choices }: InputParameter): KnownName {
  return { name, about, ...(type && { type }), ...(choices?.length && { choices }) };
}

/** What a step leaves behind for later ones: its inputs are gone when it is left, unless they are saved. */
function savedNames(step: Step): KnownName[] {
  return actionsOf(step).flatMap(({ action }) => {
    if (action.action !== "save") return [];
    const inputs = (step.inputs ?? []).filter(
      ({ name }) => action.inputs == null || action.inputs.includes(name),
    );
    if (action.name == null) return inputs.map((input) => known(input.name, `saved in ${step.id}`, input));
    const [only] = inputs;
    if (inputs.length === 1 && only) return [known(action.name, `saved in ${step.id}`, only)];
    return inputs.map((input) => known(`${action.name}.${input.name}`, `saved in ${step.id}`, input));
  });
}
