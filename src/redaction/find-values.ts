import type { Pattern } from "../base/pattern.ts";
import { JOINED, SPACED } from "../base/writing/scripts.ts";
import { ibanRest, isFrenchId, isGermanTaxId, isIban, isSpanishId, passesLuhn } from "./checksums.ts";
import { asciiDigits, type DigitRun, digitRuns } from "./digit-runs.ts";
import { findBirths } from "./find-births.ts";
import { plainWord, type WordSearch } from "./judged-values.ts";

export const REDACTION_KINDS = [
  "card",
  "national_id",
  "bank_account",
  "date_of_birth",
  "email",
  "phone",
] as const;
export type RedactionKind = (typeof REDACTION_KINDS)[number];

/** What is looked for. */
export type Sought = {
  kinds: ReadonlySet<RedactionKind>;
  patterns: readonly { name: string; pattern: Pattern }[];
  /** The current year: dates of up to two years ago may be appointments. */
  year: number;
  words?: WordSearch | null;
};

/** A part of a text and what it is; `kind` is a kind's name in words, or an own pattern's name. */
type FoundValue = { from: number; to: number; kind: string };

/** Thrown where own patterns would take too long for a text. */
export class TooLongToSearch extends Error {}

/** Pairs of instruction and character that own patterns may take for all that is stored at once: at the worst 130 ms. */
export const MOST_PAIRS = 4_000_000;
/** What looking at one group of digits takes, as a part of cards, dates and all others. */
const PAIRS_A_NUMBER = 150;
/** What a run on an empty text takes. */
const PAIRS_TO_BEGIN = 16;

/**
 * The values in a text, in order and without overlaps; where two overlap, the one that begins first, then the longer one.
 * Pure. `pay` is asked before an own pattern runs.
 */
export function findValues(text: string, sought: Sought, pay: (pairs: number) => void): FoundValue[] {
  const found: FoundValue[] = [];
  const { kinds } = sought;
  const plain = asciiDigits(text);
  const add = (kind: string, from: number, to: number) => found.push({ from, to, kind });
  if (kinds.size > 0) pay(PAIRS_A_NUMBER * (plain.match(/\d+/g)?.length ?? 0));
  const sequences =
    kinds.has("card") || kinds.has("phone") || kinds.has("national_id") ? digitRuns(plain) : [];
  pay(PAIRS_A_NUMBER * sequences.reduce((sum, { pieces, spoken }) => sum + (spoken ? pieces.length : 0), 0));
  if (kinds.has("card")) for (const run of sequences) addCards(run, add);
  if (kinds.has("national_id")) addNationalIds(plain, sequences, add);
  if (kinds.has("bank_account")) addIbans(plain, add);
  if (kinds.has("date_of_birth"))
    for (const { from, to } of findBirths(plain, sought.year)) add("date of birth", from, to);
  if (kinds.has("email")) addEmails(plain, add);
  if (kinds.has("phone")) for (const run of sequences) addPhones(run, add);
  for (const { name, pattern } of sought.patterns) {
    pay(pattern.instructions * (PAIRS_TO_BEGIN + text.length));
    const matcher = pattern.program.matcher(text);
    while (matcher.find()) if (matcher.end() > matcher.start()) add(name, matcher.start(), matcher.end());
  }
  if (sought.words)
    for (const { 0: word, index } of text.matchAll(sought.words.expression))
      add(sought.words.kinds.get(plainWord(word)) ?? "redacted", index, index + word.length);
  return withoutOverlaps(found);
}

type Add = (kind: string, from: number, to: number) => void;

function withoutOverlaps(found: FoundValue[]): FoundValue[] {
  if (found.length < 2) return found;
  const kept: FoundValue[] = [];
  let end = 0;
  for (const value of found.sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (value.from < end) continue;
    kept.push(value);
    end = value.to;
  }
  return kept;
}

/** Consecutive pieces of a run with `least` to `most` digits together, the longest first for each beginning. */
function* windows(
  { pieces }: DigitRun,
  least: number,
  most: number,
): Generator<{ digits: string; first: number; last: number }> {
  for (let first = 0; first < pieces.length; first++) {
    const ends: { digits: string; first: number; last: number }[] = [];
    let digits = "";
    for (let last = first; last < pieces.length; last++) {
      digits += pieces[last]?.digits;
      if (digits.length > most) break;
      if (digits.length >= least) ends.push({ digits, first, last });
    }
    yield* ends.reverse();
  }
}

const shapeOf = ({ pieces }: DigitRun, first: number, last: number): string =>
  pieces
    .slice(first, last + 1)
    .map(({ digits }) => digits.length)
    .join(" ");

const YEAR_FIRST = /^4 [12] [12]\b/;

/** 13 to 19 digits that pass Luhn and begin as a card's issuer does. The digits around them may be its expiry and code. */
function addCards(run: DigitRun, add: Add): void {
  let after = -1;
  for (const { digits, first, last } of windows(run, 13, 19)) {
    if (first <= after || !/^[2-6]/.test(digits) || /^(.)\1*$/.test(digits) || !passesLuhn(digits)) continue;
    if (!run.spoken && YEAR_FIRST.test(shapeOf(run, first, last))) continue;
    after = last;
    addPieces(run, first, last, "card", add);
  }
}

function addPieces({ pieces }: DigitRun, first: number, last: number, kind: string, add: Add): void {
  const [begin, end] = [pieces[first], pieces[last]];
  if (begin && end) add(kind, begin.from, end.to);
}

