import path from "node:path";
import { boundedParser } from "./bounded-parser.ts";
import { type FileOutcome, refuse } from "./file-outcome.ts";
import { documentTitle, type FileBlock, sectionsOf } from "./sections.ts";
import { BadArchive, zipEntries } from "./zip-entry.ts";

/** Of the unpacked text with its markup: a book of a thousand pages has about 15 MB. */
const MOST_XML_bytes = 50_000_000;
/** Names the parts of the file; some programs number them, as in `word/document2.xml`. */
const RELATIONS = "_rels/.rels";
const PROPERTIES = "docProps/core.xml";

/** A Word document's paragraphs under its headings; a row of a table is a line. What was deleted in a revision is gone. */
export function readDocx(bytes: Buffer): FileOutcome {
  const about = unzipped(bytes, [RELATIONS, PROPERTIES]);
  if ("kind" in about) return about;
  const main = partOf(about.get(RELATIONS), "officeDocument", "") ?? "word/document.xml";
  const { dir, base } = path.posix.parse(main);
  const relations = path.posix.join(dir, "_rels", `${base}.rels`);
  const files = unzipped(bytes, [main, relations]);
  if ("kind" in files) return files;
  const document = files.get(main);
  if (!document) return refuse("not-docx");
  const styles = partOf(files.get(relations), "styles", dir) ?? "word/styles.xml";
  const styled = unzipped(bytes, [styles]);
  if ("kind" in styled) return styled;
  const levels = headingLevels(styled.get(styles)?.toString("utf8") ?? "");
  const blocks = blocksOf(document.toString("utf8"), levels);
  const sections = sectionsOf(blocks);
  if (sections.length === 0) return refuse("no-words");
  const title = titleOf(about.get(PROPERTIES)?.toString("utf8") ?? "");
  return { kind: "read", format: "docx", title, pages: null, pages_without_text: null, sections };
}

function unzipped(bytes: Buffer, names: string[]): Map<string, Buffer> | FileOutcome {
  try {
    return zipEntries(bytes, names, MOST_XML_bytes);
  } catch (error) {
    if (!(error instanceof BadArchive)) throw error;
    if (error.is_locked) return refuse("locked");
    return refuse(/larger than|maxOutputLength|too many/i.test(error.message) ? "too-much" : "not-docx");
  }
}

/** The part of a kind, from a list of relations of the parts in a folder. */
function partOf(relations: Buffer | undefined, kind: string, folder: string): string | null {
  let found: string | null = null;
  const parser = boundedParser(
    {
      onopentag(_tag, { Type, Target, TargetMode }) {
        if (!Target || TargetMode === "External" || !Type?.endsWith(`/${kind}`)) return;
        found ??= path.posix.join("/", Target.startsWith("/") ? "" : folder, Target).slice(1);
      },
    },
    { xmlMode: true },
  );
  parser.end(relations?.toString("utf8") ?? "");
  return found;
}

/** Word translates the names of its styles' ids ("berschrift1"), and keeps "heading 1" as the style's own name. */
function headingLevels(xml: string): Map<string, number> {
  const levels = new Map<string, number>();
  let style: string | null = null;
  const parser = boundedParser(
    {
      onopentag(tag, { "w:styleId": id, "w:val": value }) {
        if (tag === "w:style") style = id ?? null;
        if (style === null || value === undefined) return;
        const named = tag === "w:name" ? /^heading (\d)$/i.exec(value)?.[1] : undefined;
        if (named) levels.set(style, Number(named));
        else if (tag === "w:name" && /^title$/i.test(value)) levels.set(style, 1);
        else if (tag === "w:outlineLvl" && !levels.has(style)) levels.set(style, Number(value) + 1);
      },
      onclosetag(tag) {
        if (tag === "w:style") style = null;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return levels;
}

function titleOf(xml: string): string | null {
  let title = "";
  let isOpen = false;
  const parser = boundedParser(
    {
      onopentag(tag) {
        isOpen = tag === "dc:title";
      },
      ontext(text) {
        if (isOpen) title += text;
      },
      onclosetag() {
        isOpen = false;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return documentTitle(title);
}

/** A text box as older programs read it, which says the same again, and where something was before it was moved. */
const SKIPPED = new Set(["mc:Fallback", "w:moveFrom"]);

function blocksOf(xml: string, levels: ReadonlyMap<string, number>): FileBlock[] {
  const blocks: FileBlock[] = [];
  const row: string[] = [];
  let [paragraph, cell, style] = ["", "", ""];
  /** Those that a text box stands in, which has paragraphs of its own. */
  const around: [string, string][] = [];
  let isText = false;
  let skipped = 0;
  let cells = 0;
  const endParagraph = () => {
    const text = paragraph.trim();
    const level = levels.get(style);
    if (cells > 0) cell += text === "" ? "" : `${cell && " "}${text}`;
    else if (text !== "" && level !== undefined) blocks.push({ heading: text, level });
    else blocks.push({ text });
    [paragraph, style] = around.pop() ?? ["", ""];
  };
  const parser = boundedParser(
    {
      onopentag(tag, { "w:val": value = "" }) {
        if (SKIPPED.has(tag)) skipped++;
        if (skipped > 0) return;
        if (tag === "w:p") {
          around.push([paragraph, style]);
          [paragraph, style] = ["", ""];
        } else if (tag === "w:t") isText = true;
        else if (tag === "w:tab") paragraph += "\t";
        else if (tag === "w:br" || tag === "w:cr") paragraph += "\n";
        else if (tag === "w:noBreakHyphen") paragraph += "-";
        else if (tag === "w:pStyle") style = value;
        else if (tag === "w:tc") cells++;
      },
      ontext(text) {
        if (isText) paragraph += text;
      },
      onclosetag(tag) {
        if (SKIPPED.has(tag)) skipped--;
        if (skipped > 0) return;
        if (tag === "w:t") isText = false;
        else if (tag === "w:p") endParagraph();
        else if (tag === "w:tc" && --cells === 0) {
          row.push(cell.trim());
          cell = "";
        } else if (tag === "w:tr" && cells === 0) {
          blocks.push({ text: row.splice(0).filter(Boolean).join(" | ") });
        }
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return joinRows(blocks);
}

/** Rows that follow one another are lines of one paragraph, so that a table stays together as long as it fits. */
function joinRows(blocks: FileBlock[]): FileBlock[] {
  const joined: FileBlock[] = [];
  let wasRow = false;
  for (const block of blocks) {
    const last = joined.at(-1);
    const isRow = "text" in block && block.text.includes(" | ");
    if (isRow && wasRow && last && "text" in last) last.text += `\n${block.text}`;
    else joined.push({ ...block });
    wasRow = isRow;
  }
  return joined;
}
