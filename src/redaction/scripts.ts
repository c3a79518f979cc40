/**
 * For classes of expressions with the flag v. Of scripts whose words stand against one another without blanks, or against
 * their endings as in Korean: a letter of these beside a word is no part of it.
 */
export const JOINED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`;
/** Of all others. Most vowels of Hindi are marks. */
export const SPACED = String.raw`[[\p{L}\p{M}]--[${JOINED}]]`;
