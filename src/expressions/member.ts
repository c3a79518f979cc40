/** Data as JSON has it: what an object itself holds, never what its prototype lends it. */
export type Members = Readonly<Record<string, unknown>>;

/** Without a prototype, so that `constructor` and `__proto__` are names like any other. */
export const emptyRecord = (): Record<string, unknown> => Object.create(null);

export const isRecord = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member by name, or an item by its number; `undefined` when the value has none such. */
export function own(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined;
  return Object.hasOwn(value, name) ? (value as Members)[name] : undefined;
}
