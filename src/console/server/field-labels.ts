/**
 * Labels of fields by their path in the API, for those whose label is not simply their name: `context: "Instructions"`. A star
 * stands for an entry of a list or a name in a map: `rules.*.start_time: "From"`.
 */
export type FieldLabels = Readonly<Record<string, string | Worded>>;

/** A field whose values are codes, each with what the form says for it. */
type Worded = { label: string; words: Readonly<Record<string, string>> };

/** The label of a field with the choices that it offers. */
export const worded = (
  label: string,
  choices: Readonly<Record<string, string>> | readonly { value: string; label: string }[],
): Worded => ({
  label,
  words: Array.isArray(choices)
    ? Object.fromEntries(choices.map((choice) => [choice.value, choice.label]))
    : (choices as Readonly<Record<string, string>>),
});

/** What the form says for the values of a field. */
export function fieldWords(path: string, labels: FieldLabels): Readonly<Record<string, string>> {
  const found = entryAt(path.split("."), labels)?.entry;
  return typeof found === "object" ? found.words : {};
}

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
  const found = entryAt(parts, labels);
  if (found === undefined) return undefined;
  const label = typeof found.entry === "string" ? found.entry : found.entry.label;
  if (found.within === 0) return label;
  return `${fieldLabel(parts.slice(0, found.within).join("."), labels)}, ${label}`;
}

/** What is said of a field; `within` counts the parts of its path that name the entry of a list or map which it is in. */
function entryAt(parts: readonly string[], labels: FieldLabels) {
  const own = labels[parts.join(".")];
  if (own !== undefined) return { entry: own, within: 0 };
  for (const [at, entry] of Object.entries(labels)) {
    const named = at.split(".");
    const within = named.lastIndexOf("*") + 1;
    if (within === 0 || named.length !== parts.length) continue;
    if (named.every((name, place) => name === "*" || name === parts[place])) return { entry, within };
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
