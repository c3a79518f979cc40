import { escapeHtml } from "../api/plain-page.ts";
import type { MailWords } from "./mail-template.ts";

/** A campaign's mail that begins with what is announced, in both of its parts. An empty `said` changes nothing. Pure. */
export function withAnnouncement(words: MailWords, said: string): MailWords {
  if (said === "") return words;
  const text = `${said}\n\n${words.text}`;
  if (words.html === null) return { ...words, text };
  const paragraph = `<p>${escapeHtml(said)}</p>`;
  // Within the page, where the template is a whole one.
  const body = /<body\b[^>]*>/i.exec(words.html);
  const at = body ? body.index + body[0].length : afterHead(words.html);
  return { ...words, text, html: `${words.html.slice(0, at)}${paragraph}${words.html.slice(at)}` };
}

/** Where the words of a page without a `<body>` begin. */
function afterHead(html: string): number {
  const head = /<\/head\s*>/i.exec(html) ?? /^\s*(<!doctype[^>]*>\s*)?(<html\b[^>]*>)?/i.exec(html);
  return head ? head.index + head[0].length : 0;
}
