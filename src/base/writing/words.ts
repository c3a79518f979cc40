import { UNSPACED } from "./scripts.ts";

const RUN = new RegExp(`${UNSPACED}+`, "gv");
const dictionary = new Intl.Segmenter(undefined, { granularity: "word" });

/** The words of a stretch of a script without blanks. */
export const dividedRun = (run: string): string[] =>
  Array.from(dictionary.segment(run), ({ segment }) => segment);

/** The text with a blank between any two words, also in scripts that have none. */
export const spaced = (text: string): string => text.replace(RUN, (run) => ` ${dividedRun(run).join(" ")} `);

/** Where in a text its words begin, in order: behind blanks, and within scripts without these. */
export const wordStarts = (text: string): number[] =>
  [
    ...new Set([
      ...Array.from(text.matchAll(/\S+/g), ({ index }) => index),
      ...[...text.matchAll(RUN)].flatMap(({ 0: run, index: from }) =>
        Array.from(dictionary.segment(run), ({ index }) => from + index),
      ),
    ]),
  ].sort((a, b) => a - b);

/** How many words these are as English counts them, whose particles and endings are no words of their own. */
export const countMeaningful = (words: readonly string[]): number =>
  Math.max(words.filter((word) => !isJapaneseGrammar(word)).length, Math.min(words.length, 1));

/** Particles and endings of Japanese: what something is called is seldom written in Hiragana alone. */
export const isJapaneseGrammar = (word: string): boolean => /^\p{Script=Hiragana}+$/u.test(word);
