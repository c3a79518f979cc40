/*
 * An agent's words on the phone: split into sentences for speech and, after an interruption, measured against what was
 * heard. Pure. Lengths count characters other than blanks, because carriers return texts with different blanks.
 */

import { type SpokenForm, writtenUntil } from "../speech/spoken-form.ts";

/** Ends of sentences in all scripts: a blank must follow, except after Chinese and Japanese marks. */
const SENTENCE_END = /[。！？]["'”’）」』]*|[\p{Sentence_Terminal}…]["'”’»)\]*_]*(?=\s)|\n/gu;
/**
 * The first words of an answer may be spoken after a clause, once there are this many, to reduce latency. Thai has no
 * marks: a blank between its letters ends a clause. A dash after a number is a range ("10:00 – 11:00").
 */
const CLAUSE_END = /(?:[,;:،؛]|(?<!\d\s?)[–—])(?=\s)|[，；：、]|(?<=\p{Script=Thai})\s(?=\p{Script=Thai})/gu;
const FIRST_CLAUSE_CHARS = 24;
/**
 * Abbreviations that are followed by a capital letter, though their full stop ends no sentence: titles, addresses, and in
 * German whatever stands before a noun. A letter alone is one, too ("z. B.", "M. Dupont"), where it is no word ("네.").
 */
const ABBREVIATIONS = [
  "Dr Dra Prof Ing Mr Mrs Ms Jr Sr Sra Srta Sres St Lt Gov Sen Rep Hon Rev Gen Capt Sgt Nr Ext Fig Apt vs approx",
  "Hr Hrn Fr Frl Dipl med phil jur rer nat Str Tel Abs Art ca bzw inkl exkl einschl zzgl ggf evtl vgl gem lt bzgl MwSt Mio Mrd Tsd",
  "MM av bd réf tél Dña Avda Av Ud Uds EE Dpto Lic núm tel aprox Gral",
  "Sig Sigg Dott Avv Arch Geom Rag Gent Spett Egr dhr mevr mw drs ir bijv incl excl fam Exmo Exma Eng Ltda Lda Cia",
  "ул пер обл им TP ThS BS TS PGS GS ĐT Bw Bi Dkt ul gosp inž br डॉ डा ડૉ ડો ดร โทร",
].flatMap((line) => line.split(" "));
const ABBREVIATION = new RegExp(
  String.raw`(?:^|[\s('’\-–/])(?:${ABBREVIATIONS.join("|")}|\p{L}*str|e\.g|i\.e|(?!\p{Script=Hangul}|\p{Script=Han})\p{L})\.$|^\s*\d{1,2}\.$`,
  "iu",
);
/** German ordinals: "im 2. Stock", "der 1. FC Köln". */
const ORDINAL = /(?:^|\s)(?:[ai]m|ab|bis|beim|de[mnrs]|das|die|jede[mnrs]|vom|zum|zur)\s\d{1,2}\.$/iu;
/** A full stop that ends a sentence or not, as what follows tells: "at 9 a.m. and", "3. Mai", "15. marts". */
const UNSURE_STOP = /(?:^|\s)(?:\d{1,2}(?:\.\d{1,2})?|\p{L}\.\s?\p{L})\.$/u;
/** Before a small letter or a number an abbreviation: "Tel. 030", "Mo. bis Fr.", "env. 20 min. à pied". */
const SHORT_WORD = /(?<![\p{L}\p{N}])\p{L}[\p{L}.]{0,6}\.$/u;
/** German writes months large. */
const MONTHS =
  "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember".split(" ");

/** An answer being streamed: the text not spoken yet, and whether any was spoken. */
export type Unspoken = { text: string; began: boolean };
export const NOTHING_UNSPOKEN: Unspoken = { text: "", began: false };

/** Adds text of the model; returns the pieces that may be spoken now. */
export function speakable(unspoken: Unspoken, delta: string): { pieces: string[]; rest: Unspoken } {
  const text = unspoken.text + delta;
  const pieces: string[] = [];
  let from = 0;
  for (const end of text.matchAll(SENTENCE_END)) {
    const to = end.index + end[0].length;
    const piece = text.slice(from, to);
    if (goesOn(piece, text.slice(to, to + NEARBY))) continue;
    if (piece.trim() !== "") pieces.push(piece.trim());
    from = to;
  }
  let rest = text.slice(from);
  if (!unspoken.began && pieces.length === 0) {
    for (const end of rest.matchAll(CLAUSE_END)) {
      const to = end.index + end[0].length;
      if (to < FIRST_CLAUSE_CHARS) continue;
      pieces.push(rest.slice(0, to).trim());
      rest = rest.slice(to);
      break;
    }
  }
  return { pieces, rest: { text: rest, began: unspoken.began || pieces.length > 0 } };
}

/** Whether a text that nothing follows so far ends with a sentence. A stop after a digit may go on as a number. */
export const endsSentence = (text: string): boolean =>
  /(?<!\d)[\p{Sentence_Terminal}…]["'”’»)\]*_]*\s*$/u.test(text) &&
  !ABBREVIATION.test(text) &&
  !ORDINAL.test(text) &&
  !UNSURE_STOP.test(text);

/** As far as is looked before and behind a full stop. */
const NEARBY = 60;
/** Who writes all in small letters is not kept waiting for longer. */
const LONGEST_UNSURE = 150;

/** Whether a sentence goes on after its full stop. */
function goesOn(piece: string, after: string): boolean {
  const end = piece.slice(-NEARBY).replaceAll(/[*_]/g, "");
  if (!end.endsWith(".")) return false;
  return (
    ABBREVIATION.test(end) ||
    ORDINAL.test(end) ||
    (piece.length < LONGEST_UNSURE && SHORT_WORD.test(end) && /^[^\S\n]+[\p{Ll}\p{Nd}]/u.test(after)) ||
    (UNSURE_STOP.test(end) && !beginsSentence(after))
  );
}

/** Not known yet: no. What is not spoken now is spoken with what comes. */
function beginsSentence(text: string): boolean {
  const [, word = "", more = ""] = /^\s+(\S+)(\s?)/.exec(text) ?? [];
  if (word === "" || /^\p{Ll}/u.test(word)) return false;
  const isWhole = more !== "";
  const bare = word.replace(/\P{L}+$/u, "");
  return !MONTHS.some((month) => (isWhole ? month === bare : month.startsWith(bare)));
}

/** The characters that count. */
export const measure = (text: string): number => text.replace(/\s/gu, "").length;

/** How much of the text was heard according to the carrier; never more than the text itself. */
export function heardMeasure(said: string[], heard: string): number {
  const all = said.join("").replace(/\s/gu, "");
  const part = heard.replace(/\s/gu, "");
  if (all.startsWith(part)) return part.length;
  // Some carriers give the last utterance only.
  const at = all.indexOf(part);
  if (at >= 0) return at + part.length;
  let same = 0;
  while (same < part.length && all[same] === part[same]) same++;
  return same;
}

/** Words as they were written, and as a voice was given them where that differs. */
export type SpokenWords = { text: string; spoken?: SpokenForm };

const voiced = ({ text, spoken }: SpokenWords): string => spoken?.text ?? text;

/** How much of each of these words was heard, as they were written, by the carrier's word on what the voice said. */
export function heardOf(said: readonly SpokenWords[], heard: string): number[] {
  let left = heardMeasure(said.map(voiced), heard);
  let isCut = false;
  return said.map((words) => {
    if (isCut) return 0;
    const length = measure(voiced(words));
    const came_out = Math.min(length, left);
    left -= came_out;
    isCut = came_out < length;
    return words.spoken ? measure(writtenUntil(words.text, words.spoken, came_out)) : came_out;
  });
}

/** Splits a text after this many counted characters. */
export function splitAtMeasure(text: string, measured: number): { heard: string; unheard: string } {
  let seen = 0;
  let at = 0;
  for (; at < text.length && seen < measured; at++) if (!/\s/u.test(text[at] as string)) seen++;
  // Never splits a surrogate pair.
  if (/[\uDC00-\uDFFF]/.test(text[at] ?? "")) at--;
  return { heard: text.slice(0, at).trim(), unheard: text.slice(at).trim() };
}

type StoredWords = { seq: number; text: string };
type CutWords = { seq: number; text: string; unheard: string };

/** The new texts of these messages, oldest first, after cutting this many unheard characters from their end. */
export function cutWords(messages: StoredWords[], unheard: number): CutWords[] {
  const cut: CutWords[] = [];
  let left = unheard;
  for (const { seq, text } of messages.toReversed()) {
    if (left <= 0) break;
    const length = measure(text);
    const kept = Math.max(0, length - left);
    const parts = splitAtMeasure(text, kept);
    cut.push({ seq, text: parts.heard, unheard: parts.unheard });
    left -= length;
  }
  return cut;
}
