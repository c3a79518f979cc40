import { PublicError } from "../base/errors.ts";
import { type SchemaFault, schemaFaults } from "../schemas/schema-faults.ts";

/** A model mends no more at once. */
const MAX_TOLD = 10;

/**
 * Checks a call's arguments against the tool's JSON Schema, which its author wrote. One sentence a fault, the first ten;
 * empty when the arguments fit. A schema that can't be checked in the time a turn has refuses every call.
 */
export function argumentFaults(
  schema: unknown,
  values: Record<string, unknown>,
  /** Whose absence is no fault. */
  excused: ReadonlySet<string> = new Set(),
): string[] {
  if (schema === null || typeof schema !== "object") return [];
  try {
    const faults = schemaFaults(schema, values)
      .filter(({ at, missing }) => at !== "" || missing === null || !excused.has(missing))
      .map(sentence);
    return faults.length > MAX_TOLD ? [...faults.slice(0, MAX_TOLD), "and more"] : faults;
  } catch (error) {
    // Saving refuses such schemas; one that came in another way must not stop the tool's session.
    if (!(error instanceof PublicError)) throw error;
    return [`the tool's parameter schema can't be used: ${error.message}`];
  }
}

const sentence = ({ at, message, missing }: SchemaFault): string =>
  missing === null
    ? `${at || "arguments"} ${message}`
    : `missing required parameter ${at === "" ? missing : `${at}.${missing}`}`;
