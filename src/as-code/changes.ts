import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../expressions/member.ts";
import type { Fields, Kind } from "./kinds.ts";

/** One place where a file and the organization differ. */
export type FieldChange = { path: (string | number)[]; before: unknown; after: unknown };

/**
 * Where a record has to change to become what its file says. `null` and a missing key mean the same. Of secrets the
 * organization tells no more than their names, so only these are compared. Pure.
 */
export function changesOf(kind: Kind, wanted: Fields, actual: Fields): FieldChange[] {
  const [after, before] = [comparable(kind, wanted), comparable(kind, actual)];
  for (const field of kind.keptIfAbsent) if (wanted[field] == null) delete before[field];
  const found: FieldChange[] = [];
  for (const field of new Set([...Object.keys(after), ...Object.keys(before)]))
    compare(before[field], after[field], [field], found);
  return found;
}

/** Where two values differ. Pure. */
export function valueChanges(before: unknown, after: unknown, path: FieldChange["path"]): FieldChange[] {
  const found: FieldChange[] = [];
  compare(before, after, path, found);
  return found;
}

function comparable(kind: Kind, fields: Fields): Fields {
  const { auth_values, ...rest } = fields;
  if (kind.name !== "services") return bare(fields) as Fields;
  const { auth_url } = auth_values ?? {};
  return bare({
    ...rest,
    auth_values: Object.keys(auth_values ?? {}).toSorted(),
    auth_url: typeof auth_url === "string" ? auth_url.replace(/\?.*$/s, "") : null,
  }) as Fields;
}

function compare(before: unknown, after: unknown, path: FieldChange["path"], found: FieldChange[]): void {
  if (isDeepStrictEqual(before, after)) return;
  if (isRecord(before) && isRecord(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(before[key], after[key], [...path, key], found);
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [at, item] of before.entries()) compare(item, after[at], [...path, at], found);
  } else found.push({ path, before, after });
}

/** As JSON stores it, without keys that hold nothing. */
const bare = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (inner === null ? undefined : inner)));
