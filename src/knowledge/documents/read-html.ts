import { boundedParser } from "./bounded-parser.ts";
import { type FileOutcome, refuse } from "./file-outcome.ts";
import { documentTitle, type FileBlock, sectionsOf } from "./sections.ts";

/** What a crawler needs to know of a page besides its words. */
export type PageLinks = {
  links: string[];
  /** Of `<base href>`. */
  base: string | null;
  /** `<meta name="robots">`: the page asks not to be kept, or its links not to be followed. */
  noindex: boolean;
  nofollow: boolean;
};

export type HtmlPage = { outcome: FileOutcome; page: PageLinks };

/** What stands around a page's words on each page alike, or isn't read at all. */
const SKIPPED = new Set(
  "script style noscript template svg math nav footer aside iframe object select button dialog".split(" "),
);
const BLOCKS = new Set(
  "address article blockquote dd details div dl dt fieldset figcaption figure form header hr li main ol p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);
/** Elements that have no end; what would wait for one swallows the rest of the page. */
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const MOST_LINKS = 5_000;

/** The words of a page under its headings: those of `<main>` where it has one, without menus and footers. */
export function readHtml(html: string): HtmlPage {
  const { all, main, title, page } = walk(html);
  const words = sectionsOf(main);
  const sections = words.length > 0 ? words : sectionsOf(all);
  const outcome: FileOutcome =
    sections.length === 0
      ? refuse("no-words")
      : { kind: "read", format: "html", title, pages: null, pages_without_text: null, sections };
  return { outcome, page };
}

function walk(html: string) {
  const all: FileBlock[] = [];
  const main: FileBlock[] = [];
  const page: PageLinks = { links: [], base: null, noindex: false, nofollow: false };
  let [text, title] = ["", ""];
  let [inMain, headingLevel, preDepth] = [0, 0, 0];
  let inTitle = false;
  let cellsInRow = 0;
  /** The names of the open elements that are skipped with what is in them, for ends that never come. */
  const hidden: string[] = [];
  const push = (block: FileBlock) => {
    all.push(block);
    if (inMain > 0) main.push(block);
  };
  const end = () => {
    const words = preDepth > 0 ? text.trim() : tidy(text);
    if (words !== "") push(headingLevel > 0 ? { heading: words, level: headingLevel } : { text: words });
    text = "";
  };
  /** Where a block begins or ends. Within a cell that divides words, not paragraphs. */
  const part = (tag: string) => {
    if (isInCell(cellsInRow, tag)) text += " ";
    else end();
  };
  /** What a heading has to be clicked for is still the heading. */
  const isSkipped = (tag: string) => SKIPPED.has(tag) && !(tag === "button" && headingLevel > 0);
  const parser = boundedParser(
    {
      onopentag(tag, given) {
        if (tag === "title" && hidden.length === 0) inTitle = true;
        readLinks(tag, given, page);
        if (VOID.has(tag) && tag !== "br" && tag !== "hr") return;
        if (isSkipped(tag) || given.hidden !== undefined || given["aria-hidden"] === "true") {
          hidden.push(tag);
          return;
        }
        if (hidden.length > 0) {
          if (hidden.at(-1) === tag) hidden.push(tag);
          return;
        }
        if (tag === "br") text += "\n";
        else if (tag === "td" || tag === "th") text += cellsInRow++ > 0 ? " | " : "";
        else if (tag === "tr") cellsInRow = 0;
        else if (/^h[1-6]$/.test(tag)) {
          end();
          headingLevel = Number(tag[1]);
        } else if (BLOCKS.has(tag)) {
          part(tag);
          if (tag === "main") inMain++;
          if (tag === "pre") preDepth++;
          if (tag === "li") text += "- ";
        }
      },
      ontext(words) {
        if (inTitle) title += words;
        else if (hidden.length === 0) text += preDepth > 0 ? words : words.replace(/\s+/g, " ");
      },
      onclosetag(tag) {
        if (tag === "title") inTitle = false;
        if (hidden.at(-1) === tag) {
          hidden.pop();
          return;
        }
        if (hidden.length > 0) return;
        if (/^h[1-6]$/.test(tag)) {
          end();
          headingLevel = 0;
        } else if (tag === "tr") {
          cellsInRow = 0;
          text += "\n";
        } else if (BLOCKS.has(tag)) {
          part(tag);
          if (tag === "main") inMain--;
          if (tag === "pre") preDepth--;
        }
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  end();
  return { all, main, title: documentTitle(title), page };
}

/** A paragraph within a cell is part of the row's line, and a row part of its table. */
const isInCell = (cells: number, tag: string): boolean =>
  (cells > 0 && tag !== "table" && tag !== "main") || ["tr", "tbody", "thead", "tfoot"].includes(tag);

function readLinks(tag: string, given: Record<string, string>, page: PageLinks): void {
  const { href, rel = "", name = "", content = "" } = given;
  if (tag === "a" && href && page.links.length < MOST_LINKS && !/\bnofollow\b/i.test(rel))
    page.links.push(href);
  if (tag === "base" && href && page.base === null) page.base = href;
  if (tag === "meta" && /^robots$/i.test(name)) {
    page.noindex ||= /\b(noindex|none)\b/i.test(content);
    page.nofollow ||= /\b(nofollow|none)\b/i.test(content);
  }
}

/** Blanks as a browser shows them; lines stay where `<br>` and rows of tables put them. */
const tidy = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/[^\S\n]+/g, " ").trim())
    .filter((line) => line !== "" && line !== "-" && line !== "|")
    .join("\n");
