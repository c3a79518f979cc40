import { PublicError } from "../base/errors.ts";
import { schemaFaults } from "../schemas/schema-faults.ts";
import type { SchemaFault } from "../schemas/schema-walk.ts";

/** The most faults reported, since models correct no more at once. */
const MAX_TOLD = 10;

/**
 * Validates a call's arguments against the JSON Schema written by the tool's author. Returns one sentence per fault, ten at
 * most; empty when they are valid. A schema that takes too long to check makes every call fail.
 */
export function argumentFaults(
  schema: unknown,
  values: Record<string, unknown>,
  /** Arguments that may be missing. */
  excused: ReadonlySet<string> = new Set(),
): string[] {
  if (schema === null || typeof schema !== "object") return [];
  try {
    const faults = schemaFaults(schema, values)
      .filter(({ at, missing }) => at !== "" || missing === null || !excused.has(missing))
      .map(sentence);
    return faults.length > MAX_TOLD ? [...faults.slice(0, MAX_TOLD), "and more"] : faults;
  } catch (error) {
    // Such schemas can't be saved, but one that got in another way must not break the session.
    if (!(error instanceof PublicError)) throw error;
    return [`the tool's parameter schema can't be used: ${error.message}`];
  }
}

const sentence = ({ at, message, missing }: SchemaFault): string =>
  missing === null
    ? `${at || "arguments"} ${message}`
    : `missing required parameter ${at === "" ? missing : `${at}.${missing}`}`;
