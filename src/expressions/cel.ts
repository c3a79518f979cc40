import { type CelEnv, type CelInput, type CelResult, isCelError, parse, plan } from "@bufbuild/cel";
import { errorText } from "../base/errors.ts";
import { celEnvironment, spendFrom } from "./cel-environment.ts";
import { fromJson, toJson } from "./cel-values.ts";
import { isRecord, own } from "./member.ts";
import { EvaluationError, Meter } from "./meter.ts";
import type { Plan } from "./plan.ts";
import { Scope } from "./scope.ts";
import { ExpressionSyntaxError } from "./syntax-error.ts";
import { withinTime } from "./timer.ts";

/** Throws an ExpressionSyntaxError. */
export function planCel(source: string): Plan {
  const { costOfItem, timed, evaluate } = prepareCel(source, environment);
  return (root) => {
    const meter = new Meter(costOfItem);
    const run = () => {
      const result = evaluate(bindingsOf(root, meter));
      if (isCelError(result)) throw new EvaluationError(result.message);
      return toJson(result, meter);
    };
    spendFrom(meter);
    return timed ? withinTime(run) : run();
  };
}

const environment = celEnvironment();

type Prepared = {
  costOfItem: number;
  /** Whether steps alone cannot bound it. */
  timed: boolean;
  evaluate: (bindings: Record<string, CelInput>) => CelResult;
};

/** Also the door of the conformance tests, which bring values that JSON does not have. */
export function prepareCel(source: string, environment: CelEnv): Prepared {
  const parsed = parsedCel(source);
  const nodes = [...nodesOf(parsed.expr)];
  for (const { kind, value, id } of nodes) {
    if (kind !== "callExpr" || isKnown(value as Call, environment)) continue;
    const at = parsed.sourceInfo?.positions[String(id)] ?? null;
    throw new ExpressionSyntaxError(`there is no function ${(value as Call).function}()`, at);
  }
  const loops = nodes.filter(({ kind }) => kind === "comprehensionExpr").map(({ value }) => value as Loop);
  const timed = loops.length > 0 && (nodes.length > MAX_UNTIMED || !loops.every(isPlain));
  return {
    costOfItem: timed || loops.length === 0 ? 1 : nodes.length,
    timed,
    evaluate: plan(environment, parsed),
  };
}

/** A list written out in the expression is not metered; with no more nodes than this, going through it costs 2 ms. */
const MAX_UNTIMED = 200;

/**
 * `exists`, `all` or `exists_one` over what was read from the root, and no loop in it: its rounds times the size of the
 * expression bound it, and every item read spends as much. Nested loops (200 × 200 × 200 rounds take seconds) and those
 * that build lists (which double by `x + x`) go under the timer.
 */
function isPlain({ iterRange, accuInit, ...body }: Loop): boolean {
  const range = nodesOf(iterRange);
  return (
    nodesOf(accuInit).every(({ kind }) => kind === "constExpr") &&
    range.every(({ kind }) => ["identExpr", "selectExpr", "listExpr", "constExpr"].includes(kind)) &&
    nodesOf(Object.values(body)).every(({ kind }) => kind !== "comprehensionExpr")
  );
}

function parsedCel(source: string) {
  try {
    return parse(source);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const { rawMessage, location } = error as {
      rawMessage?: string;
      location?: { start: { offset: number } };
    };
    throw new ExpressionSyntaxError(rawMessage ?? errorText(error), location?.start.offset ?? null);
  }
}

type Call = { target?: unknown; function: string };
type Loop = { iterRange?: unknown; accuInit?: unknown };
type Node = { kind: string; value: unknown; id: unknown };

/** Every expression within a syntax tree, whatever holds it. */
function* nodesOf(tree: unknown): Generator<Node> {
  if (Array.isArray(tree)) for (const item of tree) yield* nodesOf(item);
  if (!isRecord(tree)) return;
  if (isRecord(tree.exprKind))
    yield { kind: String(tree.exprKind.case), value: tree.exprKind.value, id: tree.id };
  for (const part of Object.values(tree)) yield* nodesOf(part);
}

/** What the planner carries out itself, without a function. */
const OPERATORS = new Set(["_&&_", "_||_", "_?_:_", "_[_]", "@not_strictly_false"]);

function isKnown({ target, function: name }: Call, environment: CelEnv): boolean {
  if (OPERATORS.has(name) || environment.funcs.find(name)) return true;
  const qualifier = own(own(own(target, "exprKind"), "value"), "name");
  return environment.funcs.find(`${qualifier}.${name}`) !== undefined;
}

/** Names that CEL means itself (`type(x) == int`), unless the root has them. */
const TYPES = new Set([
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "bytes",
  "list",
  "map",
  "null_type",
  "type",
]);

/**
 * The root as the library asks for it: property by property, dotted names first (`vars.pcp` before `vars`). A name that
 * is not there is null; only a dotted one must be absent, so that its first part is asked for.
 */
function bindingsOf(root: unknown, meter: Meter): Record<string, CelInput> {
  return new Proxy<Record<string, CelInput>>(
    {},
    {
      get(_, name) {
        const value =
          typeof name !== "string" ? undefined : root instanceof Scope ? root.get(name) : own(root, name);
        if (value !== undefined) return fromJson(value, meter);
        return typeof name !== "string" || name.includes(".") || TYPES.has(name) ? undefined : null;
      },
    },
  );
}
