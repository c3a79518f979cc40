import { unreachable } from "../base/errors.ts";
import type { InsightValue } from "../insights/check-answer.ts";

/** The columns of a value: json_value always, and a typed column where the value can be compared or counted. Pure. */
export function columnsOf({ key, type, value }: InsightValue) {
  const json_value = { [key]: publicValue(value) };
  const none = { insight_key: key, string_value: null, numeric_value: null, json_value, entries: null };
  switch (type) {
    case "string":
      return { ...none, string_value: value as string };
    case "integer":
    case "number":
      return { ...none, numeric_value: value as number };
    case "boolean":
      return { ...none, string_value: String(value), numeric_value: value ? 1 : 0 };
    case "array":
      return { ...none, string_value: JSON.stringify(value), entries: entriesOf(value) };
    case "object":
      return { ...none, string_value: JSON.stringify(value) };
    default:
      return unreachable(type);
  }
}

/** Sessions are found and counted by these; longer ones say something else each time, as longer values do. */
const MOST_ENTRIES = 100;
const MOST_CHARACTERS = 60;

/** What a list says, each once; null where the value is none. Pure. */
export function entriesOf(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  const texts = value.map((entry) => String(publicValue(entry)).trim());
  const counted = texts.filter((text) => text !== "" && text.length <= MOST_CHARACTERS);
  return [...new Set(counted)].slice(0, MOST_ENTRIES);
}

/** json_value holds strings and numbers only, because clients that validate answers reject a page with anything else. */
function publicValue(value: unknown): string | number {
  if (typeof value === "string" || typeof value === "number") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
