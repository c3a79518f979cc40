import type { Path } from "./validation-issue.ts";

/** What a JSON pointer (`/properties/a~1b`, also as it stands in a URL) leads to; undefined where it leads nowhere. */
export const atPointer = (root: unknown, pointer: string): unknown =>
  atPath(root, pointerPath(root, pointer));

/** A JSON pointer as keys; list positions become numbers. */
export function pointerPath(root: unknown, pointer: string): Path {
  let node = root;
  return pointer
    .split("/")
    .slice(1)
    .map((raw) => {
      const key = decoded(raw).replaceAll("~1", "/").replaceAll("~0", "~");
      const part = Array.isArray(node) && /^\d+$/.test(key) ? Number(key) : key;
      node = atPath(node, [part]);
      return part;
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function atPath(root: unknown, path: Path): unknown {
  let node = root;
  for (const key of path) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string | number, unknown>)[key];
  }
  return node;
}
