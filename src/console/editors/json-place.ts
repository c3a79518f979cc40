import type { syntaxTree } from "@codemirror/language";

type Tree = ReturnType<typeof syntaxTree>;
type SyntaxNode = Tree["topNode"];

const VALUES = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

/** Where a value stands in a JSON text; of one that isn't there, where the nearest value around it begins. */
export function placeInJson(
  tree: Tree,
  text: string,
  path: readonly (string | number)[],
): { from: number; to: number } {
  let node = childrenOf(tree.topNode).find(({ name }) => VALUES.has(name));
  if (!node) return { from: 0, to: 0 };
  for (const part of path) {
    const next: SyntaxNode | undefined =
      node.name === "Array"
        ? childrenOf(node).filter(({ name }) => VALUES.has(name))[Number(part)]
        : memberOf(node, text, String(part));
    if (!next) return { from: node.from, to: Math.min(node.to, node.from + 1) };
    node = next;
  }
  return { from: node.from, to: node.to };
}

function memberOf(object: SyntaxNode, text: string, name: string): SyntaxNode | undefined {
  for (const property of childrenOf(object)) {
    const [key, ...rest] = childrenOf(property);
    if (property.name !== "Property" || !key) continue;
    if (text.slice(key.from, key.to) !== JSON.stringify(name)) continue;
    return rest.find((node) => VALUES.has(node.name));
  }
  return undefined;
}
