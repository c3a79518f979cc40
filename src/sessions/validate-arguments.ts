import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { RE2JS } from "re2js";
import { errorText } from "../base/errors.ts";

/**
 * Checks a call's arguments against the tool's JSON Schema, which its author wrote: patterns run on RE2, so that none
 * can take exponential time, and compiled schemas are kept in a bounded cache.
 */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find() };
  },
  { code: "linearRegExp" },
);

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  logger: false,
  addUsedSchema: false,
  validateFormats: true,
  code: { regExp: linearRegExp as never },
});
formats.default(ajv);

const MAX_CACHED = 1000;
const compiled = new Map<string, ValidateFunction>();

/** A model mends no more at once. */
const MAX_FAULTS = 10;

/** One sentence a fault, the first ten; empty when the arguments fit. `key` names the schema (tool and version). */
export function argumentFaults(key: string, schema: unknown, values: Record<string, unknown>): string[] {
  if (schema === null || typeof schema !== "object") return [];
  let validate = compiled.get(key);
  if (!validate) {
    try {
      // Our cache is the bounded one; Ajv's own would keep every schema it ever saw. The dialect is ours to choose, too.
      const { $schema: _dialect, ...own } = schema as Record<string, unknown>;
      validate = ajv.compile(own);
      ajv.removeSchema(own);
    } catch (error) {
      // Saving refuses broken schemas; one that came in another way must not stop the tool.
      return [`the tool's parameter schema is not valid: ${errorText(error)}`];
    }
    if (compiled.size >= MAX_CACHED) compiled.delete(compiled.keys().next().value as string);
    compiled.set(key, validate);
  }
  if (validate(values)) return [];
  const errors = validate.errors ?? [];
  const told = errors.slice(0, MAX_FAULTS).map((error) => {
    if (error.keyword === "required") return `missing required parameter ${error.params.missingProperty}`;
    const where = error.instancePath.slice(1).replaceAll("/", ".") || "arguments";
    if (error.keyword === "enum") return `${where} must be one of ${error.params.allowedValues.join(", ")}`;
    return `${where} ${error.message}`;
  });
  return errors.length > MAX_FAULTS ? [...told, `and ${errors.length - MAX_FAULTS} more`] : told;
}
