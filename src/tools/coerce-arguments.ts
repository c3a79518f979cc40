import { isRecord } from "../expressions/member.ts";

/*
 * Arguments in the types that a tool's schema names, where a value has the same meaning in that type and nothing of it is
 * lost: models write "5" for 5, and workflows collect numbers for parameters that take texts.
 */

const WHOLE = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Whole numbers past 2^53 are kept as their digits (`parseJson`); this tells them from other texts. */
export const isLongWhole = (value: unknown): value is string =>
  typeof value === "string" && WHOLE.test(value) && !Number.isSafeInteger(Number(value));

export function coerceArguments(schema: unknown, values: Record<string, unknown>): Record<string, unknown> {
  return coerced(schema, values, 0) as Record<string, unknown>;
}

/** The same values as a schema can check them: whole numbers past 2^53 as numbers, their last digits lost. */
export function checkable(schema: unknown, values: Record<string, unknown>): Record<string, unknown> {
  return mapped(schema, values, 0, (value, types) =>
    takesNumbers(types) && isLongWhole(value) ? Number(value) : value,
  ) as Record<string, unknown>;
}

/** The same values as they are sent in JSON: whole numbers past 2^53 digit by digit, where the tool takes numbers. */
export function sendable(schema: unknown, values: Record<string, unknown>): Record<string, unknown> {
  return mapped(schema, values, 0, (value, types) =>
    takesNumbers(types) && isLongWhole(value) ? rawJson(value) : value,
  ) as Record<string, unknown>;
}

const rawJson = (text: string): unknown =>
  (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

const coerced = (schema: unknown, value: unknown, depth: number): unknown =>
  mapped(schema, value, depth, (leaf, types) => {
    if (types.length === 0 || types.includes(typeName(leaf))) return leaf;
    if (typeof leaf === "string") {
      const text = leaf.trim();
      if (types.includes("integer") && WHOLE.test(text)) return numberOr(text);
      if (types.includes("number") && DECIMAL.test(text)) return numberOr(text);
      if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
      return leaf;
    }
    if (typeof leaf === "number" && Number.isInteger(leaf) && types.includes("number")) return leaf;
    return types.includes("string") && (typeof leaf === "number" || typeof leaf === "boolean")
      ? String(leaf)
      : leaf;
  });

const numberOr = (text: string): number | string => (isLongWhole(text) ? text : Number(text));

const takesNumbers = (types: readonly string[]): boolean =>
  !types.includes("string") && (types.includes("integer") || types.includes("number"));

const typeName = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
};

const MAX_DEPTH = 32;

/** Every value of a document whose place in the schema names types, through `properties` and `items`. */
function mapped(
  schema: unknown,
  value: unknown,
  depth: number,
  change: (value: unknown, types: string[]) => unknown,
): unknown {
  if (!isRecord(schema) || depth === MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    return isRecord(schema.items)
      ? value.map((item) => mapped(schema.items, item, depth + 1, change))
      : value;
  }
  if (isRecord(value)) {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        Object.hasOwn(properties, name) ? mapped(properties[name], item, depth + 1, change) : item,
      ]),
    );
  }
  const types = [schema.type].flat().filter((type): type is string => typeof type === "string");
  return change(value, types);
}
