/** What becomes of a field of another platform's file. */
export type FieldFate = "mapped" | "approximated" | "no equivalent";
export type FieldPath = readonly (string | number)[];

/** One field, or all beneath it, with a sentence that says what became of it. No value of the file is in it. */
export type PlannedField = { path: string; fate: FieldFate; sentence: string; is_empty: boolean };

/** What Parley needs that a file does not hold, or that must not be copied out of it. */
export type MissingPart = { name: string; what: string; path: string };

/** Where Parley has what a field sets, or what it does instead. */
export type Elsewhere = { fate: FieldFate; sentence: string };

export type ElsewhereTable = {
  /** Undefined: nothing is known of this field. */
  of(path: FieldPath): Elsewhere | undefined;
  /** Whether something is known of a field beneath. */
  leadsOn(path: FieldPath): boolean;
};

/** Collects what becomes of each field while a file is read. */
export type Report = {
  note(path: FieldPath, fate: FieldFate, sentence: string): void;
  missing(path: FieldPath, name: string, what: string): void;
};

type Notes = Report & {
  fields(input: unknown): PlannedField[];
  missing_parts: MissingPart[];
};

const UNKNOWN_FIELD = { fate: "no equivalent", sentence: "Parley has no such setting." } as const;
const EMPTY_FIELD = { fate: "mapped", sentence: "Empty in the file, so nothing is lost." } as const;
const WORST: FieldFate[] = ["mapped", "approximated", "no equivalent"];

/**
 * A report whose list, at the end, covers every field of the input: what nothing was said of has no equivalent in an agent,
 * and `elsewhere` tells where Parley has it.
 */
export function newReport(elsewhere: ElsewhereTable): Notes {
  const notes = new Map<string, { path: FieldPath; fate: FieldFate; sentences: string[] }>();
  const missing_parts: MissingPart[] = [];
  return {
    missing_parts,
    note(path, fate, sentence) {
      const key = JSON.stringify(path);
      const before = notes.get(key);
      if (!before) {
        notes.set(key, { path: [...path], fate, sentences: [sentence] });
        return;
      }
      if (WORST.indexOf(fate) > WORST.indexOf(before.fate)) before.fate = fate;
      if (sentence !== "" && !before.sentences.includes(sentence)) before.sentences.push(sentence);
    },
    missing(path, name, what) {
      missing_parts.push({ name, what, path: fieldPath(path) });
    },
    fields(input) {
      const said = new Set<string>();
      for (const { path } of notes.values())
        for (let length = 0; length <= path.length; length++) said.add(JSON.stringify(path.slice(0, length)));
      const found: PlannedField[] = [];
      const visit = (value: unknown, path: FieldPath, covered: boolean): void => {
        const key = JSON.stringify(path);
        const note = notes.get(key);
        if (note) {
          const { fate, sentences } = note;
          found.push({ path: fieldPath(path), fate, sentence: sentences.join(" "), is_empty: false });
        }
        const isKnown = covered || note !== undefined;
        // Nothing beneath has a sentence of its own: one line for all of it.
        if (!said.has(key)) {
          if (isKnown) return;
          const is_empty = isEmptyField(value);
          if (is_empty || !elsewhere.leadsOn(path) || typeof value !== "object") {
            const left = is_empty ? EMPTY_FIELD : (elsewhere.of(path) ?? UNKNOWN_FIELD);
            found.push({ path: fieldPath(path), ...left, is_empty });
            return;
          }
        }
        for (const [name, inner] of entriesOf(value)) visit(inner, [...path, name], isKnown);
      };
      visit(input, [], false);
      return found;
    },
  };
}

/** Null, an empty text, list or map, or a map of such: it asks for nothing. */
function isEmptyField(value: unknown): boolean {
  if (value === null || value === "") return true;
  return typeof value === "object" && entriesOf(value).every(([, inner]) => isEmptyField(inner));
}

const entriesOf = (value: unknown): [string | number, unknown][] => {
  if (Array.isArray(value)) return value.map((inner, index) => [index, inner]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
};

/** `model.tools[0].server.url`; a name with other characters in quotes, so that it stays one line of a terminal. */
export const fieldPath = (path: FieldPath): string =>
  path
    .map((part, at) => {
      if (typeof part === "number") return `[${part}]`;
      if (!/^[\w-]+$/.test(part)) return `[${quoted(part)}]`;
      return at === 0 ? part : `.${part}`;
    })
    .join("");

/** A text of the file as a sentence may show it. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    "?",
  );
