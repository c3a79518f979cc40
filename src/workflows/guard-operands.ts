import { compileExpression, type Expression } from "../expressions/expression.ts";
import { readsOf } from "../expressions/jmespath-reads.ts";
import type { Lookup } from "../expressions/template.ts";

/** A name that a condition reads, with its value; null where it has none. */
export type Operand = { name: string; value: unknown };

/** What a condition reads of the variables, each name once, in the order of the text. Pure. */
export function operandsOf(condition: Expression, scope: { lookup: Lookup }): Operand[] {
  const compiled = compileExpression(condition);
  if (!compiled.ok) return [];
  const { language, source } = compiled.expression;
  if (language === "case") return [];
  const names = language === "cel" ? celNames(source) : readsOf(source).paths.map((path) => path.join("."));
  return [...new Set(names)].map((name) => ({ name, value: scope.lookup(name) ?? null }));
}

const CEL_WORDS = new Set(["true", "false", "null", "in"]);

/** CEL tells nobody what it reads, so names are taken from the text: those that are no call and stand in no quotes. */
function celNames(source: string): string[] {
  const plain = source.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  const found = plain.matchAll(/(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?![\w(])/g);
  return [...found].map(([name]) => name).filter((name) => !CEL_WORDS.has(name));
}
