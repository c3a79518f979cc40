import { isDeepStrictEqual } from "node:util";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { compilePattern, matchCost } from "../base/pattern.ts";
import { EvaluationError, Meter } from "../expressions/meter.ts";
import { atPointer } from "./schema-pointer.ts";

/*
 * Whether a value fits a JSON Schema that a tenant wrote (drafts 7 to 2020-12 without `unevaluated…` and `$dynamicRef`).
 * The schema is walked, not turned into code: a compiler writes out every `$ref` and every branch, so 1.6 KB of schema
 * became more program than memory holds. The walk pays for each keyword from a meter, as an expression does, and
 * patterns run on RE2. The libraries that walk, too, can't be stopped in the middle and bring JavaScript's own patterns.
 */

type SchemaMembers = Record<string, unknown>;

/** `at` is the way to the value, as in `order.items.0`, empty for the value as a whole; `missing` the member it lacks. */
export type SchemaFault = { at: string; message: string; missing: string | null };

/** More than a model mends at once; the walk ends there. */
const MAX_FAULTS = 11;
/** `$ref` to `$ref`, or values in values. Nobody's arguments are nested so deep. */
const MAX_DEPTH = 100;

/**
 * Throws an `EvaluationError` where the schema can't be used or checking takes too long: then nothing is known of the
 * value. `root` is the document that the schema is a part of; values that are checked one after the other share a meter.
 */
export function schemaFaults(
  schema: unknown,
  value: unknown,
  { root = schema, meter = new Meter() }: { root?: unknown; meter?: Meter } = {},
): SchemaFault[] {
  const faults: SchemaFault[] = [];
  fits({ root, meter, faults, references: new Map(), depth: 0 }, schema, value, "");
  return faults;
}

type Walk = {
  readonly root: unknown;
  readonly meter: Meter;
  /** null in a branch that is only tried: then the first fault ends it. */
  faults: SchemaFault[] | null;
  readonly references: Map<string, unknown>;
  depth: number;
};

/** True when nothing is wrong. In a branch that is only tried, the rest of a schema is not looked at after a fault. */
function fits(walk: Walk, schema: unknown, value: unknown, at: string): boolean {
  walk.meter.spend(4);
  if (schema === false) return fault(walk, at, "boolean schema is false");
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return true;
  if (++walk.depth > MAX_DEPTH) throw new EvaluationError("the schema or the value is nested too deeply");
  let ok = true;
  for (const check of CHECKS) {
    if (!ok && enough(walk)) break;
    ok = check(walk, schema as SchemaMembers, value, at) && ok;
  }
  walk.depth--;
  return ok;
}

const enough = ({ faults }: Walk): boolean => faults === null || faults.length >= MAX_FAULTS;

/** Whether a branch would fit, without telling why not. */
function tried(walk: Walk, schema: unknown, value: unknown): boolean {
  const { faults, depth } = walk;
  walk.faults = null;
  const ok = fits(walk, schema, value, "");
  walk.faults = faults;
  walk.depth = depth;
  return ok;
}

function fault(walk: Walk, at: string, message: string, missing: string | null = null): false {
  if (walk.faults !== null && walk.faults.length < MAX_FAULTS) walk.faults.push({ at, message, missing });
  return false;
}

const below = (at: string, key: string | number): string => (at === "" ? String(key) : `${at}.${key}`);

type Check = (walk: Walk, schema: SchemaMembers, value: unknown, at: string) => boolean;

