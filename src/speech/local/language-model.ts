/*
 * A language model for the offline ear, made of what is likely to be said: trigrams with absolute discounting and
 * back-off, as ARPA text. https://cmusphinx.github.io/wiki/arpaformat/
 */

/** What callers say to anybody, beside the agent's own words. */
const EVERYDAY = `
  yes. no. yes please. no thanks. no thank you. okay. sure. hello. hi. good morning. goodbye. bye. wait. stop.
  hold on. one moment please. sorry. pardon. what did you say. could you repeat that. thank you. thanks.
  that is right. that is correct. that is wrong. not that one. i don't know. never mind.
  i want to book an appointment. i would like to make an appointment. i need to cancel. when are you open.
  what time. what does it cost. how much is it. how long does it take. who is this. are you a robot.
  can i speak to a person. call me back. my name is. my number is. it is. i am. at. on. in the morning.
  in the afternoon. in the evening. today. tomorrow. next week. monday. tuesday. wednesday. thursday. friday.
  saturday. sunday. on monday. on tuesday. on wednesday. on thursday. on friday. january. february. march. april.
  may. june. july. august. september. october. november. december. zero. one. two. three. four. five. six. seven.
  eight. nine. ten. eleven. twelve. thirteen. fourteen. fifteen. sixteen. seventeen. eighteen. nineteen. twenty.
  thirty. forty. fifty. o'clock. half past. a quarter past. first. second. third. the first one. the second one.
  the third one. the last one. for a. the. and. or. um. uh. mm. mhm.`;

/** They are dictated in any order, and "two", "four" and "one" sound as words that are more usual elsewhere. */
const DIGITS = "zero one two three four five six seven eight nine".split(" ");

/** How often each digit is taken to have followed each: of what is dictated hardly anything else follows a digit. */
const FOLLOWED = { elsewhere: 1, dictated: 1000 };
/** So many digits in one utterance are a number; times and counts have fewer. */
const LEAST_DICTATED = 4;

export const isDictated = (text: string): boolean =>
  wordsOf(text).filter((word) => DIGITS.includes(word)).length >= LEAST_DICTATED;

const DISCOUNT = 0.5;
const START = "<s>";
const END = "</s>";

/** Words as the dictionary spells them: lower case, apostrophes kept, a hyphen parts. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[’`]/g, "'")
    .split(/[^a-z']+/)
    .map((word) => word.replace(/^'+|'+$/g, ""))
    .filter((word) => word !== "");
}

/** Sentences of texts; what is written for no ear (templates, addresses) is left out. */
function sentencesOf(text: string): string[][] {
  return text
    .replace(/\{\{[^}]*\}\}|https?:\S+/g, ". ")
    .split(/[.!?;:\n,()]+/)
    .map(wordsOf)
    .filter((words) => words.length > 0);
}

/** `isKnown`: the dictionary can say how a word sounds; others would be refused. */
export function languageModel(
  expected: readonly string[],
  isKnown: (word: string) => boolean,
  { dictated = false }: { dictated?: boolean } = {},
): string {
  const sentences = [EVERYDAY, ...expected]
    .flatMap(sentencesOf)
    .map((words) => words.filter(isKnown))
    .filter((words) => words.length > 0);
  const counts = [1, 2, 3].map((length) => countGrams(sentences, length));
  const [unigrams, bigrams, trigrams] = counts as [GramCounts, GramCounts, GramCounts];
  const digits = DIGITS.filter(isKnown);
  const times = dictated ? FOLLOWED.dictated : FOLLOWED.elsewhere;
  for (const one of digits)
    for (const two of digits) {
      addTo(bigrams, `${one} ${two}`, times);
      for (const three of digits) addTo(trigrams, `${one} ${two} ${three}`, times);
    }
  const total = [...unigrams.values()].reduce((sum, count) => sum + count, 0);

  // Unigrams are smoothed by one, so that every word may follow every word.
  const p1 = new Map([...unigrams].map(([word, count]) => [word, (count + 1) / (total + unigrams.size)]));
  const two = conditional(bigrams, p1, (gram) => gram.split(" ")[1] as string);
  const three = conditional(trigrams, two.probabilities, (gram) => gram.slice(gram.indexOf(" ") + 1));

  const line = (gram: string, probability: number, backOff: number | undefined) =>
    `${Math.log10(probability).toFixed(4)} ${gram}${backOff === undefined ? "" : ` ${Math.log10(backOff).toFixed(4)}`}`;
  return [
    "\\data\\",
    `ngram 1=${p1.size + 1}`,
    `ngram 2=${bigrams.size}`,
    `ngram 3=${trigrams.size}`,
    "",
    "\\1-grams:",
    `-99 ${START} ${Math.log10(two.backOff.get(START) ?? 1).toFixed(4)}`,
    ...[...p1].map(([word, p]) => line(word, p, word === END ? undefined : (two.backOff.get(word) ?? 1))),
    "",
    "\\2-grams:",
    ...[...two.probabilities].map(([gram, p]) =>
      line(gram, p, gram.endsWith(END) ? undefined : (three.backOff.get(gram) ?? 1)),
    ),
    "",
    "\\3-grams:",
    ...[...three.probabilities].map(([gram, p]) => line(gram, p, undefined)),
    "",
    "\\end\\",
    "",
  ].join("\n");
}

type GramCounts = Map<string, number>;

function countGrams(sentences: string[][], length: number): GramCounts {
  const counts: GramCounts = new Map();
  for (const words of sentences) {
    const all = [START, ...words, END];
    for (let at = 0; at + length <= all.length; at++) {
      const gram = all.slice(at, at + length).join(" ");
      if (gram !== START) addTo(counts, gram);
    }
  }
  return counts;
}

const addTo = (counts: GramCounts, gram: string, times = 1): void =>
  void counts.set(gram, (counts.get(gram) ?? 0) + times);

/** P(last word | those before), and what of each history's probability is left for words that never followed it. */
function conditional(
  grams: GramCounts,
  lower: Map<string, number>,
  shorter: (gram: string) => string,
): { probabilities: Map<string, number>; backOff: Map<string, number> } {
  const byHistory = Map.groupBy([...grams], ([gram]) => gram.slice(0, gram.lastIndexOf(" ")));
  const probabilities = new Map<string, number>();
  const backOff = new Map<string, number>();
  for (const [history, following] of byHistory) {
    const total = following.reduce((sum, [, count]) => sum + count, 0);
    for (const [gram, count] of following) probabilities.set(gram, (count - DISCOUNT) / total);
    const left = (DISCOUNT * following.length) / total;
    const seen = following.reduce((sum, [gram]) => sum + (lower.get(shorter(gram)) ?? 0), 0);
    backOff.set(history, left / Math.max(1e-6, 1 - seen));
  }
  return { probabilities, backOff };
}
