/** What a search gives back at a time; longer parts become windows that overlap. */
export const CHUNK_CHARACTERS = 1_200;
const OVERLAP_CHARACTERS = 150;

const BLANK_LINES = /\n[^\S\n]*(?:\n[^\S\n]*)+/;

/**
 * A text in parts that can be read by themselves, in order, none longer than `CHUNK_CHARACTERS`. With a delimiter each
 * part between two is one of its own; without, paragraphs stand together as long as they fit. No word is lost.
 */
export function chunksOf(text: string, delimiter: string | null): string[] {
  const plain = text.replaceAll("\r\n", "\n");
  const parts = plain
    .split(delimiter ?? BLANK_LINES)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return (delimiter === null ? together(parts) : parts).flatMap(windows);
}

function together(paragraphs: string[]): string[] {
  const joined: string[] = [];
  for (const paragraph of paragraphs) {
    const last = joined.at(-1);
    if (last !== undefined && last.length + 2 + paragraph.length <= CHUNK_CHARACTERS) {
      joined[joined.length - 1] = `${last}\n\n${paragraph}`;
    } else joined.push(paragraph);
  }
  return joined;
}

/** Cut between words where there is one to cut between, and the end of one window is the beginning of the next. */
function windows(part: string): string[] {
  const found: string[] = [];
  let start = 0;
  while (part.length - start > CHUNK_CHARACTERS) {
    const end = wordBoundary(part, start + CHUNK_CHARACTERS);
    found.push(part.slice(start, end).trim());
    start = wordBoundary(part, end - OVERLAP_CHARACTERS);
  }
  found.push(part.slice(start).trim());
  // Within a gap of a thousand blanks; no provider takes an empty text for its meaning.
  return found.filter((window) => window !== "");
}

/** The last blank within the overlap before a place, else the place itself, but never inside a character. */
function wordBoundary(part: string, at: number): number {
  const blank = part.slice(at - OVERLAP_CHARACTERS, at).search(/\s\S*$/);
  if (blank >= 0) return at - OVERLAP_CHARACTERS + blank;
  const splitsPair = /[\udc00-\udfff]/.test(part[at] ?? "") && /[\ud800-\udbff]/.test(part[at - 1] ?? "");
  return splitsPair ? at - 1 : at;
}
