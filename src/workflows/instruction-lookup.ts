import { quotedData } from "../expressions/quoted-data.ts";
import type { Lookup } from "../expressions/template.ts";

/** What a visitor wrote about themselves; tools get it as it is. */
const CLAIMS = new Set(["vars.session.claimed_user", "vars.session.user_name"]);

/**
 * Variables as instructions to the model name them. What a visitor says of themselves is put in quotes, so that it reads
 * as a value and not as one more instruction.
 */
export const instructionLookup =
  (lookup: Lookup): Lookup =>
  (name) => {
    const value = lookup(name);
    const key = name.startsWith("vars.") ? name : `vars.${name}`;
    return typeof value === "string" && value !== "" && CLAIMS.has(key) ? quotedData(value) : value;
  };
