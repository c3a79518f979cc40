/**
 * Control and format characters, and all that breaks a line: an instruction put after one would read as a line of its own.
 * What joins letters or keeps them apart within a word (U+200C, U+200D) is a part of Persian names and of emoji.
 */
const BREAKS = /(?:[\p{Cc}\p{Zl}\p{Zp}\s]|(?![\u200c\u200d])\p{Cf})+/gu;

/** A text of a visitor's as one line. */
export const oneLine = (text: string): string => text.replaceAll(BREAKS, " ").trim();
