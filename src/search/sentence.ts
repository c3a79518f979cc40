import { cutTo, wholeCharacter } from "../base/storable.ts";

/** A stretch of a text that holds one word, from a character to before another. */
export type Mark = { from: number; to: number };

const MOST_CHARACTERS = 240;
const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
const words = new Intl.Segmenter(undefined, { granularity: "word" });

/** From the first letter or digit to the last; takes linear time, as cutting signs off the end would not. */
const INSIDE_SIGNS = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su;

/** Where the words of a text are. What stands between blanks counts as a word too: an address, a number with dashes. Pure. */
export function wordsOf(text: string): (Mark & { word: string })[] {
  const found = new Map<string, Mark & { word: string }>();
  const add = (word: string, from: number) => {
    if (word !== "") found.set(`${from} ${word.length}`, { word, from, to: from + word.length });
  };
  for (const { segment, index, isWordLike } of words.segment(text)) if (isWordLike) add(segment, index);
  for (const match of text.matchAll(/[^\s]+/g)) {
    const bare = INSIDE_SIGNS.exec(match[0])?.[0] ?? "";
    if (/[^\p{L}\p{N}]/u.test(bare)) add(bare, match.index + match[0].indexOf(bare));
  }
  return [...found.values()];
}

/** The sentences of a text, without blanks around them. Pure. */
export function sentencesOf(text: string): (Mark & { text: string })[] {
  // A line that ends, as mails have them, ends no sentence; an empty line does.
  const lines = text.replaceAll(/(?<!\n)\n(?!\n)/g, " ");
  return [...sentences.segment(lines)].flatMap(({ segment, index }) => {
    const trimmed = segment.trim();
    if (trimmed === "") return [];
    const from = index + segment.indexOf(trimmed);
    return [{ text: text.slice(from, from + trimmed.length), from, to: from + trimmed.length }];
  });
}

/** A sentence with what was searched for in it; `marks` count UTF-16 units of `text`. */
export type FoundSentence = { text: string; marks: Mark[]; different: number };

/** The sentence with the most different words that were searched for; null where there is none. Pure. */
export function bestSentence(text: string, isSearched: (word: string) => boolean): FoundSentence | null {
  const hits = wordsOf(text).filter(({ word }) => isSearched(word));
  if (hits.length === 0) return null;
  let best: FoundSentence | null = null;
  for (const sentence of sentencesOf(text)) {
    const inside = hits.filter(({ from, to }) => from >= sentence.from && to <= sentence.to);
    const different = new Set(inside.map(({ word }) => word.toLowerCase())).size;
    if (different === 0 || (best && different <= best.different)) continue;
    const marks = inside.map(({ from, to }) => ({ from: from - sentence.from, to: to - sentence.from }));
    best = { ...cut(sentence.text, joined(marks)), different };
  }
  return best;
}

/** Marks in order; those that overlap are one. */
function joined(marks: Mark[]): Mark[] {
  const found: Mark[] = [];
  for (const mark of marks.toSorted((one, other) => one.from - other.from || other.to - one.to)) {
    const last = found.at(-1);
    if (last && mark.from < last.to) last.to = Math.max(last.to, mark.to);
    else found.push({ ...mark });
  }
  return found;
}

/** A long sentence is cut around its first mark. */
function cut(text: string, marks: Mark[]): { text: string; marks: Mark[] } {
  if (text.length <= MOST_CHARACTERS) return { text, marks };
  const begin = Math.max(0, Math.min((marks[0]?.from ?? 0) - 60, text.length - MOST_CHARACTERS));
  const from = wholeCharacter(text, begin);
  const to = wholeCharacter(text, Math.min(text.length, from + MOST_CHARACTERS));
  const [before, after] = [from > 0 ? "…" : "", to < text.length ? "…" : ""];
  const shift = before.length - from;
  return {
    text: `${before}${text.slice(from, to)}${after}`,
    marks: marks
      .filter((mark) => mark.from >= from && mark.to <= to)
      .map((mark) => ({ from: mark.from + shift, to: mark.to + shift })),
  };
}

const MOST_TITLE_CHARACTERS = 140;

/** The first sentence of a text as a line; null where it has none. Pure. */
export function firstSentence(text: string): string | null {
  const [first] = sentencesOf(text.slice(0, 2_000));
  if (!first) return null;
  const line = first.text.replaceAll(/\s+/g, " ");
  return line.length <= MOST_TITLE_CHARACTERS ? line : `${cutTo(line, MOST_TITLE_CHARACTERS - 1)}…`;
}
