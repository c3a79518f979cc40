import { cutTo } from "../../base/storable.ts";
import { chunksOf } from "../data-source-chunks.ts";

/** What a reader finds in a file, in order; `level` 1 is a title, and each one is part of those of lower levels before. */
export type FileBlock = { page?: number; heading: string; level: number } | { page?: number; text: string };

/** A part of a document that one heading and one page stand for. */
export type FileSection = { page: number | null; headings: string[]; text: string };

/** A part as it is searched: what it says, and where it stands. */
export type SourceChunk = { text: string; page: number | null; heading: string | null };

/** Paragraphs under their headings, page by page. Headings without a text of their own stand in those below them. */
export function sectionsOf(blocks: readonly FileBlock[]): FileSection[] {
  const sections: FileSection[] = [];
  const path: { level: number; heading: string }[] = [];
  let isOpen = false;
  for (const block of blocks) {
    const page = block.page ?? null;
    if ("heading" in block) {
      const { level } = block;
      const heading = storable(cutTo(oneLine(block.heading), MOST_HEADING));
      if (heading === "") continue;
      while (path.length > 0 && (path.at(-1)?.level ?? 0) >= level) path.pop();
      path.push({ level, heading });
      isOpen = false;
      continue;
    }
    const text = storable(block.text).trim();
    if (text === "") continue;
    const last = sections.at(-1);
    if (isOpen && last && last.page === page) last.text += `\n\n${text}`;
    else sections.push({ page, headings: path.map(({ heading }) => heading), text });
    isOpen = true;
  }
  return sections;
}

/** Files hold halves of characters and codes of control, which no database takes and nobody reads. */
const storable = (text: string): string => text.replace(/(?![\t\n])\p{Cc}/gu, "").toWellFormed();

/** Characters of a heading; what is longer is a paragraph that somebody made large. */
export const MOST_HEADING = 200;

/** A document's title, which stands above each of its parts; null for what says nothing. */
export const documentTitle = (text: string): string | null =>
  storable(cutTo(oneLine(text), MOST_HEADING)).trim() || null;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * Sections as they are searched. Each part carries the document's title and the headings above it, so that "80 euros" is
 * found by the question what a cleaning costs.
 */
export const chunksOfSections = (sections: readonly FileSection[], title: string | null): SourceChunk[] =>
  sections.flatMap(({ page, headings, text }) => {
    const above = title === null || headings[0] === title ? headings : [title, ...headings];
    const heading = above.length > 0 ? cutTo(above.join(" › "), MOST_PATH) : null;
    return chunksOf(text, null).map((part) => ({ text: part, page, heading }));
  });

const MOST_PATH = 500;

/** The whole text as a person reads it: headings on lines of their own, and where each page begins. */
export function textOfSections(sections: readonly FileSection[]): string {
  const parts: string[] = [];
  let page: number | null = null;
  let before: string[] = [];
  for (const section of sections) {
    if (section.page !== page && section.page !== null) parts.push(`[page ${section.page}]`);
    page = section.page;
    const shared = section.headings.findIndex((heading, at) => heading !== before[at]);
    const fresh = shared < 0 ? [] : section.headings.slice(shared);
    parts.push(...fresh.map((heading, at) => `${"#".repeat(Math.min(6, shared + at + 1))} ${heading}`));
    before = section.headings;
    parts.push(section.text);
  }
  return parts.join("\n\n");
}
