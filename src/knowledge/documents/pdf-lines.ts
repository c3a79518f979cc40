import { type FileBlock, MOST_HEADING } from "./sections.ts";

/** A piece of text where it stands on a page, from pdf.js: `transform` ends with x and y, which grows upwards. */
export type PlacedText = {
  str: string;
  transform: number[];
  width: number;
  height: number;
};

type Line = { text: string; y: number; height: number; end: number };

/** Shares of a line's height: from which a gap is a blank, a gap between columns, and one between paragraphs. */
const BLANK = 0.15;
const COLUMN = 1.5;
const PARAGRAPH = 1.7;
/** How much larger than most text of the page a heading is. */
const LARGER = 1.15;

/** The paragraphs and headings of one page, in the order in which the file has them. */
export function pageBlocks(items: readonly PlacedText[]): FileBlock[] {
  const lines = linesOf(items);
  const usual = usualHeight(lines);
  const blocks: FileBlock[] = [];
  let paragraph: string[] = [];
  let before: Line | null = null;
  const end = () => {
    if (paragraph.length > 0) blocks.push({ text: joined(paragraph) });
    paragraph = [];
  };
  for (const line of lines) {
    if (isHeading(line, usual)) {
      end();
      blocks.push({ heading: line.text, level: line.height >= usual * 1.6 ? 1 : 2 });
    } else {
      const gap = before === null ? 0 : Math.abs(before.y - line.y);
      if (gap > Math.max(before?.height ?? 0, line.height) * PARAGRAPH) end();
      paragraph.push(line.text);
    }
    before = line;
  }
  end();
  return blocks;
}

function linesOf(items: readonly PlacedText[]): Line[] {
  const lines: Line[] = [];
  for (const { str, transform, width, height } of items) {
    if (str.trim() === "") continue;
    const [x = 0, y = 0] = transform.slice(4);
    const size = height || Math.abs(transform[3] ?? 0) || 10;
    const last = lines.at(-1);
    // A line goes on where the next piece stands beside it: not above, below, or back at the left.
    const goesOn = last && Math.abs(last.y - y) < size * 0.5 && x >= last.end - size * 2;
    if (!goesOn) {
      lines.push({ text: str, y, height: size, end: x + width });
      continue;
    }
    const gap = (x - last.end) / size;
    last.text += gap > COLUMN ? ` | ${str.trimStart()}` : gap > BLANK ? ` ${str}` : str;
    last.end = x + width;
    last.height = Math.max(last.height, size);
  }
  return lines
    .map((line) => ({ ...line, text: line.text.replace(/[^\S\n]+/g, " ").trim() }))
    .filter(({ text }) => text !== "");
}

/** The height that most characters have. */
function usualHeight(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { height, text } of lines) {
    const rounded = Math.round(height * 2) / 2;
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length);
  }
  return [...characters].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

const isHeading = ({ text, height }: Line, usual: number): boolean =>
  height > usual * LARGER && text.length <= MOST_HEADING && /\p{L}/u.test(text);

/** A word that was divided at the end of a line is whole again. */
const joined = (lines: readonly string[]): string => lines.join("\n").replace(/(\p{L})-\n(\p{Ll})/gu, "$1$2");
