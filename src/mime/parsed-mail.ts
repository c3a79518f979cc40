import { type ParsedMail, type SimpleParserOptions, simpleParser } from "mailparser";
import { errorText } from "../base/errors.ts";
import { withoutHidden } from "./hidden-html.ts";
import { MOST_HTML, plainOfHtml } from "./html-words.ts";
import { MOST_HEADER_bytes } from "./mail-text.ts";
import { UNREADABLE, withOlderCharsets, withReadableHeader } from "./unnamed-charset.ts";

/** Parts of a mail, however deep one stands in another. */
const MOST_PARTS = 200;

const PARSING: SimpleParserOptions & { maxHeadSize: number; maxChildNodes: number; ignoreEmbedded: boolean } =
  {
    skipImageLinks: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    keepDeliveryStatus: true,
    // Pictures written into the HTML would only push its words over the end where it is cut.
    keepCidLinks: true,
    maxHtmlLengthToParse: MOST_HTML,
    // Of the part of the parser that takes mails apart, which is handed these options too.
    maxHeadSize: MOST_HEADER_bytes,
    maxChildNodes: MOST_PARTS,
    // Mails in it are files of it, however they are to be shown: who wrote what would be lost in its words.
    ignoreEmbedded: true,
  };

/**
 * A mail taken apart, with its words. The parser makes words of HTML that comes beside plain text, but not of HTML that stands alone among attachments, and not
 * without what is hidden in it: then it is done here, and plain text goes first.
 */
export const parseMail = (raw: Buffer): Promise<ParsedMail> => parse(withReadableHeader(raw));

async function parse(raw: Buffer): Promise<ParsedMail> {
  const parsed = await parseParts(raw);
  const { html, text = "" } = parsed;
  const older = `${text}${html}`.includes(UNREADABLE) ? withOlderCharsets(raw) : null;
  if (older) return parse(older);
  if (typeof html !== "string") return parsed;
  const isRead = text.trim() !== "" && withoutHidden(html) === html;
  if (isRead) return parsed;
  const { text: plain = "" } = await simpleParser(raw, { ...PARSING, skipHtmlToText: true });
  // Plain text that says the same is preferred.
  if (plain.trim() !== "" && plain === text) return parsed;
  return { ...parsed, text: `${plain.trimEnd()}\n${await plainOfHtml(html)}`.trim() };
}

/** HTML longer than is turned into words is read for its beginning, where no part of the mail says the same in plain text. */
async function parseParts(raw: Buffer): Promise<ParsedMail> {
  try {
    return await simpleParser(raw, PARSING);
  } catch (error) {
    if (!/^HTML too long/.test(errorText(error))) throw error;
    return simpleParser(raw, { ...PARSING, skipHtmlToText: true });
  }
}
