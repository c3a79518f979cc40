import { EvaluationError, Meter } from "../expressions/meter.ts";
import { referenced } from "./schema-references.ts";
import {
  checkCount,
  enough,
  fault,
  isMembers,
  MAX_DEPTH,
  matches,
  type SchemaCheck,
  type SchemaFault,
  type SchemaMembers,
  type SchemaWalk,
} from "./schema-walk.ts";
import { areDifferent, checkConstants, checkNumber, checkText, checkType } from "./value-keywords.ts";

/*
 * Whether a value fits a JSON Schema that a tenant wrote (drafts 7 to 2020-12 without `unevaluated…` and `$dynamicRef`).
 * The schema is walked, not turned into code: a compiler writes out every `$ref` and every branch, so 1.6 KB of schema
 * became more program than memory holds. The walk pays for each keyword from a meter, as an expression does, and
 * patterns run on RE2. The libraries that walk, too, can't be stopped in the middle and bring JavaScript's own patterns.
 */

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

/** True when nothing is wrong. In a branch that is only tried, the rest of a schema is not looked at after a fault. */
function fits(walk: SchemaWalk, schema: unknown, value: unknown, at: string): boolean {
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

/** Whether a branch would fit, without telling why not. */
function tried(walk: SchemaWalk, schema: unknown, value: unknown): boolean {
  const { faults, depth } = walk;
  walk.faults = null;
  const ok = fits(walk, schema, value, "");
  walk.faults = faults;
  walk.depth = depth;
  return ok;
}

const below = (at: string, key: string | number): string => (at === "" ? String(key) : `${at}.${key}`);

const checkItems: SchemaCheck = (walk, schema, value, at) => {
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

const checkMembers: SchemaCheck = (walk, schema, value, at) => {
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

function checkRequired(walk: SchemaWalk, required: unknown, value: SchemaMembers, at: string): boolean {
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

function checkMember(
  walk: SchemaWalk,
  { schema, properties, patterned }: MemberSchemas,
  member: Member,
): boolean {
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

const checkBranches: SchemaCheck = (walk, schema, value, at) => {
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

const checkReference: SchemaCheck = (walk, { $ref }, value, at) =>
  typeof $ref !== "string" || fits(walk, referenced(walk, $ref), value, at);

const CHECKS: readonly SchemaCheck[] = [
  checkReference,
  checkType,
  checkConstants,
  checkNumber,
  checkText,
  checkItems,
  checkMembers,
  checkBranches,
];
