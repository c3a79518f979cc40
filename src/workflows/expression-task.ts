import { Expression } from "../expressions/expression.ts";
import { isRecord } from "../expressions/member.ts";
import { Scope } from "../expressions/scope.ts";
import { renderTemplate } from "../expressions/template.ts";
import type { TaskRun } from "./task-run.ts";
import { MAX_VALUE_CHARACTERS, storable } from "./variable-path.ts";

/** Nesting past this stays as it is written. */
const MAX_DEPTH = 50;
/** An expression may take 50 ms, and nobody else is answered meanwhile. */
const MOST_VALUES = 100;

/**
 * What an expression task answers: the value of its expression, or its `output` filled in, where `output` and `result`
 * are that value and `{"valueFrom": …}` stands for what the expression in it gives.
 */
export function computeExpression(run: TaskRun): unknown {
  const { task } = run.session;
  if (task.type !== "expression") return null;
  const value = task.expression == null ? null : run.valueOf(task.expression, run.scope);
  const stored = storable(value);
  if (!stored) run.note("the value of the expression is too large");
  run.update({ output: stored?.value ?? null });
  if (task.output === undefined || task.output === null) return run.state.output;
  return storable(filled(run, task.output, withResult(run)))?.value ?? null;
}

function filled(run: TaskRun, template: unknown, scope: Scope): unknown {
  const budget = { left: MAX_VALUE_CHARACTERS };
  let values = 0;
  const computed = (expression: Expression): unknown => {
    if (++values > MOST_VALUES) {
      if (values === MOST_VALUES + 1) run.note(`the output has more than ${MOST_VALUES} valueFrom`);
      return null;
    }
    const stored = storable(run.valueOf(expression, scope));
    budget.left -= stored ? JSON.stringify(stored.value).length : 0;
    if (stored && budget.left >= 0) return stored.value;
    run.note("a valueFrom of the output is too large", { expression });
    return null;
  };
  const fill = (part: unknown, depth: number): unknown => {
    if (typeof part === "string") return renderTemplate(part, scope.lookup, { budget });
    if (depth === MAX_DEPTH || typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map((item) => fill(item, depth + 1));
    const keys = Object.keys(part);
    if (isRecord(part) && keys.length === 1 && keys[0] === "valueFrom") {
      const expression = Expression.safeParse(part.valueFrom);
      if (expression.success) return computed(expression.data);
      run.note("a valueFrom of the output is no expression");
      return null;
    }
    return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, fill(item, depth + 1)]));
  };
  return fill(template, 0);
}

/** `result` is the value too, also where the conversation has a variable of that name. */
function withResult(run: TaskRun): Scope {
  const { inputs, local, output } = run.state;
  return new Scope({ inputs, local, output, globals: { ...run.scope.all(), result: output } });
}
