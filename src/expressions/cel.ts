import type { CelEnv, CelInput, CelResult } from "@bufbuild/cel";
import { MAX_INSTRUCTIONS, patternSize, TOO_LARGE } from "../base/pattern.ts";
import { celEnvironment, spendFrom } from "./cel-environment.ts";
import { celLibrary } from "./cel-library.ts";
import { fromJson, toJson } from "./cel-values.ts";
import { celFaultWords, celSyntaxWords } from "./cel-words.ts";
import { isRecord, own } from "./member.ts";
import { EvaluationError, Meter } from "./meter.ts";
import type { Plan } from "./plan.ts";
import { Scope } from "./scope.ts";
import { ExpressionSyntaxError } from "./syntax-error.ts";
import { timekeeper } from "./timer.ts";

/** Throws an ExpressionSyntaxError. */
export function planCel(source: string): Plan {
  const { costOfItem, timed, evaluate } = prepareCel(source, ownEnvironment());
  const withinTime = timekeeper();
  return (root) => {
    const run = () => {
      const meter = new Meter(costOfItem);
      spendFrom(meter);
      const result = evaluate(bindingsOf(root, meter));
      if (celLibrary().isCelError(result)) throw new EvaluationError(celFaultWords(result.message));
      return toJson(result, meter);
    };
    return timed ? withinTime(run) : run();
  };
}

let environment: CelEnv | undefined;
const ownEnvironment = (): CelEnv => {
  environment ??= celEnvironment();
  return environment;
};

type Prepared = {
  costOfItem: number;
  /** Whether steps alone cannot bound it. */
  timed: boolean;
  evaluate: (bindings: Record<string, CelInput>) => CelResult;
};

/** Also the door of the conformance tests, which bring values that JSON does not have. */
export function prepareCel(source: string, environment: CelEnv): Prepared {
  const parsed = parsedCel(source);
  const nodes = nodesOf(parsed.expr);
  for (const { kind, value, id } of nodes) {
    if (kind !== "callExpr" || isKnown(value as CelCall, environment)) continue;
    const at = parsed.sourceInfo?.positions[String(id)] ?? null;
    throw new ExpressionSyntaxError(`there is no function ${(value as CelCall).function}()`, at);
  }
  for (const { kind, value } of nodes) if (kind === "callExpr") refusePattern(value as CelCall, parsed);
  const loops = nodes.filter(({ kind }) => kind === "comprehensionExpr").map(({ value }) => value as Loop);
  const timed =
    loops.length > MAX_LOOPS || (loops.length > 0 && nodes.length > MAX_NODES) || !loops.every(isPlain);
  return {
    costOfItem: timed || loops.length === 0 ? 1 : nodes.length,
    timed,
    evaluate: celLibrary().plan(environment, parsed),
  };
}

/** Loops one after the other: each can double what it is given (`[x, x]`), and three make eight times as much. */
const MAX_LOOPS = 3;

/** A list written out in the expression is not metered; with no more nodes than this, going through it costs 2 ms. */
const MAX_NODES = 200;

/**
 * A loop over what was read from the root, or over what such a loop gave, with no loop and no dear function in it: its
 * rounds times the size of the expression bound it, and every item read spends as much. The others go under the timer: 200
 * × 200 × 200 rounds of nested loops take seconds, and no step of them is counted.
 */
function isPlain({ iterRange, accuInit: _, ...body }: Loop): boolean {
  return (
    (iterRange?.exprKind.case === "comprehensionExpr" ||
      nodesOf(iterRange).every(({ kind }) => PATH_OR_LIST.has(kind))) &&
    nodesOf(Object.values(body)).every(({ kind, value }) =>
      kind === "callExpr" ? isCheap(value as CelCall) : kind !== "comprehensionExpr",
    )
  );
}

const PATH_OR_LIST = new Set(["identExpr", "selectExpr", "listExpr", "constExpr"]);

/** Operators, and functions that take less than a microsecond or meter themselves. */
const isCheap = ({ function: name }: CelCall): boolean => /^\W|^_/.test(name) || CHEAP.has(name);

const CHEAP = new Set(
  "size contains startsWith endsWith matches lowerAscii upperAscii trim int double string type".split(" "),
);

function parsedCel(source: string) {
  try {
    return celLibrary().parse(source);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const { rawMessage, location } = error as {
      rawMessage?: string;
      location?: { start: { offset: number } };
    };
    throw new ExpressionSyntaxError(celSyntaxWords(rawMessage ?? ""), location?.start.offset ?? null);
  }
}

type ParsedCel = ReturnType<typeof parsedCel>;
type CelCall = { target?: unknown; function: string; args?: unknown };

/** A pattern that is written out is refused where it is too large, though it is compiled only when it is run. */
function refusePattern({ function: name, args }: CelCall, { sourceInfo }: ParsedCel): void {
  if (name !== "matches" || !Array.isArray(args)) return;
  const written = args.at(-1);
  const constant = own(own(own(written, "exprKind"), "value"), "constantKind");
  const source = own(constant, "value");
  if (own(constant, "case") !== "stringValue" || typeof source !== "string") return;
  if (patternSize(source) <= MAX_INSTRUCTIONS) return;
  const at = sourceInfo?.positions[String(own(written, "id"))] ?? null;
  throw new ExpressionSyntaxError(`matches: ${TOO_LARGE}`, at);
}
type Loop = { iterRange?: { exprKind: { case: string } }; accuInit?: unknown };
type CelNode = { kind: string; value: unknown; id: unknown };

/** Every expression within a syntax tree, whatever holds it. */
function nodesOf(tree: unknown, found: CelNode[] = []): CelNode[] {
  if (Array.isArray(tree)) for (const item of tree) nodesOf(item, found);
  if (!isRecord(tree)) return found;
  const { exprKind, id } = tree;
  if (isRecord(exprKind)) found.push({ kind: String(exprKind.case), value: exprKind.value, id });
  for (const part of Object.values(tree)) nodesOf(part, found);
  return found;
}

/** What the planner carries out itself, without a function. */
const OPERATORS = new Set(["_&&_", "_||_", "_?_:_", "_[_]", "@not_strictly_false"]);

function isKnown({ target, function: name }: CelCall, environment: CelEnv): boolean {
  if (OPERATORS.has(name) || environment.funcs.find(name)) return true;
  const qualifier = own(own(own(target, "exprKind"), "value"), "name");
  return environment.funcs.find(`${qualifier}.${name}`) !== undefined;
}

/** Names that CEL means itself (`type(x) == int`), unless the root has them. */
const TYPES = new Set("int uint double bool string bytes list map null_type type".split(" "));

/** `vars.pcp` that no key is called: all of `vars` need not be made for it. */
const variable = (scope: Scope, name: string): unknown =>
  /^vars\.[^.]+$/.test(name) ? scope.variable(name.slice("vars.".length)) : undefined;

/**
 * The root as the library asks for it: property by property, dotted names first (`vars.pcp` before `vars`). A name that
 * is not there is null; only a dotted one must be absent, so that its first part is asked for.
 */
function bindingsOf(root: unknown, meter: Meter): Record<string, CelInput> {
  const get = (_: object, name: string | symbol): CelInput | undefined => {
    if (typeof name !== "string") return undefined;
    const value = root instanceof Scope ? (root.get(name) ?? variable(root, name)) : own(root, name);
    if (value !== undefined) return fromJson(value, meter);
    return name.includes(".") || TYPES.has(name) ? undefined : null;
  };
  return new Proxy<Record<string, CelInput>>({}, { get });
}
