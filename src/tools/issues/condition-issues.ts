import { type ComparedSide, readsOf } from "../../expressions/jmespath-reads.ts";
import type { Issue, Path } from "../../schemas/validation-issue.ts";
import type { InputParameter, Task } from "../task-definition.ts";
import { actionsOf, expressionsOf, stepsOf, textsOf, writesOf } from "../task-parts.ts";
import { sourceOf, templateNames } from "./read-names.ts";

/*
 * Whether what expressions and templates name can have a value, and whether comparisons can hold. Only `inputs.…` and
 * `local.…` are judged by name: a variable of the conversation may come from anywhere. CEL is not looked into.
 */

export function conditionIssues(task: Task, path: Path): Issue[] {
  const known = namesOf(task, path);
  const read = expressionsOf(task, path)
    // What `result.save` takes is a part of the tool's answer.
    .filter((placed) => placed.path.at(-1) !== "from")
    .flatMap(({ expression, path }) => {
      const source = sourceOf(expression);
      if (source === null) return [];
      const at = typeof expression === "string" ? path : [...path, "expression"];
      const { paths, comparisons } = readsOf(source);
      return [
        ...unknownNames(paths, known, at, source),
        ...truthsAsNames(paths, known, at, source),
        ...comparisons.flatMap(({ operator, left, right }) => [
          ...wordsWithoutQuotes(operator, right, known, at, source),
          ...impossible(operator, left, right, known, at, source),
          ...unknownChoice(operator, left, right, known, at, source),
        ]),
      ];
    });
  const named = textsOf(task, path).flatMap(({ text, path }) =>
    unknownNames(templateNames(text), known, path, text),
  );
  return [...read, ...named];
}

type Known = {
  inputs: ReadonlyMap<string, InputParameter["type"]>;
  /** Of the inputs that take no other value. */
  choices: ReadonlyMap<string, ReadonlySet<string>>;
  locals: ReadonlySet<string>;
  /** The locals of which every write is a plain value of one type, or a count. */
  localTypes: ReadonlyMap<string, PlainType>;
  /** All names that stand for a value without `local.` or `inputs.` before them, as far as the task knows. */
  bare: ReadonlySet<string>;
};

function namesOf(task: Task, path: Path): Known {
  const declared = [
    ...stepsOf(task, path).flatMap(({ step }) => step.inputs ?? []),
    ...(task.type === "expression" ? (task.inputs ?? []) : []),
  ];
  const inputs = new Map<string, InputParameter["type"]>();
  for (const { name, type } of declared) {
    // Declared twice with different types, it may be either.
    inputs.set(name, inputs.has(name) && inputs.get(name) !== type ? null : (type ?? null));
  }
  const choices = new Map(
    [...Map.groupBy(declared, ({ name }) => name)].flatMap(([name, all]) =>
      all.every((one) => one.type === "string" && one.enum?.length)
        ? [[name, new Set(all.flatMap((one) => one.enum ?? []))] as const]
        : [],
    ),
  );
  const locals = new Set(["last_call_error"]);
  const bare = new Set([...inputs.keys()]);
  for (const { name, isOwn } of writesOf(task, path)) {
    const [first = "", second] = name.split(".");
    const isScoped = ["local", "inputs", "output", "vars"].includes(first);
    const own = isScoped ? second : first;
    if (own === undefined) continue;
    if (first === "local" || (isOwn && !isScoped)) locals.add(own);
    if (first === "inputs" && !inputs.has(own)) inputs.set(own, null);
    if (first === "inputs") choices.delete(own);
    bare.add(own);
  }
  return { inputs, choices, locals, bare, localTypes: typesOfLocals(task, path) };
}

function typesOfLocals(task: Task, path: Path): Map<string, PlainType> {
  const seen = new Map<string, Set<PlainType | null>>();
  const add = (name: string, type: PlainType | null) => {
    const [scope, local, ...deeper] = name.split(".");
    if (scope !== "local" || local === undefined) return;
    const types = seen.get(local) ?? new Set();
    seen.set(local, types.add(deeper.length > 0 ? null : type));
  };
  for (const { name, value, valueFrom } of task.variables ?? [])
    add(
      /^(local|output|vars)\./.test(name) ? name : `local.${name}`,
      valueFrom == null ? plainType(value) : null,
    );
  for (const { action } of actionsOf(task, path)) {
    if (action.action === "set") add(action.name, action.valueFrom == null ? plainType(action.value) : null);
    else if (action.action === "inc") add(action.name, "number");
    else if (action.action === "save" && action.name != null) add(action.name, null);
    else if (action.action === "call")
      for (const { to } of action.result?.save ?? [])
        add(/^(local|inputs|output|vars)\./.test(to) ? to : `local.${to}`, null);
  }
  return new Map(
    [...seen].flatMap(([name, types]) => {
      const [only] = types;
      return types.size === 1 && only != null ? [[name, only] as const] : [];
    }),
  );
}