/** How numbers of North America are grouped. */
const GROUPED = new Set(["10", "3 3 4", "3 7", "6 4", "3 3 2 2", "11", "1 10", "1 3 3 4", "1 3 7"]);
const NORTH_AMERICAN = /^1?[2-9]\d\d[2-9]\d{6}$/;

function addPhones(run: DigitRun, add: Add): void {
  const all = run.pieces.map(({ digits }) => digits).join("");
  const end = run.pieces.length - 1;
  const international = run.plus || all.startsWith("00") || all.startsWith("011");
  if (international) {
    for (const { digits, first, last } of windows(run, 7, 17)) {
      if (first > 0) break;
      if (!/^0+$/.test(digits)) {
        addPieces(run, first, last, "phone", add);
        return;
      }
    }
  }
  // The trunk prefix of most other countries.
  if (/^0[1-9]\d{7,10}$/.test(all) && !/^2 2 4\b/.test(shapeOf(run, 0, end))) {
    addPieces(run, 0, end, "phone", add);
    return;
  }
  let after = -1;
  for (const { digits, first, last } of windows(run, 10, 11)) {
    if (first <= after || !NORTH_AMERICAN.test(digits)) continue;
    if (!run.spoken && !GROUPED.has(shapeOf(run, first, last))) continue;
    after = last;
    addPieces(run, first, last, "phone", add);
  }
}

const CONTEXT = /\b(?:ssn|itin|social(?: security)?|sin|tax(?:payer)? id)\b[^\d\n]{0,40}$/i;
const AMERICAN = /^(?!000|666)\d{3}(?!00)\d\d(?!0000)\d{4}$/;

/** The United States, Canada, the United Kingdom, Spain, Germany, France and Italy. */
function addNationalIds(text: string, runs: readonly DigitRun[], add: Add): void {
  const kind = "national id";
  for (const run of runs) {
    let after = -1;
    for (const { digits, first, last } of windows(run, 9, 11)) {
      if (first <= after) continue;
      const shape = shapeOf(run, first, last);
      const from = run.pieces[first]?.from ?? 0;
      const named = () => run.spoken || CONTEXT.test(text.slice(Math.max(0, from - 70), from));
      const isAmerican = digits.length === 9 && AMERICAN.test(digits) && (shape === "3 2 4" || named());
      const isCanadian = shape === "3 3 3" && passesLuhn(digits);
      const isGerman = (shape === "11" || shape === "2 3 3 3") && isGermanTaxId(digits);
      if (!isAmerican && !isCanadian && !isGerman) continue;
      after = last;
      addPieces(run, first, last, kind, add);
    }
  }
  const each = (pattern: RegExp, isOne: (match: RegExpMatchArray) => boolean = () => true) => {
    for (const match of text.matchAll(pattern))
      if (isOne(match)) add(kind, match.index as number, (match.index as number) + match[0].length);
  };
  each(/\b(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]\b/gi);
  each(
    /\b([XYZ]?\d{7,8})[- ]?([A-Z])\b/gi,
    ([, number, letter]) => number?.length === 8 && isSpanishId(number, letter as string),
  );
  each(/\b([12] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3}) ?(\d\d)\b/gi, ([, number, key]) =>
    isFrenchId((number as string).replaceAll(" ", ""), key as string),
  );
  each(/\b[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]\b/gi);
}

/** The longest that passes: the country's own length is part of the check digits' sum. */
function addIbans(text: string, add: Add): void {
  for (const { index } of text.matchAll(/\b[A-Z]{2} ?\d\d/gi)) {
    let length = 0;
    let head = "";
    let rest = 0;
    let end = 0;
    for (let at = index; at < text.length && length < 34; at++) {
      const character = text.charAt(at);
      if (/[A-Z\d]/i.test(character)) {
        length++;
        if (length <= 4) head += character;
        else rest = ibanRest(rest, character);
      } else if (!/[ \u00a0-]/.test(character)) break;
      if (length >= 15 && isIban(head, rest) && !/[A-Z\d]/i.test(text.charAt(at + 1))) end = at + 1;
    }
    if (end > 0) add("bank account", index, end);
  }
}

const mailbox = (letters: string) => String.raw`[${letters}\d._%+'\-]{1,64}`;
const domain = (letters: string) =>
  String.raw`[${letters}\d\-]{1,63}(?:\.[${letters}\d\-]{1,63}){0,8}\.[${letters}]{2,24}`;
/** What stands before the sign of an address, and behind it: looked for from there, since most texts have none. */
const BEFORE_AT = new RegExp(`(?:${mailbox(SPACED)}|${mailbox(JOINED)})$`, "v");
const BEHIND_AT = new RegExp(`^(?:${domain(SPACED)}|${domain(JOINED)})`, "v");
const MOST_BEHIND = 700;
const SPOKEN_EMAIL =
  /\b(?:[\w+-]{1,40} dot ){0,3}[\w+.-]{1,40} at (?:[\w-]{1,40} dot ){1,3}(?:com|org|net|edu|gov|io|info|health|de|uk|fr|es|it|ca|us|eu)\b/gi;

function addEmails(text: string, add: Add): void {
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const behind = BEHIND_AT.exec(text.slice(at + 1, at + MOST_BEHIND));
    const before = behind && BEFORE_AT.exec(text.slice(Math.max(0, at - 64), at));
    if (before) add("email", at - before[0].length, at + 1 + behind[0].length);
  }
  if (/ dot /i.test(text))
    for (const { 0: value, index } of text.matchAll(SPOKEN_EMAIL)) add("email", index, index + value.length);
}
