import { type FileOutcome, refuse } from "./file-outcome.ts";
import { documentTitle, type FileBlock, sectionsOf } from "./sections.ts";

/** Paragraphs as they stand, under no headings. */
export function readText(text: string): FileOutcome {
  const sections = sectionsOf([{ text: text.replaceAll("\r\n", "\n") }]);
  if (sections.length === 0) return refuse("no-words");
  return { kind: "read", format: "text", title: null, pages: null, pages_without_text: null, sections };
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*)$/s;
/** Marks that close a heading stand after a space: "## C#" has none. */
const CLOSING_MARKS = /(?<!\S)#+$/;
const UNDERLINE = /^\s{0,3}(=+|-{2,})\s*$/;

/** Markdown's headings, and its words without the marks; code stays as it is. */
export function readMarkdown(given: string): FileOutcome {
  const text = given
    .replaceAll("\r\n", "\n")
    .replace(/^---\n[\s\S]{0,20000}?\n---\n/, "")
    .replace(/<!--(?:(?!<!--)[\s\S]){0,20000}?-->/g, "");
  const blocks: FileBlock[] = [];
  let paragraph: string[] = [];
  let fence: string | null = null;
  const end = () => {
    if (paragraph.length > 0) blocks.push({ text: paragraph.join("\n") });
    paragraph = [];
  };
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const heading = fence === null ? HEADING.exec(line) : null;
    const underline = fence === null && paragraph.length === 1 ? UNDERLINE.exec(line)?.[1] : undefined;
    if (mark && (fence === null || mark.startsWith(fence))) {
      fence = fence === null ? mark : null;
    } else if (fence !== null) {
      paragraph.push(line);
    } else if (heading) {
      end();
      blocks.push({
        heading: plain((heading[2] ?? "").trimEnd().replace(CLOSING_MARKS, "").trim()),
        level: (heading[1] ?? "#").length,
      });
    } else if (underline && !paragraph[0]?.startsWith("- ")) {
      blocks.push({ heading: paragraph[0] ?? "", level: underline.startsWith("=") ? 1 : 2 });
      paragraph = [];
    } else if (line.trim() === "") {
      end();
    } else if (!/^[\s:|-]+$/.test(line)) {
      paragraph.push(plain(line));
    }
  }
  end();
  const sections = sectionsOf(blocks);
  if (sections.length === 0) return refuse("no-words");
  const first = blocks.find((block) => "heading" in block);
  const title = first && first.level === 1 ? documentTitle(first.heading) : null;
  return { kind: "read", format: "markdown", title, pages: null, pages_without_text: null, sections };
}

/**
 * A picture is what it shows, a link what it says and where it leads. No pattern reads on past where its next match could
 * begin, so that a line of a million brackets takes no longer than another.
 */
const plain = (line: string): string =>
  line
    .replace(/!\[([^[\]]*)\]\((?:(?!\]\()[^)])*\)/g, "$1")
    .replace(/\[([^[\]]+)\]\((https?:\/\/(?:(?!\]\()[^)\s])+)(?:\s(?:(?!\]\()[^)])*)?\)/g, "$1 ($2)")
    .replace(/\[([^[\]]+)\]\((?:(?!\]\()[^)])*\)/g, "$1")
    .replace(/(\*\*|__|`)/g, "")
    .replace(/(^|\W)[*_](\S(?:.{0,300}?\S)?)[*_](?=\W|$)/g, "$1$2")
    .replace(/^\s{0,3}>\s?/, "")
    .replace(/^\s*\|\s*/, "")
    .replace(/(?<!\s)\s*\|\s*$/, "");
