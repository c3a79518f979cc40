import { z } from "zod";
import { isRecord } from "../expressions/member.ts";
import { type Fields, fieldsOf, type Kind } from "./kinds.ts";

type FieldFault = { path: (string | number)[]; message: string };

/** What a file of a kind says: the API's own schema, with names in the place of numbers, and nothing misspelt. */
export const fileSchema = (kind: Kind): z.ZodType<Fields> =>
  z.record(z.string(), z.unknown()).transform((given, context) => {
    const names = kind.references.map(({ field }) => field);
    const own = Object.fromEntries(Object.entries(given).filter(([field]) => !names.includes(field)));
    const parsed = kind.schema.safeParse(own);
    const faults = parsed.error?.issues ?? [];
    context.issues.push(...(faults as never[]));
    // Strict schemas have reported these keys already.
    const told = faults.flatMap((fault) => (fault.code === "unrecognized_keys" ? fault.keys : []));
    const strange = strangeFields(kind, given).filter(({ path: [field] }) => !told.includes(String(field)));
    const wrong = [...wrongNames(names, given), ...missingNames(kind, given)];
    for (const { path, message } of [...strange, ...wrong, ...lostKeys(own, parsed.data)])
      context.addIssue({ code: "custom", path, message });
    return { ...parsed.data, ...Object.fromEntries(names.map((field) => [field, given[field] ?? null])) };
  }) as never;

const strangeFields = (kind: Kind, given: Fields): FieldFault[] =>
  Object.keys(given)
    .filter((field) => !fieldsOf(kind).includes(field))
    .map((field) => ({
      path: [field],
      message: `There is no field "${field}". Fields: ${fieldsOf(kind).join(", ")}.`,
    }));

const wrongNames = (names: string[], given: Fields): FieldFault[] =>
  names
    .filter((field) => given[field] != null && typeof given[field] !== "string")
    .map((field) => ({ path: [field], message: "Write the name of the record." }));

const missingNames = (kind: Kind, given: Fields): FieldFault[] =>
  kind.references.flatMap(({ field, required }) =>
    required !== undefined && given[field] == null ? [{ path: [field], message: required }] : [],
  );

/** Keys inside a field that nothing reads. A tool's definition has spellings of its own, and `check` tells of them. */
function lostKeys(given: Fields, parsed: Fields | undefined): FieldFault[] {
  if (parsed === undefined) return [];
  const found: FieldFault[] = [];
  const compare = (one: unknown, other: unknown, path: (string | number)[]): void => {
    if (Array.isArray(one) && Array.isArray(other))
      for (const [at, item] of one.entries()) compare(item, other[at], [...path, at]);
    else if (isRecord(one) && isRecord(other))
      for (const [key, value] of Object.entries(one)) {
        if (!(key in other)) found.push({ path: [...path, key], message: `Nothing reads "${key}" here.` });
        else compare(value, other[key], [...path, key]);
      }
  };
  for (const [field, value] of Object.entries(given))
    if (field !== "definition" && field in parsed) compare(value, parsed[field], [field]);
  return found;
}
