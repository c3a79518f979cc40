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
 * change is judged; null where they may, and then it is judged after them.
 */
export function unmetBeforeCalls(run: TaskRun, step: Step): Unmet | null {
  const actions = step.on?.submit ?? [];
  if (!actions.some(({ action }) => action === "call")) return null;
  const written = new Set(actions.flatMap(writtenBy).map(lastPart));
  for (const entry of step.next ?? []) {
    const next = typeof entry === "string" ? { id: entry } : entry;
    if (next.if != null) {
      if (mentions(next.if, written)) return null;
      if (!truthy(run.valueOf(next.if, run.scope))) continue;
    }
    const missing = unmet(run, next.requires).filter((name) => !written.has(lastPart(name)));
    return missing.length > 0 ? { to: next.id, missing } : null;
  }
  return null;
}

/** The required inputs of a transition that have no value. */
export const unmet = (run: TaskRun, requires: string[] | null | undefined): string[] =>
  (requires ?? []).filter((name) => isEmpty(own(run.state.inputs, name) ?? run.global(name)));

type SubmitAction = NonNullable<NonNullable<Step["on"]>["submit"]>[number];

function writtenBy(action: SubmitAction): string[] {
  switch (action.action) {
    case "set":
    case "inc":
      return [action.name];
    case "save":
      return [...(action.inputs ?? []), ...(action.name ? [action.name] : [])];
    case "call":
      return ["last_call_error", ...(action.result?.save ?? []).map(({ to }) => to)];
    default:
      return [];
  }
}

const lastPart = (name: string): string => name.split(".").at(-1) as string;

const mentions = (condition: Expression, names: ReadonlySet<string>): boolean => {
  const text = JSON.stringify(condition);
  return [...names].some((name) => text.includes(name));
};
