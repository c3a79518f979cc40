import { isRecord } from "../expressions/member.ts";

/*
 * `${env:NAME}` in a text stands for a variable of the environment: what is secret or differs between two environments is
 * in no file. A `$` before it makes it plain text.
 */

const REFERENCE = /(\$*)\$\{env:([A-Za-z_]\w*)\}/g;

export type Missing = { path: (string | number)[]; name: string };
type PlaceInFile = (string | number)[];

/** A value of a file with its references replaced, and which of them have no value; those stay as they are. Pure. */
export function resolveReferences(
  value: unknown,
  env: (name: string) => string | undefined,
): { value: unknown; missing: Missing[]; used: Map<string, string> } {
  const missing: Missing[] = [];
  const used = new Map<string, string>();
  const resolved = mapTexts(value, [], (text, path) =>
    text.replace(REFERENCE, (whole, dollars: string, name: string) => {
      if (dollars !== "") return whole.slice(1);
      const found = env(name);
      if (found === undefined) missing.push({ path, name });
      else used.set(found, whole);
      return found ?? whole;
    }),
  );
  return { value: resolved, missing, used };
}

/** The same value as a file has to say it, so that reading it gives the value again. Pure. */
export const escapeReferences = (value: unknown): unknown =>
  mapTexts(value, [], (text) => text.replace(REFERENCE, (whole) => `$${whole}`));

export const referenceTo = (name: string): string => `\${env:${name}}`;

/** Values of the environment in a text that is shown, by their references again. Pure. */
export function hideValues(text: string, used: ReadonlyMap<string, string>): string {
  let shown = text;
  for (const [value, reference] of used) if (value !== "") shown = shown.replaceAll(value, () => reference);
  return shown;
}

function mapTexts(
  value: unknown,
  path: PlaceInFile,
  change: (text: string, path: PlaceInFile) => string,
): unknown {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value)) return value.map((item, at) => mapTexts(item, [...path, at], change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, [...path, key], change)]),
  );
}
