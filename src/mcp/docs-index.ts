/** A part of a page of the documentation, under its heading. */
type Section = { page: string; heading: string; text: string };

/** Words of each section counted, for ranking by BM25. */
type Counted = { section: Section; words: Map<string, number>; length: number };

export type DocsIndex = { pages: Map<string, string>; counted: Counted[]; averageLength: number };

/** Pages by name (`versions.md`) → what a search looks through. Pure. */
export function indexDocs(pages: Map<string, string>): DocsIndex {
  const counted = [...pages].flatMap(([page, text]) => sectionsOf(page, text)).map(countWords);
  const total = counted.reduce((sum, { length }) => sum + length, 0);
  return { pages, counted, averageLength: total / Math.max(1, counted.length) };
}

const K1 = 1.2;
const B = 0.75;
const MAX_EXCERPT_CHARACTERS = 1_500;
/** Of a query. Each is looked for in every section, and nothing else runs meanwhile. */
const MAX_WORDS = 100;

/** The sections that say most about the words of a query, best first. Pure. */
export function searchDocs(index: DocsIndex, query: string, limit: number): Section[] {
  const wanted = [...new Set(wordsOf(query))].slice(0, MAX_WORDS);
  const { counted, averageLength } = index;
  const weights = wanted.map((word) => {
    const having = counted.filter(({ words }) => words.has(word)).length;
    return Math.log(1 + (counted.length - having + 0.5) / (having + 0.5));
  });
  return counted
    .map(({ section, words, length }) => {
      const score = wanted.reduce((sum, word, at) => {
        const times = words.get(word) ?? 0;
        const damped = (times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / averageLength));
        return sum + (weights[at] as number) * damped;
      }, 0);
      return { section, score };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ section }) => ({ ...section, text: section.text.slice(0, MAX_EXCERPT_CHARACTERS) }));
}

/** Headings count three times: they say what a section is about. */
function countWords(section: Section): Counted {
  const words = new Map<string, number>();
  const all = [...wordsOf(section.text), ...Array(3).fill(wordsOf(section.heading)).flat()];
  for (const word of all) words.set(word, (words.get(word) ?? 0) + 1);
  return { section, words, length: all.length };
}

/** Small letters, without a plural's s, so that "agents" finds "agent". */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
  );

/** Cut at headings; a "#" in a block of code is none. */
function sectionsOf(page: string, text: string): Section[] {
  const sections: Section[] = [];
  let title = page;
  let fence = "";
  let current: Section = { page, heading: page, text: "" };
  for (const line of text.split("\n")) {
    const mark = /^(`{3,})/.exec(line)?.[1] ?? "";
    if (mark && !fence) fence = mark;
    else if (mark && mark.length >= fence.length) fence = "";
    const heading = fence ? null : /^(#{1,3}) (.+)$/.exec(line);
    if (!heading) {
      current.text += `${line}\n`;
      continue;
    }
    if (current.text.trim()) sections.push(current);
    if (heading[1] === "#") title = heading[2] as string;
    const of = heading[1] === "#" ? title : `${title}: ${heading[2]}`;
    current = { page, heading: of, text: "" };
  }
  if (current.text.trim()) sections.push(current);
  return sections.map((section) => ({ ...section, text: section.text.trim() }));
}
