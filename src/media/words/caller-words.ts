import { countMeaningful, spaced } from "../../base/writing/words.ts";
import { WORD_LISTS } from "./word-lists.ts";

/*
 * What a few words of a caller do to the conversation: agree and listen on, or take the turn; and whether a sentence is
 * likely to go on. Of a language without a list, any words take the turn.
 */

type Words = Record<keyof (typeof WORD_LISTS)[string], ReadonlySet<string>>;

const NONE: Words = {
  backchannels: new Set(),
  stops: new Set(),
  asks: new Set(),
  ends: new Set(),
  goes_on: new Set(),
};
/** The lists of a language as `plainWords` divides what is said; made when the language is first spoken. */
const known = new Map<string, Words>();

/** `language`: BCP 47. */
function wordsFor(language: string): Words {
  const code = language.split("-")[0]?.toLowerCase() ?? "";
  const lists = WORD_LISTS[code];
  if (!lists) return NONE;
  const words = known.get(code) ?? {
    backchannels: divided(lists.backchannels),
    stops: divided(lists.stops),
    asks: divided(lists.asks),
    ends: divided(lists.ends),
    goes_on: divided(lists.goes_on),
  };
  known.set(code, words);
  return words;
}

const divided = (list: string): Set<string> =>
  new Set(list.split(", ").map((words) => plainWords(words).join(" ")));

/** Marks are parts of their letters: most vowels of Hindi, Thai and Tamil are written as such. */
export const plainWords = (text: string): string[] =>
  spaced(text.normalize())
    .toLowerCase()
    .replace(/[’`]/g, "'")
    .split(/[^\p{L}\p{M}\p{N}'-]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));

/** Nothing but "mm-hm" and the like, two words at most. */
export function isBackchannel(text: string, language: string): boolean {
  const words = plainWords(text);
  const { backchannels } = wordsFor(language);
  if (backchannels.has(words.join(" "))) return true;
  return words.length > 0 && words.length <= 2 && words.every((word) => backchannels.has(word));
}

/** "Wait", "no", "stop": the turn is theirs at once. Three words or more are always meant. */
export function takesTurn(text: string, language: string): boolean {
  const words = plainWords(text);
  if (countMeaningful(words) >= 3 && !isBackchannel(text, language)) return true;
  const { stops } = wordsFor(language);
  return words.some((word) => stops.has(word)) || stops.has(words.join(" "));
}

/** A question about something, or words such as "please" at its end. */
export function isComplete(text: string, language: string): boolean {
  if (/[?？]\s*$/u.test(text)) return true;
  const { asks, ends } = wordsFor(language);
  const said = ` ${plainWords(text).join(" ")}`;
  return (
    asks.values().some((word) => said.startsWith(` ${word} `)) ||
    ends.values().some((word) => said.endsWith(` ${word}`))
  );
}

/** The sentence is not over: it ends in a conjunction, a filler or a comma. */
export function goesOn(text: string, language: string): boolean {
  if (/[,，、:–—-]\s*$/u.test(text)) return true;
  const last = plainWords(text).at(-1);
  return last !== undefined && wordsFor(language).goes_on.has(last);
}
