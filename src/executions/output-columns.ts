import { unreachable } from "../base/errors.ts";
import type { InsightValue } from "../insights/check-answer.ts";

/** The columns of a value: json_value always, and a typed column where the value can be compared or counted. Pure. */
export function columnsOf({ key, type, value }: InsightValue) {
  const json_value = { [key]: publicValue(value) };
  const none = { insight_key: key, string_value: null, numeric_value: null, json_value };
  switch (type) {
    case "string":
      return { ...none, string_value: value as string };
    case "integer":
    case "number":
      return { ...none, numeric_value: value as number };
    case "boolean":
      return { ...none, string_value: String(value), numeric_value: value ? 1 : 0 };
    case "array":
    case "object":
      return { ...none, string_value: JSON.stringify(value) };
    default:
      return unreachable(type);
  }
}

/** json_value holds strings and numbers only, because clients that validate answers reject a page with anything else. */
function publicValue(value: unknown): string | number {
  if (typeof value === "string" || typeof value === "number") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
