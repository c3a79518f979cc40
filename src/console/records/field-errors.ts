import type { ApiError } from "../server/api.ts";
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
      const rest = path.slice(field.split(".").length).join(".");
      const text = rest === "" ? msg : `${rest}: ${msg}`;
      fields[field] = fields[field] ? `${fields[field]}\n${text}` : text;
    }
  }
  if (error.issues.length === 0) general.push(error.message);
  return { fields, general };
}

export type FieldErrors = { fields: Record<string, string>; general: string[] };

/** The deepest field that contains the value: a JSON editor is the field of everything inside it. */
function nearestField(path: string[], hasField: (path: string) => boolean): string | null {
  for (let length = path.length; length > 0; length -= 1) {
    const name = path.slice(0, length).join(".");
    if (hasField(name)) return name;
  }
  return null;
}
