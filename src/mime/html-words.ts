import { simpleParser } from "mailparser";
import { withoutHidden } from "./hidden-html.ts";

/** Characters of HTML that are turned into words; a mail that somebody wrote has some tens of thousands. */
export const MOST_HTML = 1_000_000;
/** Pictures written into it, which say nothing. */
const EMBEDDED = /data:[\w/+.-]{0,100}(;[\w=-]{0,100})?;base64,[A-Za-z0-9+/=\s%]+/g;

/**
 * The plain part of an HTML mail, of its first million characters, without what is hidden in it. The mail parser makes one of
 * every mail that comes without it; one way of telling what a mail says in words is enough. As with `readMail`, a thread that may be ended calls it.
 */
export async function plainOfHtml(html: string): Promise<string> {
  const words = withoutHidden(html.replace(EMBEDDED, "").slice(0, MOST_HTML)).toWellFormed();
  const body = Buffer.from(words).toString("base64").replace(/.{76}/g, "$&\r\n");
  const source = `MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
  const { text } = await simpleParser(source, { skipImageLinks: true, skipTextToHtml: true });
  return (text ?? "").trim();
}
