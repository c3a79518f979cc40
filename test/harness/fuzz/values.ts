import { createHash } from "node:crypto";
import type { Schema } from "../operations.ts";
import type { Random } from "./random.ts";

/** JSON text of a list in a list in a list … */
export const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

/** What programs stumble over where they expect a value. */
const HOSTILE: unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e-308, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21],
  ...[
    "",
    " ",
    "a",
    "0",
    "-1",
    "1.5",
    "007",
    "NaN",
    "null",
    "true",
    "99999999999999999999",
    "9007199254740993",
  ],
  ...[
    "\0",
    "a\0b",
    "\ud800",
    "\udfff x",
    "🦄",
    "\u202e",
    "\r\n",
    "ÿ".repeat(300),
    "x".repeat(300),
    "x".repeat(100_000),
    // PostgreSQL can't make this short enough for an index.
    Array.from({ length: 600 }, (_, n) => createHash("sha256").update(String(n)).digest("hex")).join(""),
  ],
  ...[
    "' or 1=1 --",
    "%_\\",
    "../../etc/passwd",
    "{{ x }}",
    "{{",
    "{% for %}",
    "(((((",
    "[?",
    "a.b.c[",
    "\\",
    "(a+)+$",
  ],
  ...[
    "2026-02-30",
    "2026-11-18T25:00:00Z",
    "9999-12-31T23:59:59Z",
    "0001-01-01",
    "Mars/Phobos",
    "en-XX",
    "+1",
    "@",
  ],
  ...["http://[::1", "http://169.254.169.254/", "file:///etc/passwd", "javascript:1", "http://a b/"],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    [1, "a", null],
    { a: { b: { c: [] } } },
    { "": "" },
    { "\0": 1 },
    { constructor: 1 },
  ],
  ...[JSON.parse(nested(60)), Array.from({ length: 2000 }, (_, i) => i), Array(50).fill({})],
];

export const hostile = (random: Random): unknown => random.pick(HOSTILE);
const TEXTS = HOSTILE.filter((value) => typeof value === "string");
export const hostileText = (random: Random): string => random.pick(TEXTS);

/** A value that the schema might take. */
export function sample(
  random: Random,
  schema: Schema | undefined,
  ids: readonly (string | number)[],
  depth = 0,
): unknown {
  if (!schema || depth > 8) return null;
  const again = (inner: Schema | undefined) => sample(random, inner, ids, depth + 1);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return again(random.pick(choices as Schema[]));
  if (schema.allOf) return Object.assign({}, ...(schema.allOf as Schema[]).map(again));
  if ("const" in schema) return schema.const;
  if (schema.enum) return random.pick(schema.enum as unknown[]);
  switch (Array.isArray(schema.type) ? random.pick(schema.type as string[]) : schema.type) {
    case "string":
      if (schema.format === "date-time") return "2026-11-18T09:00:00Z";
      return random.chance(0.3) ? hostileText(random) : `text ${random.int(1000)}`;
    case "integer":
      return random.chance(0.5) && ids.length > 0 ? Number(random.pick(ids)) || 1 : random.int(100);
    case "number":
      return random.int(1000) / 8;
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    case "array":
      return Array.from({ length: random.int(4) }, () => again(schema.items));
    case "object": {
      const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
      const wanted = fields.filter(([name]) => schema.required?.includes(name) || random.chance(0.3));
      const given = wanted.map(([name, inner]) => [name, again(inner)] as const);
      const extra = schema.additionalProperties
        ? [["a key", again(schema.additionalProperties)] as const]
        : [];
      return Object.fromEntries([...given, ...extra]);
    }
    default:
      return hostile(random);
  }
}

/** The schema with what it refers to in place, as far as `sample` goes down. */
export function resolved(
  schema: Schema | undefined,
  components: Record<string, Schema>,
  depth = 0,
): Schema | undefined {
  if (!schema || depth > 12) return undefined;
  if (typeof schema.$ref === "string")
    return resolved(components[schema.$ref.split("/").at(-1)!], components, depth + 1);
  const inside = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(inside)
      : value !== null && typeof value === "object"
        ? (resolved(value as Schema, components, depth + 1) ?? {})
        : value;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inside(value)]));
}

/** The same value with one thing in it wrong: replaced, left out, doubled, or put in that the schema knows. */
export function mutated(
  random: Random,
  value: unknown,
  schema: Schema | undefined,
  ids: readonly (string | number)[],
): unknown {
  const odd = () => (random.chance(0.2) && ids.length > 0 ? random.pick(ids) : hostile(random));
  if (value === null || typeof value !== "object" || random.chance(0.08)) return odd();
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return [...value, sample(random, schema?.items, ids)];
    const at = random.int(value.length);
    if (random.chance(0.2)) return [...value, value[at]];
    return value.map((item, index) => (index === at ? mutated(random, item, schema?.items, ids) : item));
  }
  const record = value as Record<string, unknown>;
  const known = (schema?.properties ?? {}) as Record<string, Schema>;
  const names =
    Object.keys(known).length > 0 && random.chance(0.5) ? Object.keys(known) : Object.keys(record);
  if (names.length === 0) return { ...record, [hostileText(random)]: hostile(random) };
  const name = random.pick(names);
  const { [name]: present, ...others } = record;
  if (random.chance(0.1)) return others;
  const next =
    present === undefined || random.chance(0.2)
      ? sample(random, known[name], ids)
      : mutated(random, present, known[name], ids);
  return { ...record, [name]: next };
}
