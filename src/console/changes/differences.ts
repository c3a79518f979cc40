/** Where two records differ: one entry for each value that was set, changed or taken away, by its path. */
export type Difference = { path: string; before: unknown; after: unknown };

/**
 * Lists are compared entry by entry; an empty path means the whole value. A list of texts is one value, a line each: with its
 * first day taken away, each day behind it would be told as changed.
 */
export function differences(before: unknown, after: unknown, path = ""): Difference[] {
  if (same(before, after)) return [];
  if (!isNest(before) || !isNest(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, before, after }];
  }
  if (isTexts(before) && isTexts(after)) return [{ path, before, after }];
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

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string");

/** Formats a value for reading: strings unchanged, texts a line each, null as nothing, the rest as JSON. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (isTexts(value)) return value.join("\n");
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
