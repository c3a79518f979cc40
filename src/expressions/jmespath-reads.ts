import { parseJmespath } from "./jmespath-parse.ts";
import type { Comparison, Node } from "./jmespath-tree.ts";

/** A name below the root, such as `["local", "tries"]`. */
export type ReadPath = readonly string[];

/** A side of a comparison: a path below the root, a value that is written there, or something else. */
export type ComparedSide = { path: ReadPath } | { literal: unknown } | null;

export type Reads = {
  paths: ReadPath[];
  comparisons: { operator: Comparison; left: ComparedSide; right: ComparedSide }[];
};

/**
 * What an expression that parses reads of the root it is evaluated over. What is read of the items of a list
 * (`days[?free]`) is left out: it says nothing of the root.
 */
export function readsOf(source: string): Reads {
  const reads: Reads = { paths: [], comparisons: [] };
  collect(parseJmespath(source), reads);
  return reads;
}

function collect(node: Node, reads: Reads): void {
  const path = pathOf(node);
  if (path) {
    reads.paths.push(path);
    return;
  }
  if (node.type === "compare") {
    const { operator, left, right } = node;
    reads.comparisons.push({ operator, left: sideOf(left), right: sideOf(right) });
  }
  for (const child of overSameRoot(node)) collect(child, reads);
}

function pathOf(node: Node): ReadPath | null {
  if (node.type === "field") return [node.name];
  if (node.type !== "dot") return null;
  const left = pathOf(node.left);
  if (!left) return null;
  // What is below a place in a list belongs to the list.
  return node.right.type === "field" ? [...left, node.right.name] : left;
}

function sideOf(node: Node): ComparedSide {
  if (node.type === "literal") return { literal: node.value };
  const path = pathOf(node);
  return path && { path };
}

/** The parts of a node that are evaluated over the same value as the node itself. */
function overSameRoot(node: Node): Node[] {
  switch (node.type) {
    case "dot":
    case "pipe":
      return [node.left];
    case "and":
    case "or":
    case "compare":
    case "calculate":
      return [node.left, node.right];
    case "not":
    case "negate":
    case "plus":
    case "flat":
    case "items":
    case "values":
    case "filter":
      return [node.of];
    case "list":
      return node.items;
    case "hash":
      return node.members.map(([, value]) => value);
    case "choose":
      return [node.condition, node.then, node.otherwise];
    case "call":
      return node.args;
    case "let":
      return [...node.bindings.map(([, value]) => value), node.body];
    default:
      return [];
  }
}
