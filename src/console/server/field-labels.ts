/**
 * Labels of fields by their path in the API, for those whose label is not simply their name: `context: "Instructions"`. A star
 * stands for an entry of a list or a name in a map: `rules.*.start_time: "From"`.
 */
export type FieldLabels = Readonly<Record<string, string>>;

/**
 * Makes `llm_config.temperature` readable: the label of the nearest field that has one, then the names below it. A field of an
 * entry keeps the entry before it.
 */
export function fieldLabel(path: string, labels: FieldLabels = {}): string {
  const parts = path.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const found = labelAt(parts.slice(0, length), labels);
    if (found !== undefined) return [found, ...parts.slice(length).map(plain)].join(", ");
  }
  const [first = "", ...rest] = parts.map(plain);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(", ");
}

function labelAt(parts: readonly string[], labels: FieldLabels): string | undefined {
  const own = labels[parts.join(".")];
  if (own !== undefined) return own;
  for (const [at, label] of Object.entries(labels)) {
    const named = at.split(".");
    const entry = named.lastIndexOf("*") + 1;
    if (entry === 0 || named.length !== parts.length) continue;
    if (named.every((name, place) => name === "*" || name === parts[place])) {
      return `${fieldLabel(parts.slice(0, entry).join("."), labels)}, ${label}`;
    }
  }
  return undefined;
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

/** The labels of a record for a form or a comparison in which it lies below a path. */
export const labelsBelow = (path: string, labels: FieldLabels): FieldLabels =>
  Object.fromEntries(Object.entries(labels).map(([name, label]) => [`${path}.${name}`, label]));
