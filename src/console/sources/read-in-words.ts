import { counted } from "../parts/counted.ts";
import { ApiError } from "../server/api.ts";

type Read = { pages?: number | null; pages_without_text?: number | null; characters: number };

/** "3 pages, 4,120 characters; 1 page has no text". */
export function sayRead({ pages, pages_without_text, characters }: Read): string {
  const text = counted(characters, "character");
  if (pages == null) return text;
  const said = `${counted(pages, "page")}, ${text}`;
  if (!pages_without_text) return said;
  return `${said}; ${counted(pages_without_text, "page has", "pages have")} no text`;
}

/** What the API says of the file, without its place in the form. */
export const sayRefused = (error: Error): string =>
  error instanceof ApiError && error.issues.length > 0
    ? error.issues.map(({ msg }) => `${msg}.`).join(" ")
    : error.message;
