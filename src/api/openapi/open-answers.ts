/*
 * The plugin closes every object that the program answers (`additionalProperties: false`). That says nothing a client could
 * use, for new versions add fields to answers; and it makes two schemas of one that is both sent and answered. So answers are
 * published open. The tests close them again: no answer has a field that the document doesn't name. Pure.
 */

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, read by its own rules
type Json = any;

/** Keywords whose values are data, not schemas. */
export const DATA = new Set(["const", "default", "enum", "example", "examples", "required"]);

/** Each schema inside, and itself, changed by a function that gets it with its inner ones changed already. */
export function mapSchemas(value: Json, change: (schema: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((inner) => mapSchemas(inner, change));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries<Json>(value).map(([key, inner]) => {
    if (DATA.has(key)) return [key, inner];
    // Members go by names of their own, which may read like keywords.
    if (key === "properties" && typeof inner === "object")
      return [
        key,
        Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, mapSchemas(member, change)])),
      ];
    return [key, mapSchemas(inner, change)];
  });
  return change(Object.fromEntries(entries));
}

export const opened = (schema: Json): Json =>
  mapSchemas(schema, (one) => {
    const { additionalProperties, ...open } = one;
    return additionalProperties === false && open.properties ? open : one;
  });

/** For tests: an object has the fields that are named, unless its schema says otherwise. */
export const closed = (schema: Json): Json =>
  mapSchemas(schema, (one) =>
    one.properties && one.type !== undefined && one.additionalProperties === undefined
      ? { ...one, additionalProperties: false }
      : one,
  );
