import { Expression } from "../expressions/expression.ts";
import { isRecord } from "../expressions/member.ts";
import { Scope } from "../expressions/scope.ts";
import { renderTemplate } from "../expressions/template.ts";
import type { TaskRun } from "./task-run.ts";
import { storable } from "./variable-path.ts";

/** Nesting past this stays as it is written. */
const MAX_DEPTH = 50;

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
  return storable(filled(run, task.output, withResult(run), 0))?.value ?? null;
}

function filled(run: TaskRun, template: unknown, scope: Scope, depth: number): unknown {
  if (typeof template === "string") return renderTemplate(template, scope.lookup);
  if (depth === MAX_DEPTH || typeof template !== "object" || template === null) return template;
  if (Array.isArray(template)) return template.map((item) => filled(run, item, scope, depth + 1));
  const keys = Object.keys(template);
  if (isRecord(template) && keys.length === 1 && keys[0] === "valueFrom") {
    const expression = Expression.safeParse(template.valueFrom);
    if (expression.success) return run.valueOf(expression.data, scope);
    run.note("a valueFrom of the output is no expression");
    return null;
  }
  return Object.fromEntries(
    Object.entries(template).map(([name, item]) => [name, filled(run, item, scope, depth + 1)]),
  );
}

/** `result` is the value too, also where the conversation has a variable of that name. */
function withResult(run: TaskRun): Scope {
  const { inputs, local, output } = run.state;
  return new Scope({ inputs, local, output, globals: { ...run.scope.all(), result: output } });
}
