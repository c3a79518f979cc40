/*
 * Which of the world's scripts put blanks between words. The constants are classes for expressions with the flag v. They
 * hold letters, marks (most vowels of Hindi and Thai are such) and, of scripts without blanks, digits; no punctuation.
 */

/** Accents that Thai or Japanese share with Latin letters, as in ñ written in two characters, belong to the Latin ones. */
const own = (scripts: string): string => String.raw`[[${scripts}]&&[[\p{L}\p{M}\p{N}]--\p{scx=Latn}]]`;

/** Chinese and Japanese, with the mark of long vowels (コーヒー). A word is mostly one or two of them. */
export const SIGNS = own(String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}`);
export const HANGUL = own(String.raw`\p{scx=Hang}`);
/** Thai, Lao, Khmer and Burmese. */
export const LETTERS_IN_A_ROW = own(String.raw`\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`);

/** Of scripts without blanks between words. */
export const UNSPACED = `[${SIGNS}${LETTERS_IN_A_ROW}]`;
/** Of these and of Korean, whose words stand against their endings: a letter of these beside a word is no part of it. */
export const JOINED = `[${UNSPACED}${HANGUL}]`;
/** Of all others. */
export const SPACED = String.raw`[[\p{L}\p{M}]--${JOINED}]`;
