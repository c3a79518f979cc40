import { atPath, pointerPath } from "./schema-pointer.ts";
import type { Path } from "./validation-issue.ts";

/** What is too much of a schema, and where. */
type SchemaExcess = { path: Path; message: string };

/** Values in it: some hundred parameters with all they say. Models take far less. */
const MAX_VALUES = 5_000;
/** The same with every `$ref` written out, since whoever reads a schema goes through it that often. */
const MAX_EXPANDED = 20_000;
const MAX_DEPTH = 50;
const MAX_EXPANDED_DEPTH = 100;
/** They are compared with each other. */
const MAX_ENUM = 1_000;

/** Goes through the schema once, whatever it says. null: it can be worked with. */
export function schemaExcess(schema: unknown): SchemaExcess | null {
  return writtenExcess(schema) ?? expandedExcess(schema);
}

function writtenExcess(schema: unknown): SchemaExcess | null {
  let values = 0;
  const visit = (node: unknown, path: Path): SchemaExcess | null => {
    if (++values > MAX_VALUES)
      return { path, message: `A schema can hold ${MAX_VALUES} values; this one has more.` };
    if (typeof node !== "object" || node === null) return null;
    if (path.length > MAX_DEPTH)
      return { path, message: `A schema can't be nested deeper than ${MAX_DEPTH} levels.` };
    if (Array.isArray(node) && path.at(-1) === "enum" && node.length > MAX_ENUM)
      return { path, message: `An enum can list ${MAX_ENUM} values; this one has ${node.length}.` };
    for (const [key, inner] of Object.entries(node)) {
      const found = visit(inner, [...path, Array.isArray(node) ? Number(key) : key]);
      if (found) return found;
    }
    return null;
  };
  return visit(schema, []);
}

type Extent = { values: number; depth: number };
const ONE: Extent = { values: 1, depth: 1 };

function expandedExcess(root: unknown): SchemaExcess | null {
  const known = new Map<object, Extent>();
  let excess: SchemaExcess | null = null;
  const extentOf = (node: unknown, path: Path): Extent => {
    if (typeof node !== "object" || node === null) return ONE;
    const before = known.get(node);
    if (before) return before;
    // A schema that comes back to itself goes on only as long as the value does.
    known.set(node, ONE);
    const extent = { ...ONE };
    for (const [key, value] of Object.entries(node)) {
      const pointer = key === "$ref" && typeof value === "string" ? pointerPath(root, value.slice(1)) : null;
      const inner = pointer
        ? extentOf(atPath(root, pointer), pointer)
        : extentOf(value, [...path, Array.isArray(node) ? Number(key) : key]);
      extent.values += inner.values;
      extent.depth = Math.max(extent.depth, 1 + inner.depth);
      excess ??= expandedFault(extent, path);
      if (excess) break;
    }
    known.set(node, extent);
    return extent;
  };
  extentOf(root, []);
  return excess;
}

function expandedFault({ values, depth }: Extent, path: Path): SchemaExcess | null {
  if (values > MAX_EXPANDED)
    return {
      path,
      message: `With every $ref written out, a schema can hold ${MAX_EXPANDED} values; this one has more.`,
    };
  if (depth > MAX_EXPANDED_DEPTH)
    return {
      path,
      message: `With every $ref written out, a schema can't be nested deeper than ${MAX_EXPANDED_DEPTH} levels.`,
    };
  return null;
}