/** A text with a template in it may become anything. */
const plainType = (value: unknown): PlainType | null =>
  typeof value === "string" ? (/[{]/.test(value) ? null : "string") : (PLAIN[typeof value] ?? null);

function unknownNames(
  paths: readonly (readonly string[])[],
  { inputs, locals }: Known,
  path: Path,
  value: string,
): Issue[] {
  const unknown = new Set(
    paths.flatMap(([scope, name]) => {
      if (name === undefined) return [];
      if (scope === "inputs" && !inputs.has(name)) return [`inputs.${name}`];
      return scope === "local" && !locals.has(name) ? [`local.${name}`] : [];
    }),
  );
  return [...unknown].map((name) => ({
    id: "unknown-name",
    severity: "warning",
    message: name.startsWith("inputs.")
      ? `No step has an input "${name.slice("inputs.".length)}", so ${name} has no value.`
      : `Nothing in this task sets ${name}, so it has no value.`,
    path,
    value,
  }));
}

function wordsWithoutQuotes(
  operator: string,
  right: ComparedSide,
  { bare }: Known,
  path: Path,
  value: string,
): Issue[] {
  if ((operator !== "==" && operator !== "!=") || right === null || !("path" in right)) return [];
  const [word = "", deeper] = right.path;
  // `null` is a name that never has a value, and so does what it says.
  if (deeper !== undefined || bare.has(word) || ["vars", "session", "null"].includes(word)) return [];
  if (TRUTHS.has(word)) return [];
  const cure = `A text stands in quotes: '${word}'. If a variable of the conversation is meant, write vars.${word}.`;
  return [readAsVariable(word, cure, path, value)];
}

const TRUTHS = new Set(["true", "false"]);

/** `true` is a name like any other, so that a condition of it alone never holds. */
const truthsAsNames = (
  paths: readonly (readonly string[])[],
  { bare }: Known,
  path: Path,
  value: string,
): Issue[] =>
  [...new Set(paths.flatMap(([word = "", deeper]) => (deeper === undefined ? [word] : [])))]
    .filter((word) => TRUTHS.has(word) && !bare.has(word))
    .map((word) => readAsVariable(word, `Write \`${word}\`.`, path, value));

const readAsVariable = (word: string, cure: string, path: Path, value: string): Issue => ({
  id: "word-without-quotes",
  severity: "warning",
  message: `${word} is read as a variable, which nothing here sets. ${cure}`,
  path,
  value,
});

/** An input's type against a value that is written beside it. Only numbers have an order. */
function impossible(
  operator: string,
  left: ComparedSide,
  right: ComparedSide,
  known: Known,
  path: Path,
  value: string,
): Issue[] {
  const input = typedIn(left, known) ?? typedIn(right, known);
  const literal = literalIn(left) ?? literalIn(right);
  if (!input || !literal || literal.value === null) return [];
  const isOrder = operator !== "==" && operator !== "!=";
  const given = typeof literal.value;
  const message =
    given !== input.type
      ? `${input.name} is ${ARTICLE[input.type]}, and ${JSON.stringify(literal.value)} is ${ARTICLE[given] ?? `a ${given}`}: ${isOrder ? "they have no order" : "they are never equal"}. ${cure(input.type, literal.value)}`
      : isOrder && given !== "number"
        ? `${operator} compares numbers only, and ${input.name} is ${ARTICLE[input.type]}.`
        : null;
  return message === null
    ? []
    : [{ id: "impossible-comparison", severity: "warning", message: message.trim(), path, value }];
}

/** `when == 'evenng'`, where `when` takes morning and evening only. */
function unknownChoice(
  operator: string,
  left: ComparedSide,
  right: ComparedSide,
  known: Known,
  path: Path,
  value: string,
): Issue[] {
  const name = inputIn(left, known) ?? inputIn(right, known);
  const literal = literalIn(left) ?? literalIn(right);
  const choices = name === null ? undefined : known.choices.get(name);
  if (!choices || (operator !== "==" && operator !== "!=")) return [];
  if (typeof literal?.value !== "string" || choices.has(literal.value)) return [];
  const message = `${name} is never '${literal.value}': its choices are ${[...choices].join(", ")}.`;
  return [{ id: "impossible-comparison", severity: "warning", message, path, value }];
}

type PlainType = "string" | "number" | "boolean";
const ARTICLE: Record<string, string> = { string: "a text", number: "a number", boolean: "true or false" };
const PLAIN: Record<string, PlainType> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
};

const cure = (type: PlainType, value: unknown): string =>
  type === "string"
    ? `Write '${String(value)}'.`
    : type === "number" && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)
      ? `Write \`${value}\`.`
      : "";

/** An input with its declared type, or a local with that of all its values. */
function typedIn(side: ComparedSide, known: Known): { name: string; type: PlainType } | null {
  if (side === null || !("path" in side)) return null;
  const [first, second, ...deeper] = side.path;
  const local = first === "local" && second !== undefined ? known.localTypes.get(second) : undefined;
  if (local !== undefined) return deeper.length > 0 ? null : { name: side.path.join("."), type: local };
  const type = PLAIN[known.inputs.get(inputIn(side, known) ?? "") ?? ""];
  return type ? { name: side.path.join("."), type } : null;
}

/** The input that is named, with `inputs.` before it or without. */
function inputIn(side: ComparedSide, { locals }: Known): string | null {
  if (side === null || !("path" in side)) return null;
  const [first = "", second, ...deeper] = side.path;
  if (deeper.length > 0) return null;
  if (first === "inputs") return second ?? null;
  return second === undefined && !locals.has(first) ? first : null;
}

const literalIn = (side: ComparedSide): { value: unknown } | null =>
  side !== null && "literal" in side ? { value: side.literal } : null;

/** `{{ local.tries }}` and `{{ inputs.email }}`, as paths. */
