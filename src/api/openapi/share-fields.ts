/*
 * A schema that has all fields of another and more refers to that one and names only what it adds. `withAllFields` writes
 * them back. Pure.
 */

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, read by its own rules
type Json = any;
type Schemas = Record<string, Json>;

const REF = "#/components/schemas/";
/** Bytes that a reference has to save. */
const WORTH = 60;
const PLAIN = new Set(["type", "properties", "required", "description"]);

type OwnFields = { texts: Map<string, string>; required: Set<string> };

export function shareFields(schemas: Schemas): Schemas {
  const plain = new Map<string, OwnFields>();
  for (const [name, schema] of Object.entries(schemas))
    if (schema.type === "object" && schema.properties && Object.keys(schema).every((key) => PLAIN.has(key)))
      plain.set(name, {
        texts: new Map(Object.entries(schema.properties).map(([key, value]) => [key, JSON.stringify(value)])),
        required: new Set(schema.required),
      });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const base = plain.has(name) ? largestWithin(name, plain) : null;
      return [name, base === null ? schema : extended(schema, base, schemas[base])];
    }),
  );
}

/** The schema that saves the most bytes among those whose fields are all here, required here as there. */
function largestWithin(name: string, plain: Map<string, OwnFields>): string | null {
  const own = plain.get(name) as OwnFields;
  let best: string | null = null;
  let saved = WORTH;
  for (const [other, { texts, required }] of plain) {
    if (other === name || texts.size > own.texts.size || (texts.size === own.texts.size && other > name))
      continue;
    let bytes = -other.length;
    for (const [key, text] of texts) {
      if (own.texts.get(key) !== text || own.required.has(key) !== required.has(key)) {
        bytes = 0;
        break;
      }
      bytes += key.length + text.length;
    }
    if (bytes <= saved) continue;
    saved = bytes;
    best = other;
  }
  return best;
}

function extended(schema: Json, name: string, base: Json): Json {
  const properties = Object.fromEntries(
    Object.entries(schema.properties).filter(([key]) => !(key in base.properties)),
  );
  const required = (schema.required ?? []).filter((key: string) => key in properties);
  const { description } = schema;
  return {
    ...(description !== undefined && { description }),
    allOf: [
      { $ref: REF + name },
      ...(Object.keys(properties).length > 0
        ? [{ type: "object", properties, ...(required.length > 0 && { required }) }]
        : []),
    ],
  };
}

/** A schema that extends others, as one object with all its fields. */
export function withAllFields(schema: Json, schemas: Schemas): Json {
  if (!schema.allOf) return schema;
  const { allOf, ...more } = schema;
  const parts: Json[] = allOf.map((part: Json) =>
    part.$ref ? withAllFields(schemas[part.$ref.slice(REF.length)], schemas) : part,
  );
  const required = parts.flatMap((part) => part.required ?? []);
  return {
    ...more,
    type: "object",
    properties: Object.fromEntries(parts.flatMap((part) => Object.entries(part.properties ?? {}))),
    ...(required.length > 0 && { required }),
  };
}
