import type { FieldLabels } from "../server/field-labels.ts";
import { type Difference, differences, showValue } from "./differences.ts";

/** What is new or gone as a whole, by its fields, where the form has names for these. */
export function inFields(entry: Difference, labels: FieldLabels): Difference[] {
  const { path, before, after } = entry;
  const isWhole = (before ?? null) === null || (after ?? null) === null;
  if (!isWhole || !Object.keys(labels).some((field) => isBelow(field.split("."), path.split("."))))
    return [entry];
  const fields = differences(before ?? {}, after ?? {}, path);
  return fields.length > 0 ? fields : [entry];
}

const isBelow = (field: string[], path: string[]): boolean =>
  field.length > path.length && path.every((part, at) => field[at] === "*" || field[at] === part);

/** A value in the words of its form. Several codes in one text, as days of the week, stand between commas. */
export function inWords(value: unknown, words: Readonly<Record<string, string>>): string {
  const wordOf = (code: string): string => words[code] ?? code;
  if (typeof value === "boolean") return words[String(value)] ?? (value ? "yes" : "no");
  if (Array.isArray(value) && value.every((each) => typeof each === "string"))
    return showValue(value.map(wordOf));
  if (typeof value === "number") return words[value] ?? showValue(value);
  if (typeof value !== "string") return showValue(value);
  return (
    words[value] ??
    value
      .split(",")
      .map(wordOf)
      .join(Object.keys(words).length > 0 ? ", " : ",")
  );
}
