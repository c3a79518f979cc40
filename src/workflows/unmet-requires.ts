import type { Expression } from "../expressions/expression.ts";
import { truthy } from "../expressions/json-value.ts";
import { own } from "../expressions/member.ts";
import type { Step } from "../tools/task-definition.ts";
import { isEmpty } from "../tools/tool-arguments.ts";
import type { TaskRun } from "./task-run.ts";

export type Unmet = { to: string; missing: string[] };

/**
 * The transition that a submission is going to be refused at, looked for before the step's `submit` actions, where one of
 * them calls a tool: a call that was made would be made again with the next submission. Only what those actions can't
 * change is judged; null where they may, and then it is judged after them. A task that is called may write any variable.
 */
export function unmetBeforeCalls(run: TaskRun, step: Step): Unmet | null {
  const actions = step.on?.submit ?? [];
  const called = actions.flatMap((action) => (action.action === "call" ? [action.name] : []));
  if (called.length === 0 || called.some((name) => run.around.callable(name)?.is_task)) return null;
  const inputs = (step.inputs ?? []).map(({ name }) => name);
  const given = new Set(actions.flatMap(givenBy).flatMap(partsOf));
  const saved = actions.flatMap((action) => savedBy(action, inputs));
  const changed = new Set([...given, ...saved.flatMap(partsOf)]);
  for (const entry of step.next ?? []) {
    const next = typeof entry === "string" ? { id: entry } : entry;
    if (next.if != null) {
      if (mentions(next.if, changed)) return null;
      if (!truthy(run.valueOf(next.if, run.scope))) continue;
    }
    // What is not written as an input is called lacks the input's value until it is saved.
    const mayCome = (name: string) =>
      partsOf(name).some((part) => (name === part ? given : changed).has(part));
    const missing = unmet(run, next.requires).filter((name) => !mayCome(name));
    return missing.length > 0 ? { to: next.id, missing } : null;
  }
  return null;
}

/** The required inputs of a transition that have no value. */
export const unmet = (run: TaskRun, requires: string[] | null | undefined): string[] =>
  (requires ?? []).filter((name) => isEmpty(own(run.state.inputs, name) ?? run.global(name)));

type SubmitAction = NonNullable<NonNullable<Step["on"]>["submit"]>[number];

/** The names that an action may give a value that they do not have. */
function givenBy(action: SubmitAction): string[] {
  switch (action.action) {
    case "set":
    case "inc":
      return [action.name];
    case "save":
      return action.name ? [action.name] : [];
    case "call":
      return ["last_call_error", ...(action.result?.save ?? []).map(({ to }) => to)];
    default:
      return [];
  }
}

/** The variables that an action sets to what the inputs of the same names have: one without a value gets none by it. */
const savedBy = (action: SubmitAction, inputs: readonly string[]): readonly string[] =>
  action.action === "save" && !action.name ? (action.inputs ?? inputs) : [];

const wordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

/** `local.order.paid` is part of `order`, too: what names either depends on it. */
const partsOf = (name: string): string[] =>
  wordsIn(name).filter((word, at) => at > 0 || !/^(local|output|vars)$/.test(word));

const mentions = (condition: Expression, names: ReadonlySet<string>): boolean =>
  wordsIn(JSON.stringify(condition)).some((word) => names.has(word));
