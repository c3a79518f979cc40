import { EvaluationError } from "../expressions/meter.ts";
import { atPointer } from "./schema-pointer.ts";
import { MAX_DEPTH, type SchemaMembers, type SchemaWalk } from "./schema-walk.ts";

/** What a `$ref` names; throws an `EvaluationError` where it names nothing. */
export function referenced(walk: SchemaWalk, reference: string): unknown {
  if (!walk.references.has(reference)) walk.references.set(reference, lookUp(walk, reference));
  return walk.references.get(reference);
}

function lookUp(walk: SchemaWalk, reference: string): unknown {
  const found = reference.startsWith("#")
    ? /^#(\/|$)/.test(reference)
      ? atPointer(walk.root, reference.slice(1))
      : anchored(walk, walk.root, reference.slice(1), 0)
    : undefined;
  if (found === undefined) throw new EvaluationError(`can't resolve reference ${reference}`);
  return found;
}

/** A schema that names itself: `$anchor`, or `$id: "#name"` as draft 7 has it. */
function anchored(walk: SchemaWalk, node: unknown, name: string, depth: number): unknown {
  walk.meter.spend();
  if (typeof node !== "object" || node === null || depth > MAX_DEPTH) return undefined;
  const { $anchor, $id } = node as SchemaMembers;
  if ($anchor === name || $id === `#${name}`) return node;
  for (const inner of Object.values(node)) {
    const found = anchored(walk, inner, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
