import { ApiError } from "../server/api.ts";

type Read = { pages?: number | null; pages_without_text?: number | null; characters: number };

/** "3 pages, 4,120 characters; 1 page has no text". */
export function sayRead({ pages, pages_without_text, characters }: Read): string {
  const counted = `${characters.toLocaleString("en")} characters`;
  if (pages == null) return counted;
  const said = `${count(pages, "page")}, ${counted}`;
  if (!pages_without_text) return said;
  return `${said}; ${count(pages_without_text, "page")} ${pages_without_text === 1 ? "has" : "have"} no text`;
}

/** What the API says of the file, without its place in the form. */
export const sayRefused = (error: Error): string =>
  error instanceof ApiError && error.issues.length > 0
    ? error.issues.map(({ msg }) => `${msg}.`).join(" ")
    : error.message;

const count = (n: number, noun: string): string => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
