/** The value, in which another object stands wherever this very one stood. What does not hold it stays the same. Pure. */
export function replacedIn<T>(value: T, before: object, after: object): T {
  if ((value as unknown) === before) return after as T;
  if (Array.isArray(value)) {
    const items = value.map((item) => replacedIn(item, before, after));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value);
  const changed = entries.map(([name, inside]) => [name, replacedIn(inside, before, after)] as const);
  return changed.some(([, inside], index) => inside !== entries[index]?.[1])
    ? (Object.fromEntries(changed) as T)
    : value;
}
