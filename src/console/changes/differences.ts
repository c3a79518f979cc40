/** Where two records differ: one entry for each value that was set, changed or taken away, by its path. */
export type Difference = { path: string; before: unknown; after: unknown };

/** Lists are compared entry by entry; an empty path means the whole value. */
export function differences(before: unknown, after: unknown, path = ""): Difference[] {
  if (same(before, after)) return [];
  if (!isNest(before) || !isNest(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, before, after }];
  }
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    differences(before[name], after[name], path === "" ? name : `${path}.${name}`),
  );
}

/** Null and a missing value are equal in the API's answers. */
function same(one: unknown, other: unknown): boolean {
  if (Object.is(one ?? null, other ?? null)) return true;
  if (!isNest(one) || !isNest(other)) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

const isNest = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Formats a value for reading: strings unchanged, null as nothing, the rest as JSON. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
