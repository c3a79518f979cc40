/** Digits that belong together, however they are grouped or spoken: `4111 1111-1111 1111`, `five one two, triple five`. */
export type DigitRun = {
  pieces: readonly DigitPiece[];
  /** Whether most of it was written in words, as speech recognition does. */
  spoken: boolean;
  /** Whether a plus sign stands before it. */
  plus: boolean;
};

/** `from` and `to` are places in the text. */
type DigitPiece = { from: number; to: number; digits: string };

const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const TIMES: Record<string, number> = { double: 2, triple: 3 };

const TOKEN = new RegExp(`\\d+|\\b(?:${[...WORDS, "oh", ...Object.keys(TIMES)].join("|")})\\b`, "gi");
const MOST_BETWEEN = 3;
const BETWEEN = /^[\s.,\-_/\\()\u00ad\u00b7\u2010-\u2015\u2212\u200b-\u200d\u2060\ufeff]*$/;

/** Fewer digits are no number that anybody would hide. */
const LEAST_DIGITS = 7;
/** More pieces are a table or a list. Its end is read as a run of its own. */
const MOST_PIECES = 400;

export function digitRuns(text: string): DigitRun[] {
  const runs: DigitRun[] = [];
  let pieces: DigitPiece[] = [];
  let words = 0;
  let times = 1;
  let times_from = 0;
  let end = -1;
  const close = () => {
    const length = pieces.reduce((sum, { digits }) => sum + digits.length, 0);
    const first = pieces[0];
    if (first && length >= LEAST_DIGITS)
      runs.push({
        pieces,
        spoken: words * 2 > length,
        plus: /\+\s?\(?$/.test(text.slice(Math.max(0, first.from - 3), first.from)),
      });
    pieces = [];
    words = 0;
    times = 1;
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const gap = index - end;
    const between = end < 0 || gap > MOST_BETWEEN ? null : text.slice(end, index);
    if (between === null || !BETWEEN.test(between) || (between.includes(",") && !joins(pieces.at(-1), token)))
      close();
    if (pieces.length >= MOST_PIECES) close();
    end = index + token.length;
    const word = token.toLowerCase();
    const multiplier = TIMES[word];
    if (multiplier !== undefined) {
      times = multiplier;
      times_from = index;
      continue;
    }
    const spoken = word === "oh" ? 0 : WORDS.indexOf(word);
    const digits = spoken < 0 ? token : String(spoken).repeat(times);
    pieces.push({ from: times > 1 ? times_from : index, to: end, digits });
    if (spoken >= 0) words += digits.length;
    times = 1;
  }
  close();
  return runs;
}

/** A comma stands between groups of a number, and between the times of a list. */
const joins = (before: DigitPiece | undefined, token: string): boolean =>
  !/\d/.test(token) || ((before?.digits.length ?? 0) >= 3 && token.length >= 3);

/** Zero of each script's digits that are one UTF-16 unit long, such as ０ and ٠. */
const zeros = new Map<string, string>();
for (let code = 0x660, next = 0; code <= 0xffff; code++) {
  if (code === 0xd800) code = 0xe000;
  const character = String.fromCharCode(code);
  if (!/\p{Nd}/u.test(character)) {
    next = 0;
    continue;
  }
  zeros.set(character, String(next));
  next = (next + 1) % 10;
}

/** The text with the digits of every script as ASCII digits, each at its place. */
export const asciiDigits = (text: string): string =>
  /[^\0-\u065f]/.test(text) ? text.replace(/[\u0660-\uffff]/g, (one) => zeros.get(one) ?? one) : text;
