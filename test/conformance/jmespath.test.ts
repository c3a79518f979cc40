import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { compileExpression, evaluate } from "../../src/expressions/expression.ts";

type Case = { expression: string; result?: unknown; error?: string };
type Suite = { given: unknown; cases: Case[] };

const folder = new URL("./jmespath/", import.meta.url);

/** Cases that fail, each with the reason; an empty list means that all pass. */
const KNOWN_FAILURES: Record<string, string> = {};

const CASES = 862;

test(`the JMESPath compliance suite passes: ${CASES - Object.keys(KNOWN_FAILURES).length} of ${CASES} cases`, () => {
  const failed: string[] = [];
  let cases = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const suites = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Suite[];
    for (const { given, cases: of } of suites) {
      for (const one of of) {
        cases++;
        if (!passes(one, given)) failed.push(`${file}: ${one.expression}`);
      }
    }
  }
  process.stdout.write(`JMESPath compliance: ${cases - failed.length} of ${cases} cases pass\n`);
  expect(failed).toEqual(Object.keys(KNOWN_FAILURES));
  expect(cases).toBe(CASES);
});

/** The suite leaves open when an error shows, and so does this: when the expression is compiled or when it runs. */
function passes({ expression, result, error }: Case, given: unknown): boolean {
  const compilation = compileExpression(expression);
  if (!compilation.ok) return error !== undefined;
  const evaluation = evaluate(compilation.expression, given);
  return evaluation.ok
    ? error === undefined && isDeepStrictEqual(evaluation.value, result)
    : error !== undefined;
}
