import { equal, namesOf, plainCopy } from "./json-value.ts";
import { emptyRecord, isRecord, type Members } from "./member.ts";
import { EvaluationError, type Meter } from "./meter.ts";
import { characters, compareText, find, replace, split, trim } from "./text.ts";

/** `&expression`: what a function applies to values of its own. Data can never pass for one. */
export class ExpressionReference {
  readonly apply: (value: unknown) => unknown;

  constructor(apply: (value: unknown) => unknown) {
    this.apply = apply;
  }
}

export type JmespathFunction = {
  /** `pad_left(string, number, string?)`, as messages show it. */
  signature: string;
  fewest: number;
  most: number;
  /** Checks the types of the arguments, then computes. */
  call(args: unknown[], meter: Meter): unknown;
};

/** Nobody prints a wider column; a mistyped width should say so rather than fill the result. */
const MAX_PAD_WIDTH = 1_000;

/**
 * The functions of JMESPath and of its community edition. Each is given arguments of the types in its signature, already
 * paid for by length; what may be longer than its arguments pays for that itself, before it is made.
 */
export const FUNCTIONS: ReadonlyMap<string, JmespathFunction> = new Map([
  define("abs(number)", ([x]: [number]) => Math.abs(x)),
  define("avg(number[])", ([xs]: [number[]]) => (xs.length === 0 ? null : sum(xs) / xs.length)),
  define("ceil(number)", ([x]: [number]) => Math.ceil(x)),
  define("contains(string|array, any)", ([within, what]: [string | Items, unknown], meter) =>
    typeof within === "string"
      ? typeof what === "string" && within.includes(what)
      : within.some((item) => equal(item, what, meter)),
  ),
  define("ends_with(string, string)", ([text, end]: [string, string]) => text.endsWith(end)),
  define("find_first(string, string, number?, number?)", (given: Find, meter) => find("first", given, meter)),
  define("find_last(string, string, number?, number?)", (given: Find, meter) => find("last", given, meter)),
  define("floor(number)", ([x]: [number]) => Math.floor(x)),
  define("from_items(array[])", ([items]: [Items[]]) => {
    const pairs = items.map(([name, value], i): [string, unknown] => {
      if (typeof name !== "string") throw new EvaluationError(`from_items: item ${i} has no text for a name`);
      return [name, value ?? null];
    });
    return Object.fromEntries(pairs);
  }),
  define("group_by(array, &string)", ([items, by]: By, meter) => {
    const keys = keysOf(items, by, meter, ["string"]) as string[];
    const groups = emptyRecord() as Record<string, unknown[]>;
    keys.forEach((key, i) => {
      groups[key] ??= [];
      groups[key].push(items[i]);
    });
    return groups;
  }),
  define("items(object)", ([members]: [Members]) => Object.entries(members)),
  define("join(string, string[])", ([glue, texts]: [string, string[]], meter) => {
    meter.spendText(texts.reduce((length, text) => length + text.length + glue.length, 0));
    return texts.join(glue);
  }),
  define("keys(object)", ([members]: [Members]) => Object.keys(members)),
  define("length(string|array|object)", ([value]: [string | Items | Members], meter) => {
    if (typeof value === "string") return characters(value, meter).length;
    return Array.isArray(value) ? value.length : Object.keys(value).length;
  }),
  define("lower(string)", ([text]: [string]) => text.toLowerCase()),
  define("map(&any, array)", ([to, items]: [ExpressionReference, Items]) =>
    items.map((item) => to.apply(item)),
  ),
  define("max(number[]|string[])", ([items]: [Items], meter) => best(items, items, 1, meter)),
  define("max_by(array, &number|string)", ([items, by]: By, meter) =>
    best(items, keysOf(items, by, meter), 1, meter),
  ),
  define("merge(object...)", (objects: Members[]) => Object.assign(emptyRecord(), ...objects)),
  define("min(number[]|string[])", ([items]: [Items], meter) => best(items, items, -1, meter)),
  define("min_by(array, &number|string)", ([items, by]: By, meter) =>
    best(items, keysOf(items, by, meter), -1, meter),
  ),
  define("not_null(any...)", (values: Items) => values.find((value) => value !== null) ?? null),
  define(
    "pad_left(string, number, string?)",
    ([text, width, pad]: Pad, meter) => padding(text, width, pad, meter) + text,
  ),
  define(
    "pad_right(string, number, string?)",
    ([text, width, pad]: Pad, meter) => text + padding(text, width, pad, meter),
  ),
  define("replace(string, string, string, number?)", ([text, what, by, count]: Replace, meter) =>
    replace(text, what, by, wholeNumber("replace", count), meter),
  ),
  define("reverse(string|array)", ([value]: [string | Items], meter) =>
    typeof value === "string" ? characters(value, meter).reverse().join("") : value.toReversed(),
  ),
  define("sort(number[]|string[])", ([items]: [Items], meter) => sorted(items, items, meter)),
  define("sort_by(array, &number|string)", ([items, by]: By, meter) =>
    sorted(items, keysOf(items, by, meter), meter),
  ),
  define("split(string, string, number?)", ([text, by, count]: [string, string, number?], meter) =>
    split(text, by, wholeNumber("split", count), meter),
  ),
  define("starts_with(string, string)", ([text, start]: [string, string]) => text.startsWith(start)),
  define("sum(number[])", ([xs]: [number[]]) => sum(xs)),
  define("to_array(any)", ([value]: [unknown]) => (Array.isArray(value) ? value : [value])),
  define("to_number(any)", ([value]: [unknown]) => toNumber(value)),
  define("to_string(any)", ([value]: [unknown], meter) =>
    typeof value === "string" ? value : JSON.stringify(plainCopy(value, meter)),
  ),
  define("trim(string, string?)", ([text, chars]: [string, string?], meter) =>
    trim(text, chars, "both", meter),
  ),
  define("trim_left(string, string?)", ([text, chars]: [string, string?], meter) =>
    trim(text, chars, "left", meter),
  ),
  define("trim_right(string, string?)", ([text, chars]: [string, string?], meter) =>
    trim(text, chars, "right", meter),
  ),
  define("type(any)", ([value]: [unknown]) => typeOf(value)),
  define("upper(string)", ([text]: [string]) => text.toUpperCase()),
  define("values(object)", ([members]: [Members]) => Object.values(members)),
  define("zip(array...)", (lists: Items[], meter) => {
    const length = Math.min(...lists.map((list) => list.length));
    meter.spend(length * lists.length);
    return Array.from({ length }, (_, i) => lists.map((list) => list[i]));
  }),
]);

