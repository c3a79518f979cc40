import type { FileSection } from "./sections.ts";

export type FileFormat = "pdf" | "docx" | "html" | "markdown" | "text";

/** What a file says. `pages` null: its format has none. */
export type FileContents = {
  format: FileFormat;
  title: string | null;
  pages: number | null;
  pages_without_text: number | null;
  sections: FileSection[];
};

/** Why nothing can be read of a file; `REFUSALS` has the words. */
type FileRefusal = keyof typeof REFUSALS;

export type FileOutcome = ({ kind: "read" } & FileContents) | { kind: "refused"; why: FileRefusal };

/** Pages of one file that are read; a manual has some hundreds. */
export const MOST_PAGES = 2_000;
/** Of the text read: two thousand pages of print. */
export const MOST_CHARACTERS = 5_000_000;

/** Each continues "The file …", and says what to do. */
export const REFUSALS = {
  scanned: "has no text: it is scanned pictures. Run text recognition (OCR) over it and upload the result",
  locked: "is password-protected. Remove the password and upload it again",
  "not-pdf": "is not a PDF, though its name says so. Export it again from the program that made it",
  "not-docx": "is not a DOCX, though its name says so. Open it in Word and save it as .docx",
  "old-word": "is a Word file of the old kind. Open it in Word and save it as .docx",
  rtf: "is an RTF file. Open it in Word and save it as .docx",
  "no-words": "has no text",
  "not-text": "is not a PDF, DOCX, HTML, Markdown or text file",
  "too-much": "unpacks to more than can be read. Divide it into several files",
  "too-many-pages": `has more than ${MOST_PAGES.toLocaleString("en-US")} pages. Divide it into several files`,
  "too-long": `has more than ${MOST_CHARACTERS.toLocaleString("en-US")} characters of text. Divide it into several files`,
  broken: "is damaged and can't be read. Export it again from the program that made it",
  "too-slow": "takes too long to read. Divide it into several files",
} as const;

export const refuse = (why: FileRefusal): FileOutcome => ({ kind: "refused", why });
