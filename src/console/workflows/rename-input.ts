import type { InputParameter, Step, StepsTask } from "../api-types.ts";

/**
 * Renames an input of a step with all that reads it: the lists of `requires`, `get` and `save`, `inputs.name` and the bare
 * name in expressions and in templates. Where another step asks for an input of the same name, that step's own parts and
 * the bare name elsewhere stay: they mean the other one.
 */
export function renameInput(task: StepsTask, id: string, from: string, to: string): StepsTask {
  const isShared = task.steps.some(
    (step) => step.id !== id && step.inputs?.some(({ name }) => name === from),
  );
  const steps = task.steps.map((step): Step => {
    if (step.id !== id) return isShared ? step : renamedIn(step, from, to);
    const renamed = renamedIn(step, from, to);
    const inputs = renamed.inputs?.map((input) => (input.name === from ? { ...input, name: to } : input));
    return inputs ? { ...renamed, inputs } : renamed;
  });
  return { ...task, steps };
}

/** The keys below which a list holds names of inputs. */
const LISTS = new Set(["requires", "inputs"]);
/** The keys that hold an expression, as a text. */
const EXPRESSIONS = new Set(["if", "valueFrom", "expression"]);
/** The keys whose texts are read literally. */
const PLAIN = new Set([
  "id",
  "action",
  "enum",
  "pattern",
  "format",
  "type",
  "role",
  "examples",
  "allow",
  "to",
  "name",
]);

/** A step's parts; of its own inputs the texts, not the names. */
const renamedIn = (step: Step, from: string, to: string): Step =>
  Object.fromEntries(
    Object.entries(step).map(([key, value]) => [
      key,
      key === "inputs"
        ? (value as InputParameter[]).map((input) => renamedTexts(input, from, to))
        : renamedValue(value, key, from, to),
    ]),
  ) as Step;

const renamedTexts = (input: InputParameter, from: string, to: string): InputParameter =>
  input.description ? { ...input, description: renamedText(input.description, from, to) } : input;

function renamedValue(value: unknown, key: string | null, from: string, to: string): unknown {
  if (typeof value === "string") {
    if (key !== null && PLAIN.has(key)) return value;
    return key !== null && EXPRESSIONS.has(key)
      ? renamedExpression(value, from, to)
      : renamedText(value, from, to);
  }
  if (Array.isArray(value)) {
    if (key !== null && LISTS.has(key)) return value.map((each) => (each === from ? to : each));
    return value.map((each) => renamedValue(each, key, from, to));
  }
  if (typeof value !== "object" || value === null) return value;
  // What is taken from a tool's answer is a part of that answer.
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === "from" ? each : renamedValue(each, name, from, to),
    ]),
  );
}

/** The templates of a text: `{{ name }}` and `{{ inputs.name }}`. */
const renamedText = (text: string, from: string, to: string): string =>
  text.replace(
    /(\{\{\s*)([\p{L}\p{M}\p{N}_.]+)(\s*\}\})/gu,
    (all, open: string, path: string, close: string) =>
      renamedPath(path, from, to) === path ? all : `${open}${renamedPath(path, from, to)}${close}`,
  );

function renamedPath(path: string, from: string, to: string): string {
  const parts = path.split(".");
  const at = parts[0] === "inputs" ? 1 : 0;
  return parts[at] === from ? parts.with(at, to).join(".") : path;
}

/** The names of an expression, outside of its texts. A part of something else (`a.name`) and a function are no such name. */
export function renamedExpression(source: string, from: string, to: string): string {
  const token = /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|[^\s\w]|\d+|\s+/gs;
  let before = "";
  let beforeThat = "";
  let beforeAll = "";
  return [...source.matchAll(token)]
    .map(({ 0: text, index }) => {
      if (/^\s+$/.test(text)) return text;
      const isPart = before === ".";
      const isOwn = isPart && beforeThat === "inputs" && beforeAll !== ".";
      const after = /^\s*(.)/.exec(source.slice(index + text.length))?.[1];
      const isName = text === from && (isOwn || (!isPart && after !== "(" && after !== ":"));
      [beforeAll, beforeThat, before] = [beforeThat, before, text];
      return isName ? to : text;
    })
    .join("");
}
