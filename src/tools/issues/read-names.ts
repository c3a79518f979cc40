import { compileExpression, type Expression } from "../../expressions/expression.ts";
import { type ReadPath, readsOf } from "../../expressions/jmespath-reads.ts";
import type { Path } from "../../schemas/validation-issue.ts";
import type { Task } from "../task-definition.ts";
import { expressionsOf, textsOf } from "../task-parts.ts";

/** A name that a task reads, such as `["inputs", "age"]`, and the expression or text where it stands. */
export type NameInTask = { names: ReadPath; path: Path; text: string };

/** Every name that the expressions and templates of a task read. CEL is not looked into. */
export function readNames(task: Task, path: Path): NameInTask[] {
  const expressions = expressionsOf(task, path)
    // What `result.save` takes is a part of the tool's answer.
    .filter((placed) => placed.path.at(-1) !== "from")
    .flatMap(({ expression, path }) => {
      const text = sourceOf(expression);
      if (text === null) return [];
      const at = typeof expression === "string" ? path : [...path, "expression"];
      return readsOf(text).paths.map((names) => ({ names, path: at, text }));
    });
  const templates = textsOf(task, path).flatMap(({ text, path }) =>
    templateNames(text).map((names) => ({ names, path, text })),
  );
  return [...expressions, ...templates];
}

/** Of a JMESPath expression that can be read. */
export function sourceOf(expression: Expression): string | null {
  const compilation = compileExpression(expression);
  return compilation.ok && compilation.expression.language === "jmespath"
    ? compilation.expression.source
    : null;
}

export const templateNames = (text: string): string[][] =>
  [...text.matchAll(/\{\{\s*([\p{L}\p{M}\p{N}_.]+)\s*\}\}/gu)].map(([, name = ""]) => name.split("."));