const checkType: Check = (walk, { type, nullable }, value, at) => {
  if (type === undefined) return true;
  const types = Array.isArray(type) ? type : [type];
  walk.meter.spend(types.length);
  // OpenAPI's way of saying it.
  if (types.some((one) => isOfType(value, one)) || (nullable === true && value === null)) return true;
  return fault(walk, at, `must be ${types.join(",")}`);
};

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isMembers(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

const isMembers = (value: unknown): value is SchemaMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const checkConstants: Check = (walk, schema, value, at) => {
  if (Array.isArray(schema.enum)) {
    spendSize(walk, schema.enum);
    walk.meter.spend(schema.enum.length * STEPS_TO_COMPARE);
    spendSize(walk, value);
    const known = schema.enum.some((one) => isDeepStrictEqual(one, value));
    if (!known) {
      const listed = schema.enum
        .slice(0, 50)
        .map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
      return fault(walk, at, `must be one of ${listed.join(", ")}`);
    }
  }
  if (!Object.hasOwn(schema, "const")) return true;
  spendSize(walk, value);
  return isDeepStrictEqual(schema.const, value) || fault(walk, at, "must be equal to constant");
};

/** What it takes to find that two values differ: 2 µs. */
const STEPS_TO_COMPARE = 10;

/** What comparing it takes: every value in it, and its texts. */
function spendSize(walk: Walk, value: unknown): void {
  if (typeof value === "string") walk.meter.spendText(value.length);
  else walk.meter.spend();
  if (typeof value === "object" && value !== null)
    for (const key in value) spendSize(walk, (value as SchemaMembers)[key]);
}

const NUMBERS: [string, (value: number, bound: number) => boolean, string][] = [
  ["minimum", (value, bound) => value >= bound, "must be >="],
  ["maximum", (value, bound) => value <= bound, "must be <="],
  ["exclusiveMinimum", (value, bound) => value > bound, "must be >"],
  ["exclusiveMaximum", (value, bound) => value < bound, "must be <"],
  ["multipleOf", isMultiple, "must be multiple of"],
];

/** 0.3 is a multiple of 0.1 for everybody but a processor. */
function isMultiple(value: number, factor: number): boolean {
  const times = value / factor;
  return Number.isInteger(times) || Math.abs(times - Math.round(times)) < 1e-9;
}

const checkNumber: Check = (walk, schema, value, at) => {
  if (typeof value !== "number") return true;
  let ok = true;
  for (const [keyword, holds, words] of NUMBERS) {
    const bound = schema[keyword];
    if (typeof bound === "number" && !holds(value, bound)) ok = fault(walk, at, `${words} ${bound}`);
  }
  return ok;
};

/** `least` and `most` as Ajv words them. */
function checkCount(
  walk: Walk,
  at: string,
  count: number,
  most: unknown,
  least: unknown,
  noun: string,
): boolean {
  if (typeof most === "number" && count > most)
    return fault(walk, at, `must NOT have more than ${most} ${noun}`);
  if (typeof least === "number" && count < least)
    return fault(walk, at, `must NOT have fewer than ${least} ${noun}`);
  return true;
}

const checkText: Check = (walk, schema, value, at) => {
  if (typeof value !== "string") return true;
  const { maxLength, minLength, pattern, format } = schema;
  let ok = true;
  if (maxLength !== undefined || minLength !== undefined) {
    walk.meter.spendText(value.length);
    ok = checkCount(walk, at, [...value].length, maxLength, minLength, "characters");
  }
  if (typeof pattern === "string" && !matches(walk, pattern, value))
    ok = fault(walk, at, `must match pattern "${pattern}"`);
  if (typeof format === "string" && !hasFormat(walk.meter, format, value))
    ok = fault(walk, at, `must match format "${format}"`);
  return ok;
};

function matches(walk: Walk, source: string, text: string): boolean {
  const pattern = compilePattern(source);
  walk.meter.spend(matchCost(pattern, text));
  return pattern.program.matcher(text).find();
}

/** Longer texts have none of the known formats. Their expressions are not RE2's: the worst takes 26 ms for such a text. */
const MAX_FORMATTED = 2_048;
const formatCost = (length: number): number => 1 + length ** 2 / 80;

/** A format nobody knows says nothing, nor does one of numbers. */
export function hasFormat(meter: Meter, name: string, text: string): boolean {
  if (!Object.hasOwn(fullFormats, name)) return true;
  const format: unknown = fullFormats[name as keyof typeof fullFormats];
  const named = typeof format === "object" && format !== null && "validate" in format ? format : null;
  if (named !== null && "type" in named && named.type === "number") return true;
  if (text.length > MAX_FORMATTED) return false;
  meter.spend(formatCost(text.length));
  const check = named?.validate ?? format;
  if (check instanceof RegExp) return check.test(text);
  return typeof check === "function" ? Boolean(check(text as never)) : true;
}

const checkItems: Check = (walk, schema, value, at) => {
  if (!Array.isArray(value)) return true;
  let ok = checkCount(walk, at, value.length, schema.maxItems, schema.minItems, "items");
  if (schema.uniqueItems === true && !areDifferent(walk, value))
    ok = fault(walk, at, "must NOT have duplicate items");
  const tuple = Array.isArray(schema.items)
    ? schema.items
    : Array.isArray(schema.prefixItems)
      ? schema.prefixItems
      : [];
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  for (const [index, item] of value.entries()) {
    if (!ok && enough(walk)) return false;
    const of = index < tuple.length ? tuple[index] : rest;
    if (of !== undefined) ok = fits(walk, of, item, below(at, index)) && ok;
  }
  if (schema.contains === undefined) return ok;
  let found = 0;
  for (const item of value) if (tried(walk, schema.contains, item)) found++;
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema;
  if (found >= Number(minContains) && found <= Number(maxContains)) return ok;
  return fault(walk, at, `must contain at least ${minContains} valid item(s)`);
};

function areDifferent(walk: Walk, items: unknown[]): boolean {
  const plain = new Set<unknown>();
  const nested: unknown[] = [];
  for (const item of items) {
    walk.meter.spend();
    if (typeof item !== "object" || item === null) {
      if (plain.has(item)) return false;
      plain.add(item);
      continue;
    }
    walk.meter.spend(nested.length * STEPS_TO_COMPARE);
    for (const other of nested) {
      spendSize(walk, item);
      if (isDeepStrictEqual(other, item)) return false;
    }
    nested.push(item);
  }
  return true;
}

const checkMembers: Check = (walk, schema, value, at) => {
  if (!isMembers(value)) return true;
  const names = Object.keys(value);
  walk.meter.spend(names.length);
  let ok = checkCount(walk, at, names.length, schema.maxProperties, schema.minProperties, "properties");
  ok = checkRequired(walk, schema.required, value, at) && ok;
  for (const [name, needed] of entriesOf(schema.dependentRequired ?? schema.dependencies)) {
    walk.meter.spend();
    if (!Object.hasOwn(value, name)) continue;
    ok =
      (Array.isArray(needed) ? checkRequired(walk, needed, value, at) : fits(walk, needed, value, at)) && ok;
  }
  for (const [name, dependent] of entriesOf(schema.dependentSchemas)) {
    walk.meter.spend();
    if (Object.hasOwn(value, name)) ok = fits(walk, dependent, value, at) && ok;
  }
  const properties = isMembers(schema.properties) ? schema.properties : {};
  const patterned = entriesOf(schema.patternProperties);
  for (const name of names) {
    if (!ok && enough(walk)) return false;
    ok = checkMember(walk, { schema, properties, patterned }, { name, value: value[name], at }) && ok;
  }
  return ok;
};

const entriesOf = (value: unknown): [string, unknown][] => (isMembers(value) ? Object.entries(value) : []);

function checkRequired(walk: Walk, required: unknown, value: SchemaMembers, at: string): boolean {
  let ok = true;
  if (!Array.isArray(required)) return ok;
  walk.meter.spend(required.length);
  for (const name of required) {
    if (Object.hasOwn(value, String(name))) continue;
    ok = fault(walk, at, `must have required property '${name}'`, String(name));
    if (enough(walk)) break;
  }
  return ok;
}

type Member = { name: string; value: unknown; at: string };
type MemberSchemas = { schema: SchemaMembers; properties: SchemaMembers; patterned: [string, unknown][] };

function checkMember(walk: Walk, { schema, properties, patterned }: MemberSchemas, member: Member): boolean {
  const { name, value, at } = member;
  const place = below(at, name);
  let ok = true;
  if (schema.propertyNames !== undefined && !tried(walk, schema.propertyNames, name))
    ok = fault(walk, at, `property name '${name}' is invalid`);
  let known = Object.hasOwn(properties, name);
  if (known) ok = fits(walk, properties[name], value, place) && ok;
  for (const [source, inner] of patterned) {
    if (!matches(walk, source, name)) continue;
    known = true;
    ok = fits(walk, inner, value, place) && ok;
  }
  if (known || schema.additionalProperties === undefined) return ok;
  if (schema.additionalProperties === false)
    return fault(walk, at, `must NOT have additional properties: ${name}`);
  return fits(walk, schema.additionalProperties, value, place) && ok;
}

const checkBranches: Check = (walk, schema, value, at) => {
  let ok = true;
  for (const inner of listOf(schema.allOf)) {
    ok = fits(walk, inner, value, at) && ok;
    if (!ok && enough(walk)) return false;
  }
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some((inner) => tried(walk, inner, value)))
    ok = fault(walk, at, "must match a schema in anyOf");
  if (Array.isArray(schema.oneOf)) {
    let matching = 0;
    for (const inner of schema.oneOf) if (matching < 2 && tried(walk, inner, value)) matching++;
    if (matching !== 1) ok = fault(walk, at, "must match exactly one schema in oneOf");
  }
  if (schema.not !== undefined && tried(walk, schema.not, value)) ok = fault(walk, at, "must NOT be valid");
  if (schema.if === undefined) return ok;
  const branch = tried(walk, schema.if, value) ? schema.then : schema.else;
  return branch === undefined ? ok : fits(walk, branch, value, at) && ok;
};

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const checkReference: Check = (walk, { $ref }, value, at) =>
  typeof $ref !== "string" || fits(walk, referenced(walk, $ref), value, at);

function referenced(walk: Walk, reference: string): unknown {
  if (!walk.references.has(reference)) walk.references.set(reference, lookUp(walk, reference));
  return walk.references.get(reference);
}

function lookUp(walk: Walk, reference: string): unknown {
  const found = reference.startsWith("#")
    ? /^#(\/|$)/.test(reference)
      ? atPointer(walk.root, reference.slice(1))
      : anchored(walk, walk.root, reference.slice(1), 0)
    : undefined;
  if (found === undefined) throw new EvaluationError(`can't resolve reference ${reference}`);
  return found;
}

/** A schema that names itself: `$anchor`, or `$id: "#name"` as draft 7 has it. */
function anchored(walk: Walk, node: unknown, name: string, depth: number): unknown {
  walk.meter.spend();
  if (typeof node !== "object" || node === null || depth > MAX_DEPTH) return undefined;
  const { $anchor, $id } = node as SchemaMembers;
  if ($anchor === name || $id === `#${name}`) return node;
  for (const inner of Object.values(node)) {
    const found = anchored(walk, inner, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const CHECKS: readonly Check[] = [
  checkReference,
  checkType,
  checkConstants,
  checkNumber,
  checkText,
  checkItems,
  checkMembers,
  checkBranches,
];
