/** Labels of fields by their path in the API, for those whose label is not simply their name: `context: "Instructions"`. */
export type FieldLabels = Readonly<Record<string, string>>;

/** Makes `llm_config.temperature` readable: the label of the nearest field that has one, then the names below it. */
export function fieldLabel(path: string, labels: FieldLabels = {}): string {
  const parts = path.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const label = labels[parts.slice(0, length).join(".")];
    if (label !== undefined) return [label, ...parts.slice(length).map(plain)].join(", ");
  }
  const [first = "", ...rest] = parts.map(plain);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(", ");
}

/** Entries of a list are counted from 1. */
const plain = (part: string): string =>
  /^\d+$/.test(part) ? `no. ${Number(part) + 1}` : part.replace(/_id$/, "").replaceAll("_", " ");

/** `$.steps[0]['a b']` as `["steps", 0, "a b"]`. */
export function placeOf(path: string): (string | number)[] {
  return [...path.matchAll(/\.([A-Za-z_]\w*)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/g)].map(
    ([, word, index, quoted]) =>
      word !== undefined
        ? word
        : index !== undefined
          ? Number(index)
          : (quoted as string).replace(/\\(.)/g, "$1"),
  );
}
