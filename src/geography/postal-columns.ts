/** What lists call a person's postal code. A value that is none is passed over, since the column is the list's own. */
const POSTAL_CODE_COLUMNS = ["postal_code", "postcode", "zip", "zip_code"] as const;

/** A column of a request, under its own name or as a variable; an empty cell is none. */
export function cellOf(variables: Record<string, string>, name: string): string | null {
  const text = (variables[name] ?? variables[`vars.${name}`] ?? "").trim();
  return text === "" ? null : text;
}

export const postalCodes = (variables: Record<string, string>): string[] =>
  POSTAL_CODE_COLUMNS.map((name) => cellOf(variables, name)).filter((code) => code !== null);
