import type { Expression } from "../expressions/expression.ts";
import { renderTemplate, wholeTemplate } from "../expressions/template.ts";
import { argumentExpression, MAX_ARGUMENT_DEPTH } from "../tools/task-parts.ts";
import type { TaskRun } from "./task-run.ts";
import { MAX_VALUE_CHARACTERS, type PathMembers } from "./variable-path.ts";

/** An expression takes up to its own bound of time, and everybody else is answered meanwhile. */
const MAX_EXPRESSIONS = 100;

/**
 * What a workflow's `call` hands to a tool. A text that is one template alone gives the value itself with its type, and
 * `{"valueFrom": …}` what the expression gives; any other text is rendered. What has no value is left out, or null
 * inside a list. null: the values are too large together.
 */
export function callArguments(run: TaskRun, given: PathMembers): PathMembers | null {
  const { lookup } = run;
  const budget = { left: MAX_VALUE_CHARACTERS };
  let expressions = 0;

  const taken = (value: unknown): unknown => {
    budget.left -= value === undefined ? 0 : (JSON.stringify(value)?.length ?? 0);
    return budget.left < 0 ? undefined : value;
  };
  const computed = (expression: Expression): unknown => {
    if (++expressions <= MAX_EXPRESSIONS) return taken(run.valueOf(expression, run.scope) ?? undefined);
    if (expressions === MAX_EXPRESSIONS + 1)
      run.note(`the arguments have more than ${MAX_EXPRESSIONS} valueFrom`);
    return undefined;
  };
  const fill = (part: unknown, depth: number): unknown => {
    if (typeof part === "string") {
      const name = wholeTemplate(part);
      return name === null ? renderTemplate(part, lookup, { budget }) : taken(lookup(name) ?? undefined);
    }
    if (depth === MAX_ARGUMENT_DEPTH || typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((item) => fill(item, depth + 1) ?? null);
    const one = argumentExpression(part);
    return one === null ? members(part as PathMembers, depth) : computed(one.expression);
  };
  const members = (part: PathMembers, depth: number): PathMembers =>
    Object.fromEntries(
      Object.entries(part).flatMap(([name, item]) => {
        const value = fill(item, depth + 1);
        return value === undefined ? [] : [[name, value]];
      }),
    );

  const filled = members(given, 0);
  return budget.left < 0 ? null : filled;
}
