import { z } from "zod";
import { BoundedCache } from "../base/bounded-cache.ts";
import { PublicError } from "../base/errors.ts";
import { planCel } from "./cel.ts";
import { planJmespath } from "./jmespath.ts";
import { looseNegations } from "./jmespath-parse.ts";
import { truthy } from "./json-value.ts";
import { EvaluationError } from "./meter.ts";
import type { Plan } from "./plan.ts";
import { ExpressionSyntaxError } from "./syntax-error.ts";

/** What a field named `if`, `valueFrom`, `expression` or `from` holds. A plain text is JMESPath. */
export type Expression =
  | string
  | { type?: "jp" | "jmespath" | undefined; expression: string }
  | { type: "cel"; expression: string }
  | { case: CaseBranch[] };

type CaseBranch = { value?: unknown; valueFrom?: Expression | null; if?: Expression | null };

const Branch: z.ZodType<CaseBranch> = z.lazy(() =>
  z.looseObject({ value: z.unknown().optional(), valueFrom: Expression.nullish(), if: Expression.nullish() }),
);

/** Keys that mean nothing are kept; saving a tool warns of them. `{expression}` without a type fits the first object here, so it is JMESPath. */
export const Expression: z.ZodType<Expression> = z
  .union([
    z.string(),
    z.looseObject({ type: z.enum(["jp", "jmespath"]).default("jp"), expression: z.string() }),
    z.looseObject({ type: z.literal("cel").default("cel"), expression: z.string() }),
    // Refusing a type makes an unknown one (`{type: "js", …}`) a mistake in the type, not a case without its list.
    z.looseObject({ case: z.array(Branch).max(100), type: z.never().optional() }),
  ])
  .meta({ id: "Expression" });

type CompiledExpression = {
  readonly language: "jmespath" | "cel" | "case";
  readonly source: string;
  readonly plan: Plan;
};

/** `id` is that of the validation issue to show. */
type ExpressionWarning = { id: "reserved-expression-case" | "loose-negation"; message: string };

type Compilation =
  | { ok: true; expression: CompiledExpression; warnings: ExpressionWarning[] }
  /** `position` is the index of the character where it went wrong, when that can be told. */
  | { ok: false; message: string; position: number | null };

export type Evaluation = { ok: true; value: unknown } | { ok: false; message: string };

/** Some ten times what anyone wrote by hand. CEL's parser takes up to 0.1 s for its 2,048 characters, ours 5 ms. */
export const MAX_SOURCE_LENGTH = { jmespath: 8_192, cel: 2_048 } as const;

/** Brackets in brackets. A person loses count at six. */
const MAX_SOURCE_DEPTH = 50;

/** A plan holds some 10 KB, so a full cache 10 MB. */
const compilations = new BoundedCache<Compilation>(1_000);

/** Never throws. Compiling the same expression again costs 0.4 µs, so callers keep no plans of their own. */
export function compileExpression(expression: Expression): Compilation {
  if (typeof expression === "string") return compilation("jmespath", expression);
  if ("case" in expression && typeof (expression as { expression?: unknown }).expression !== "string")
    return RESERVED;
  const { type, expression: source } = expression as Exclude<typeof expression, { case: CaseBranch[] }>;
  return compilation(type === "cel" ? "cel" : "jmespath", source);
}

function compilation(language: "jmespath" | "cel", source: string): Compilation {
  const excess = excessOf(source, MAX_SOURCE_LENGTH[language]);
  return excess ?? compilations.get(`${language}:${source}`, () => compiled(language, source));
}

function compiled(language: "jmespath" | "cel", source: string): Compilation {
  try {
    const plan = language === "cel" ? planCel(source) : planJmespath(source);
    const warnings = language === "jmespath" ? looseNegations(source).map(negationWarning) : [];
    return { ok: true, expression: { language, source, plan }, warnings };
  } catch (error) {
    const position = error instanceof ExpressionSyntaxError ? error.position : null;
    return { ok: false, message: messageOf(error), position };
  }
}

const negationWarning = (at: number): ExpressionWarning => ({
  id: "loose-negation",
  message: `The ! at character ${at + 1} binds tighter than what follows it: !a.b is (!a).b, which has no value. Write !(a.b).`,
});

function excessOf(source: string, longest: number): Compilation | undefined {
  if (source.length > longest) {
    return { ok: false, message: `longer than ${longest} characters`, position: longest };
  }
  let depth = 0;
  for (const { 0: bracket, index } of source.matchAll(/[([{}\])]/g)) {
    depth += "([{".includes(bracket) ? 1 : -1;
    if (depth > MAX_SOURCE_DEPTH) {
      return { ok: false, message: `brackets are nested deeper than ${MAX_SOURCE_DEPTH}`, position: index };
    }
  }
  return undefined;
}

const RESERVED: Compilation = {
  ok: true,
  expression: {
    language: "case",
    source: "case",
    plan: () => {
      throw new EvaluationError("case expressions are reserved and not run");
    },
  },
  warnings: [
    {
      id: "reserved-expression-case",
      message: "case expressions are reserved and not run; this has no value",
    },
  ],
};

/**
 * The value of an expression over a scope, or over any JSON value (`result.save` reads the body of a tool's answer).
 * Never throws. A typical condition takes a microsecond or less, and nothing more than 50 ms (the first time 150).
 */
export function evaluate(expression: CompiledExpression, root: unknown): Evaluation {
  try {
    return { ok: true, value: expression.plan(root) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** For an `if`: what fails does not hold. */
export function isTrue(expression: CompiledExpression, root: unknown): boolean {
  const evaluation = evaluate(expression, root);
  return evaluation.ok && truthy(evaluation.value);
}

/**
 * A RangeError is the stack's: a chain of a thousand operators, or data a thousand levels deep. Anything else that wasn't
 * written for authors would tell them of our own code.
 */
const messageOf = (error: unknown): string => {
  if (error instanceof RangeError) return "nested too deeply";
  return error instanceof PublicError ? error.message : "it failed by a fault of the program";
};
