import { isRecord } from "../expressions/member.ts";

/*
 * `${env:NAME}` in a text stands for a variable of the environment: what is secret or differs between two environments is
 * in no file. A `$` before it makes it plain text.
 */

const REFERENCE = /(\$*)\$\{env:(?:([A-Za-z_]\w*)\})?/g;

export type Missing = { path: (string | number)[]; name: string };
/** A malformed reference, such as `${env:CRM-TOKEN}`. Sent unchanged, it would become the credential. */
type Malformed = { path: (string | number)[]; written: string };
/** A value of the environment, where it went, and the reference that it replaced. */
export type UsedValue = { path: (string | number)[]; value: string; reference: string };
type PlaceInFile = (string | number)[];

/** A value of a file with its references replaced; those without a value, and what is none, stay as they are. Pure. */
export function resolveReferences(
  value: unknown,
  env: (name: string) => string | undefined,
): { value: unknown; missing: Missing[]; malformed: Malformed[]; used: UsedValue[] } {
  const missing: Missing[] = [];
  const malformed: Malformed[] = [];
  const used: UsedValue[] = [];
  const resolved = mapTexts(value, [], (text, path) =>
    text.replace(REFERENCE, (whole, dollars: string, name: string | undefined, at: number) => {
      if (dollars !== "") return whole.slice(1);
      if (name === undefined) {
        malformed.push({ path, written: (/^[^}\n]{0,40}\}?/.exec(text.slice(at)) as RegExpExecArray)[0] });
        return whole;
      }
      const found = env(name);
      if (found === undefined) missing.push({ path, name });
      else used.push({ path, value: found, reference: whole });
      return found ?? whole;
    }),
  );
  return { value: resolved, missing, malformed, used };
}

/** The same value as a file has to say it, so that reading it gives the value again. Pure. */
export const escapeReferences = (value: unknown): unknown =>
  mapTexts(value, [], (text) => text.replace(REFERENCE, (whole) => `$${whole}`));

export const notAReference = (written: string): string =>
  `${written} is no reference. Write ${referenceTo("NAME")}, with a name of letters, digits and _; plain text has another $ before it.`;

export const referenceTo = (name: string): string => `\${env:${name}}`;

/** A value that is shown, with the references of what came from the environment in the place of it, in all its texts. Pure. */
export function hideValues(value: unknown, used: readonly Omit<UsedValue, "path">[]): unknown {
  const references = new Map(used.map((each) => [each.value, each.reference]));
  // The longest first: one may stand in another.
  const values = [...references.keys()].toSorted((a, b) => b.length - a.length);
  if (values.length === 0) return value;
  const any = new RegExp(values.map((each) => RegExp.escape(each)).join("|"), "g");
  return mapTexts(value, [], (text) => text.replace(any, (found) => references.get(found) as string));
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
