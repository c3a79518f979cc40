import { compilePattern } from "../base/pattern.ts";
import { atPointer } from "./schema-pointer.ts";
import { isMembers } from "./schema-walk.ts";

/** Keywords whose schemas are about the same value as the schema that has them. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "if", "then", "else"];

/**
 * Which members a schema of an object speaks of. One that says nothing of further members lets them pass, but knows nothing
 * of them; only `additionalProperties` in so many words takes any.
 */
export function takenNames(root: unknown): (name: string) => boolean {
  const names = new Set<string>();
  const patterns = new Set<string>();
  const seen = new Set<unknown>();
  let any = false;
  const pending = [root];
  while (pending.length > 0) {
    const schema = pending.pop();
    if (!isMembers(schema) || seen.has(schema)) continue;
    seen.add(schema);
    const { properties, patternProperties, additionalProperties: more, $ref } = schema;
    if (isMembers(properties)) for (const name of Object.keys(properties)) names.add(name);
    if (isMembers(patternProperties))
      for (const source of Object.keys(patternProperties)) patterns.add(source);
    any ||= more === true || isMembers(more);
    if (typeof $ref === "string" && $ref.startsWith("#")) pending.push(atPointer(root, $ref.slice(1)));
    for (const keyword of IN_PLACE) pending.push(...[schema[keyword]].flat());
  }
  return (name) =>
    any ||
    names.has(name) ||
    [...patterns].some((source) => compilePattern(source).program.matcher(name).find());
}
