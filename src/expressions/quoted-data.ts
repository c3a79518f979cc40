/** What opens a block, a tag or a variable, and all that breaks a line or hides in one. */
const OPENS = /[`<>{}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** A list or an object shows its own braces; within its texts they are as harmless as they are there. */
const OPENS_IN_JSON = /[`<>\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A value in a text that a model obeys, which somebody else wrote: a visitor, a caller, another model. As JSON on one line,
 * so that it reads as a value and can't end its own quotes. Numbers, yes and no are as they are. Pure.
 */
export function quotedData(value: unknown): unknown {
  if (typeof value === "string") return JSON.stringify(value).replaceAll(OPENS, escaped);
  if (typeof value !== "object" || value === null) return value;
  return JSON.stringify(value).replaceAll(OPENS_IN_JSON, escaped);
}

/** Longer texts are seldom names, dates or answers. */
const LONGEST_PLAIN = 200;

/** Whether a text can only read as a value: short, on one line, and opening nothing. Joiners belong to many scripts. */
export const isPlainText = (text: string): boolean =>
  text.length <= LONGEST_PLAIN && text.replaceAll(/[\u200c\u200d]/g, "").search(OPENS) < 0;

const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join("");
const unit = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;
