import { cutTo } from "../../base/storable.ts";

/** English words as the scripted model sees them: enough to tell which tool is meant, no more. */

/** Lower-case words and numbers of a text or a name: `findSlots`, `find_slots` and "Find slots" are the same. */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/[\p{M}'’]/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const STOP_WORDS = new Set(
  (
    "a about all also am an and any are as at be been but by can could did do does for from get give given go got had has " +
    "have hello help her hi his how i id if im in into is it its just know let like make may me might must my need no not of " +
    "off ok okay on one or our out please say see shall she should show so some such take tell than thank thanks that the " +
    "their them then there these they this those to tool up us use used user using want was we well were what whats when " +
    "where which who will with would yes you your"
  ).split(" "),
);

/** "booked", "booking" and "books" meet at "book"; "service" and "services" at "servic". */
export function stem(word: string): string {
  let root = word;
  if (root.length > 4 && root.endsWith("ies")) root = `${root.slice(0, -3)}y`;
  else if (root.length > 3 && root.endsWith("s") && !/(ss|us|is)$/.test(root)) root = root.slice(0, -1);
  if (root.length > 5 && root.endsWith("ing")) root = undouble(root.slice(0, -3));
  else if (root.length > 4 && root.endsWith("ed")) root = undouble(root.slice(0, -2));
  return root.length > 3 && root.endsWith("e") ? root.slice(0, -1) : root;
}

const undouble = (root: string): string => (/([bdglmnprt])\1$/.test(root) ? root.slice(0, -1) : root);

/** The stems that carry meaning, each once. */
export const stemsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem),
  );

/** A name as people would say it: `find_slots` → "find slots". */
export const readable = (name: string): string => wordsOf(name).join(" ") || name;

/** A text taken apart once, to be asked about many times. */
export type HeardWords = { words: string[]; stems: string[] };

export function heardIn(text: string): HeardWords {
  const words = wordsOf(text);
  return { words, stems: words.map(stem) };
}

/** Whether the words of `phrase` stand together in what was heard, however it is spelt ("check-up", "check up", "Checkup"). */
export function mentions(heard: HeardWords, phrase: string): boolean {
  const wanted = wordsOf(phrase);
  if (wanted.length === 0) return false;
  const squeezed = wanted.join("");
  const stems = wanted.map(stem).join(" ");
  for (let from = 0; from < heard.words.length; from += 1) {
    if (heard.stems.slice(from, from + wanted.length).join(" ") === stems) return true;
    // One word for several, or several for one: joined letters decide.
    let run = "";
    for (let to = from; to < heard.words.length && run.length < squeezed.length; to += 1)
      run += heard.words[to];
    if (run === squeezed) return true;
  }
  return false;
}

/** "a, b and c". */
export function listed(items: string[], last = "and"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;
}

/** The text up to its first full stop, at most `length` characters, cut between words. */
export function firstSentence(text: string, length: number): string {
  const sentence = /^[^\n]*?[.!?](?=\s|$)/.exec(text.trim())?.[0] ?? text.trim().split("\n")[0] ?? "";
  return shortened(sentence, length);
}

export function shortened(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  const cut = cutTo(line, length);
  return `${cutTo(cut, Math.max(cut.lastIndexOf(" "), Math.floor(length / 2)))}…`;
}
