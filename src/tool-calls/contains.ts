/**
 * Whether a value contains another: of objects the named members, of lists the entries at the same places and no more,
 * anything else as it is. Pure.
 */
export function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((entry, at) => contains(value[at], entry))
    );
  if (isObject(wanted))
    return (
      isObject(value) &&
      Object.entries(wanted).every(([key, entry]) => Object.hasOwn(value, key) && contains(value[key], entry))
    );
  return value === wanted;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
