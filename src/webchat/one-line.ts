/** Control and format characters, and all that breaks a line: an instruction put after one would read as a line of its own. */
const BREAKS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/** A text of a visitor's as one line. */
export const oneLine = (text: string): string => text.replaceAll(BREAKS, " ").trim();
