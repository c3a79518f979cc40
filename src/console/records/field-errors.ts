import { ApiError } from "../server/api.ts";
import { fieldLabel } from "../server/field-labels.ts";

/**
 * Puts what the API found wrong at the fields of a form: `["body", "llm_config", "temperature"]` is the field
 * `llm_config.temperature`. Errors without a field are shown above the form.
 */
export function fieldErrors(error: ApiError, hasField: (path: string) => boolean): FieldErrors {
  const fields: Record<string, string> = {};
  const general: string[] = [];
  for (const { loc, msg } of error.issues) {
    const path = loc.slice(1).map(String);
    const field = nearestField(path, hasField);
    if (field === null) general.push(path.length > 0 ? `${fieldLabel(path.join("."))}: ${msg}` : msg);
    else {
      const rest = path.slice(field.split(".").length);
      const text = rest.length === 0 ? msg : `${restName(rest)}: ${msg}`;
      fields[field] = fields[field] ? `${fields[field]}\n${text}` : text;
    }
  }
  if (error.issues.length === 0) general.push(error.message);
  return { fields, general };
}

/** Below a field there are JSON, which has names, and lists, whose entries are counted from 1. */
const restName = (rest: string[]): string =>
  rest.every((part) => /^\d+$/.test(part)) ? fieldLabel(rest.join(".")) : rest.join(".");

/** Of what is said at the field of a list of texts, what is said of one of them. */
export function errorOfEntry(said: unknown, index: number): string | null {
  const begin = `${restName([String(index)])}: `;
  const lines = typeof said === "string" ? said.split("\n").filter((line) => line.startsWith(begin)) : [];
  return lines.length === 0 ? null : lines.map((line) => line.slice(begin.length)).join("\n");
}

/** Whether a page shows what is said at a field, there or at the entries of the list that it is said of. */
export const isShown = (said: string, page: string): boolean =>
  said.split("\n").every((line) => page.includes(line.replace(/^No\. \d+: /, "")));

/** Whether a form's values have a field at this path. A list of texts or numbers is one field, whatever its entries. */
export function hasField(values: object, path: string): boolean {
  let value: unknown = values;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return false;
    const next = (value as Record<string, unknown>)[part];
    if (Array.isArray(value) && (typeof next === "string" || typeof next === "number")) return false;
    value = next;
  }
  return true;
}

/** What a form says at a field whose choice the address or the body of the request can't do without. */
export const notChosen = (field: string, msg: string): ApiError =>
  new ApiError(422, msg, [{ loc: ["body", field], msg, type: "missing" }]);

export type FieldErrors = { fields: Record<string, string>; general: string[] };

/** The deepest field that contains the value: a JSON editor is the field of everything inside it. */
function nearestField(path: string[], hasField: (path: string) => boolean): string | null {
  for (let length = path.length; length > 0; length -= 1) {
    const name = path.slice(0, length).join(".");
    if (hasField(name)) return name;
  }
  return null;
}
