import { SPACED } from "../base/writing/scripts.ts";

/*
 * Arabic and Hebrew write "and", "to", "in" and the article on to the word that follows: وأحمد is "and Ahmad". What was found
 * as أحمد is looked for behind these, too. A short name with a particle is easily another word (בר is a name, כבר is
 * "already"), so the shorter a value is, the fewer may stand before it.
 */

/** No part of a longer word. */
const BEGINS = String.raw`(?<![${SPACED}\p{N}])`;
/** Those of Arabic and of Hebrew, which are written seldom. */
const VOWELS = String.raw`[\u064b-\u0652\u05b0-\u05bc]*`;

const behind = (...particles: string[]): string =>
  `(?<=${BEGINS}${particles.map((one) => `(?:(?:${one})${VOWELS})?`).join("")})`;

/** By how many letters a value has at least. */
const ARABIC: readonly [letters: number, begins: string][] = [
  [4, behind("[وف]", "[بلك]", "ال")],
  [3, behind("[وف]", "[بلك]")],
  [0, behind("و", "ل")],
];
const HEBREW: readonly [letters: number, begins: string][] = [
  [4, behind("ו", "לכש|כש|מש|ש|כ", "[בלמ]", "ה")],
  [3, behind("ו", "כש|ש|כ", "[בלמ]")],
  [0, behind("ו", "ל")],
];

export const lettersOf = (value: string): number => value.match(/\p{L}/gu)?.length ?? 0;

/** What has to stand before a value where it is found. */
export function beginningOf(value: string): string {
  const script = /^\p{Script=Arabic}/u.test(value) ? ARABIC : /^\p{Script=Hebrew}/u.test(value) ? HEBREW : [];
  return script.find(([least]) => lettersOf(value) >= least)?.[1] ?? BEGINS;
}

const TO_THE = `(?<=${BEGINS}(?:[وف]${VOWELS})?ل${VOWELS})`;

/** "To the" is لل, which leaves the second letter of a value's own article: الرياض, للرياض. */
export const behindToThe = (value: string): { text: string; begins: string } | null =>
  /^ال\p{L}{3}/u.test(value) ? { text: value.slice(1), begins: TO_THE } : null;