type Items = readonly unknown[];
type By = [Items, ExpressionReference];
type Pad = [text: string, width: number, pad?: string];
type Find = [text: string, what: string, from?: number, to?: number];
type Replace = [text: string, what: string, by: string, count?: number];

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return value instanceof ExpressionReference ? "expression" : typeof value;
}

/** Whether a value is of a type: `string|array`, `number[]|string[]`, `&string` (an expression), `any`. */
function checkOf(type: string): (value: unknown) => boolean {
  if (type.startsWith("&")) return (value) => value instanceof ExpressionReference;
  if (type === "any") return (value) => !(value instanceof ExpressionReference);
  const single = type.split("|").filter((one) => !one.endsWith("[]"));
  const items = type.split("|").flatMap((one) => (one.endsWith("[]") ? [one.slice(0, -2)] : []));
  return (value) =>
    single.includes(typeOf(value)) ||
    (Array.isArray(value) && items.some((item) => value.every((one) => typeOf(one) === item)));
}

function define<A extends unknown[]>(
  signature: string,
  compute: (args: A, meter: Meter) => unknown,
): [string, JmespathFunction] {
  const open = signature.indexOf("(");
  const written = signature.slice(open + 1, -1).split(", ");
  const checks = written.map((type) => checkOf(type.replace(/\?$|\.\.\.$/, "")));
  const readsObjects = signature.includes("object");
  const call = (args: unknown[], meter: Meter): unknown => {
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      // Every function reads its arguments about once.
      if (typeof arg === "string") meter.spendText(arg.length);
      else if (Array.isArray(arg)) meter.spend(arg.length);
      else if (readsObjects && isRecord(arg)) namesOf(arg, meter);
      if (checks[Math.min(i, checks.length - 1)]!(arg)) continue;
      throw new EvaluationError(`${signature}: argument ${i + 1} cannot be of type ${typeOf(arg)}`);
    }
    return compute(args as A, meter);
  };
  const fewest = written.filter((type) => !type.endsWith("?")).length;
  const most = signature.endsWith("...)") ? Infinity : written.length;
  return [signature.slice(0, open), { signature, fewest, most, call }];
}

const sum = (xs: readonly number[]): number => xs.reduce((total, x) => total + x, 0);

/** What `by` gives for each item: all numbers or all texts. */
function keysOf(items: Items, by: ExpressionReference, meter: Meter, allowed = ["number", "string"]): Items {
  const keys = items.map((item) => by.apply(item));
  meter.spend(keys.length);
  const type = typeOf(keys[0]);
  const odd = keys.findIndex((key) => typeOf(key) !== type || !allowed.includes(type));
  if (odd < 0) return keys;
  throw new EvaluationError(`item ${odd} cannot be compared by a value of type ${typeOf(keys[odd])}`);
}

function compareKeys(a: unknown, b: unknown, meter: Meter): number {
  return typeof a === "string" ? compareText(a, b as string, meter) : (a as number) - (b as number);
}

function sorted(items: Items, keys: Items, meter: Meter): Items {
  const order = items.map((_, i) => i);
  order.sort((a, b) => {
    meter.spend();
    return compareKeys(keys[a], keys[b], meter);
  });
  return order.map((i) => items[i]);
}

/** The first of the items whose key is greatest (`way` 1) or least (-1). */
function best(items: Items, keys: Items, way: 1 | -1, meter: Meter): unknown {
  let at = 0;
  for (let i = 1; i < keys.length; i++) {
    if (compareKeys(keys[i], keys[at], meter) * way > 0) at = i;
  }
  return items[at] ?? null;
}

function padding(text: string, width: number, pad = " ", meter: Meter): string {
  const wanted = wholeNumber("pad", width)!;
  if (wanted > MAX_PAD_WIDTH) throw new EvaluationError(`pad: the width is more than ${MAX_PAD_WIDTH}`);
  if (characters(pad, meter).length !== 1)
    throw new EvaluationError("pad: one character is wanted to pad with");
  meter.spendText(wanted);
  return pad.repeat(Math.max(0, wanted - characters(text, meter).length));
}

function wholeNumber(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
  throw new EvaluationError(`${name}: ${value} is not a whole number`);
}

/** Only what JSON would read as a number; `Number()` makes 0 of an empty answer and 31 of "0x1f". */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !JSON_NUMBER.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
