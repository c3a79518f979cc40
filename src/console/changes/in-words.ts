import { type FieldLabels, fieldWords } from "../server/field-labels.ts";
import { type Difference, differences, showValue } from "./differences.ts";

/**
 * What is new or gone as a whole, by its fields, where the form has names for these. Of what reads empty before and after, such
 * as a new entry's list of filters, there is nothing to say.
 */
export function inFields(entry: Difference, labels: FieldLabels): Difference[] {
  const { path } = entry;
  const [before, after] = [entry.before ?? null, entry.after ?? null];
  const whole = before === null ? after : after === null ? before : null;
  const isNamed = Object.keys(labels).some((field) => isBelow(field.split("."), path.split(".")));
  if (typeof whole !== "object" || whole === null || !isNamed) {
    const words = fieldWords(path, labels);
    return inWords(before, words) === "" && inWords(after, words) === "" ? [] : [entry];
  }
  const nothing = Array.isArray(whole) ? [] : {};
  const fields = differences(before ?? nothing, after ?? nothing, path);
  return fields.length > 0 ? fields.flatMap((field) => inFields(field, labels)) : [entry];
}

const isBelow = (field: string[], path: string[]): boolean =>
  field.length > path.length && path.every((part, at) => field[at] === "*" || field[at] === part);

/** A value in the words of its form. Several codes in one text, as days of the week, stand between commas. */
export function inWords(value: unknown, words: Readonly<Record<string, string>>): string {
  const wordOf = (code: string): string => words[code] ?? code;
  if (value === null || value === undefined) return words.null ?? "";
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
