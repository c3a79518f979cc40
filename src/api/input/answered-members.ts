import { z } from "zod";

/** Which members of a value are left out, by where they stand; null: none at all. */
export type Left = { names: readonly string[]; inside: ReadonlyMap<string, Left>; items: Left | null } | null;

/**
 * The members of an operation's answer that its strict body does not accept, such as `updated_at`, also of the objects and
 * lists inside it. A client that reads a setting, changes it and sends it back sends these too, so they are ignored; any
 * other unknown member is refused.
 */
export function answeredMembers(body: unknown, answer: unknown): Left {
  const [taken, given] = [bare(body), bare(answer)];
  if (taken instanceof z.ZodArray && given instanceof z.ZodArray) {
    const items = answeredMembers(taken.element, given.element);
    return items && { names: [], inside: new Map(), items };
  }
  if (!(taken instanceof z.ZodObject && given instanceof z.ZodObject)) return null;
  const isStrict = taken.def.catchall instanceof z.ZodNever;
  const names = isStrict ? Object.keys(given.shape).filter((name) => !Object.hasOwn(taken.shape, name)) : [];
  const inside = new Map<string, Left>();
  for (const [name, schema] of Object.entries(taken.shape)) {
    const left = answeredMembers(schema, given.shape[name]);
    if (left !== null) inside.set(name, left);
  }
  return names.length === 0 && inside.size === 0 ? null : { names, inside, items: null };
}

/** A value without these members; what is neither an object nor a list, where one is expected, stays as it is. */
export function withoutMembers(value: unknown, left: Left): unknown {
  if (left === null || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return left.items ? value.map((item) => withoutMembers(item, left.items)) : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !left.names.includes(name))
      .map(([name, inner]) => [name, withoutMembers(inner, left.inside.get(name) ?? null)]),
  );
}

/** A schema without what says that it may be left out, be null or have a default. */
function bare(schema: unknown): unknown {
  return schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
    ? bare(schema.unwrap())
    : schema;
}
