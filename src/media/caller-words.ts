import { countMeaningful, spaced } from "../base/writing/words.ts";

/*
 * What a few words of a caller do to the conversation: agree and listen on, or take the turn; and whether a sentence is
 * likely to go on. Small lists for each language; of a language without one, any words take the turn.
 */

type Words = {
  /** Said while listening: "go on, I hear you". */
  backchannels: readonly string[];
  /** One of these takes the turn, however short. */
  stops: readonly string[];
  /** A sentence that begins so asks about something, and is over when it is over. "Can I …" and "do you have …" may go on. */
  asks: readonly string[];
  /** After these words nothing more is to come. */
  ends: readonly string[];
  /** Words after which a sentence goes on: conjunctions, articles, prepositions, fillers. */
  goes_on: readonly string[];
};

const WORDS: Record<string, Words> = {
  en: {
    backchannels: list(
      "mm, mhm, mm-hm, hm, hmm, uh-huh, uh huh, ok, okay, yeah, yes, yep, right, sure, i see, got it, ah, oh",
    ),
    stops: list("wait, stop, no, hold on, sorry, excuse me, but, hang on, pardon, what, one moment"),
    asks: list("when, what, where, who, which, why, how"),
    ends: list(
      "please, thanks, thank you, good morning, good afternoon, good evening, bye, goodbye, that's all, that is all, stop, hello, hi, nothing",
    ),
    goes_on: list(
      "and, or, but, so, because, if, the, a, an, to, for, at, on, in, of, with, my, is, it's, um, uh, er, well, like, i, we, they, he, she, am, are, would, want, need, make, book, have, has, your, our, between, from, about, i'd, i'm, i've, i'll, can, could, will",
    ),
  },
  es: {
    backchannels: list("ajá, mm, mhm, sí, vale, ok, claro, ya, bueno, de acuerdo"),
    stops: list("espere, espera, no, pare, para, perdón, disculpe, un momento, pero"),
    asks: list("cuándo, qué, dónde, quién, cuál, cómo, cuánto, por qué"),
    ends: list("por favor, gracias, adiós, hola, nada más, hasta luego"),
    goes_on: list(
      "y, o, pero, porque, si, que, el, la, los, las, un, una, a, para, en, de, con, mi, es, este, pues, eh",
    ),
  },
  fr: {
    backchannels: list("mm, mhm, oui, ouais, ok, d'accord, ah, voilà, je vois"),
    stops: list("attendez, attends, non, stop, arrêtez, pardon, un moment, mais"),
    asks: list("quand, que, où, qui, quel, quelle, comment, combien, pourquoi"),
    ends: list("s'il vous plaît, s'il te plaît, merci, au revoir, bonjour, c'est tout"),
    goes_on: list(
      "et, ou, mais, parce que, si, que, le, la, les, un, une, à, pour, en, de, avec, mon, ma, est, euh, ben",
    ),
  },
};

const NONE: Words = { backchannels: [], stops: [], asks: [], ends: [], goes_on: [] };

/** `language`: BCP 47. */
const wordsFor = (language: string): Words => WORDS[language.split("-")[0]?.toLowerCase() ?? ""] ?? NONE;

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
  if (words.length === 0 || words.length > 2) return false;
  const { backchannels } = wordsFor(language);
  return backchannels.includes(words.join(" ")) || words.every((word) => backchannels.includes(word));
}

/** "Wait", "no", "stop": the turn is theirs at once. Three words or more are always meant. */
export function takesTurn(text: string, language: string): boolean {
  const words = plainWords(text);
  if (countMeaningful(words) >= 3) return true;
  const { stops } = wordsFor(language);
  return words.some((word) => stops.includes(word)) || stops.includes(words.join(" "));
}

/** A question about something, or words such as "please" at its end. */
export function isComplete(text: string, language: string): boolean {
  if (/[?？]\s*$/u.test(text)) return true;
  const { asks, ends } = wordsFor(language);
  const said = ` ${plainWords(text).join(" ")}`;
  return asks.some((word) => said.startsWith(` ${word} `)) || ends.some((word) => said.endsWith(` ${word}`));
}

/** The sentence is not over: it ends in a conjunction, a filler or a comma. */
export function goesOn(text: string, language: string): boolean {
  if (/[,，、:–—-]\s*$/u.test(text)) return true;
  const last = plainWords(text).at(-1);
  return last !== undefined && wordsFor(language).goes_on.includes(last);
}

function list(text: string): string[] {
  return text.split(", ");
}
