import { withoutForeignSeals } from "./sealed-text.ts";

/*
 * PostgreSQL stores neither NUL nor half a surrogate pair, and a JSON document with an escape of one can't be looked into.
 * The API refuses them; what models and services answer is cleaned of them instead.
 */

export const storableText = (text: string): string =>
  withoutForeignSeals(text.replaceAll("\0", "").toWellFormed());

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** In UTF-16 units. A family of four has 11, an English county's flag 14. */
const LONGEST_CHARACTER = 32;

/**
 * Where a text may be cut at `at`: not inside what a reader sees as one character, such as a flag, a family, or a letter with
 * its marks. A character too long for that is cut, but not between the halves of a surrogate pair.
 */
export function wholeCharacter(text: string, at: number): number {
  const from = Math.max(0, at - LONGEST_CHARACTER);
  const begin = characters.segment(text.slice(from, at + 2)).containing(at - from)?.index ?? at - from;
  if (begin > 0) return from + begin;
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") ? at - 1 : at;
}

/** The beginning of a text, of `most` characters at the most. */
export const cutTo = (text: string, most: number): string => text.slice(0, wholeCharacter(text, most));

/** How JSON.stringify writes them. An escaped backslash before the `u` finds more than there is, which costs a copy. */
const SUSPECT = /\\u(?:0000|d[89a-f])/;

/** The JSON value with its texts and keys cleaned; itself where nothing is to be done. */
export function storableJson<T>(value: T): T {
  const text = JSON.stringify(value);
  return text !== undefined && SUSPECT.test(text) ? (cleaned(JSON.parse(text)) as T) : value;
}

/** The same, as its JSON. */
export function storableJsonText(value: object): string {
  const text = withoutForeignSeals(JSON.stringify(value));
  return SUSPECT.test(text) ? JSON.stringify(cleaned(JSON.parse(text))) : text;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), cleaned(item)]));
}
