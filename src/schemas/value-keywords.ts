import { isDeepStrictEqual } from "node:util";
import {
  checkCount,
  fault,
  isMembers,
  matches,
  type SchemaCheck,
  type SchemaMembers,
  type SchemaWalk,
} from "./schema-walk.ts";
import { hasFormat } from "./string-formats.ts";

/* The keywords that a value meets or not by itself, whatever lies within it. */

export const checkType: SchemaCheck = (walk, { type, nullable }, value, at) => {
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

export const checkConstants: SchemaCheck = (walk, schema, value, at) => {
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
function spendSize(walk: SchemaWalk, value: unknown): void {
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

export const checkNumber: SchemaCheck = (walk, schema, value, at) => {
  if (typeof value !== "number") return true;
  let ok = true;
  for (const [keyword, holds, words] of NUMBERS) {
    const bound = schema[keyword];
    if (typeof bound === "number" && !holds(value, bound)) ok = fault(walk, at, `${words} ${bound}`);
  }
  return ok;
};

export const checkText: SchemaCheck = (walk, schema, value, at) => {
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

export function areDifferent(walk: SchemaWalk, items: unknown[]): boolean {
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
