import type { AddressObject, Attachment, HeaderLines, ParsedMail } from "mailparser";
import { sha256 } from "../base/crypto.ts";
import { cutTo, storableText } from "../base/storable.ts";
import { normaliseEmail } from "../channels/address.ts";
import { newText } from "./mail-text.ts";
import { parseMail } from "./parsed-mail.ts";

/** A mail somebody sent us, as we need it. Ids stand without their angle brackets; texts are fit for the database. */
export type ReadMail = {
  message_id: string;
  in_reply_to: string | null;
  /** All mails that it says it follows, the oldest first. */
  thread_ids: string[];
  /** null: nobody can be answered. */
  from: { address: string; name: string | null } | null;
  subject: string;
  text: string;
  /** What somebody wrote in this mail itself. */
  new_text: string;
  html: string | null;
  attachments: { name: string; content_type: string; bytes: Buffer }[];
  /** Somebody pressed a face below a mail of ours, and wrote nothing. */
  is_reaction: boolean;
  /** Why no person wrote it (RFC 3834), and nobody must answer it; null: a person did. */
  automatic: string | null;
  /** What a mail server says became of mails of ours (RFC 3464). */
  reports: DeliveryReport[];
};

export type IncomingMail = ReadMail & {
  /** What mails say that are attached to it. */
  attached_mails: string[];
};

type DeliveryReport = {
  /** Of the mail of ours that it is about, where it says. */
  message_id: string | null;
  recipient: string | null;
  action: "failed" | "delayed" | "delivered" | "other";
  /** RFC 3463: 5.1.1 and its kind. */
  code: string | null;
  said: string | null;
};

/** A text longer than this is cut: nobody wrote it. */
const LONGEST_TEXT = 200_000;
const LONGEST_LINE = 998;
const MOST_IDS = 100;
const MOST_ATTACHMENTS = 50;

/**
 * Reads any bytes as a mail; what is malformed is read as far as it goes. `envelope_from` "": an empty return path. Rejects
 * where a mail has too many parts or headers, nests its HTML too deep, or names two senders. It may take minutes over a mail that was made for
 * it, so nobody calls it but the thread that may be ended (mail-work.ts).
 */
export async function readMail(raw: Buffer, envelope_from: string | null): Promise<ReadMail> {
  const parsed = await parseMail(raw);
  requireOneSender(parsed.headerLines);
  const text = cut(parsed.text ?? "");
  const subject = cut((parsed.subject ?? "").replace(/\s+/g, " ").trim(), LONGEST_LINE);
  const message_id = bareId(parsed.messageId) ?? `${sha256(raw.toString("latin1"))}@no-message-id`;
  const in_reply_to = bareId(parsed.inReplyTo);
  const references = [parsed.references ?? []].flat().flatMap((id) => bareId(id) ?? []);
  const reports = deliveryReports(parsed, raw);
  const from = senderOf(parsed.from);
  return {
    message_id,
    in_reply_to,
    thread_ids: [...new Set([...references, ...(in_reply_to ? [in_reply_to] : [])])].slice(-MOST_IDS),
    from,
    subject,
    text,
    new_text: newText(text, subject),
    html: typeof parsed.html === "string" ? cut(parsed.html) : null,
    attachments: parsed.attachments
      .filter(({ contentType }) => !isSeal(contentType) && !isReaction(contentType))
      .slice(0, MOST_ATTACHMENTS)
      .map(attached),
    is_reaction: parsed.attachments.some(({ contentType }) => isReaction(contentType)),
    automatic: whyAutomatic(parsed.headerLines, envelope_from, from?.address ?? null, reports),
    reports,
  };
}

/** Cut before it is made well-formed, as a cut may go through a character. */
const cut = (text: string, longest = LONGEST_TEXT): string => storableText(cutTo(text, longest));

/** `<a@b>` without its brackets; null for what is no id. */
function bareId(id: string | undefined): string | null {
  const found = /<?([^<>\s]{1,900})>?/.exec(storableText(id ?? ""))?.[1];
  return found ?? null;
}

/**
 * A mail has one From (RFC 5322, 3.6). Of two that differ, one program would show the first and another check the second,
 * so nobody could say whose mail it is.
 */
function requireOneSender(lines: HeaderLines): void {
  const values = lines.filter(({ key }) => key === "from").map(headerValue);
  if (new Set(values).size > 1) throw new Error("the mail has several From headers");
}

function senderOf(from: AddressObject | undefined): IncomingMail["from"] {
  for (const { address, name } of from?.value ?? []) {
    const normalised = normaliseEmail(address ?? "");
    if (normalised)
      return {
        address: normalised,
        name: cut((name ?? "").trim(), 200) || null,
      };
  }
  return null;
}

/** Signatures of a mail, and the part that says how it is encrypted: programs' own, and nobody's files. */
const isSeal = (content_type: string): boolean =>
  /^application\/((x-)?pkcs7-signature|pgp-signature|pgp-encrypted)$/i.test(content_type);

/** Gmail (https://developers.google.com/workspace/gmail/reactions/format). */
const isReaction = (content_type: string): boolean =>
  /^text\/vnd\.google\.email-reaction\+json$/i.test(content_type);

function attached({ filename, contentType, content }: Attachment, index: number) {
  const name = (filename ?? `attachment-${index + 1}`).replace(/[\p{Cc}/\\]/gu, "_");
  return {
    name: cut(name, 200),
    content_type: cut(contentType ?? "application/octet-stream", 100),
    bytes: content,
  };
}

/** The value of a header as it was written, folded lines joined. */
const headerValue = ({ line }: HeaderLines[number]): string =>
  line
    .slice(line.indexOf(":") + 1)
    .replace(/\s+/g, " ")
    .trim();

function headerOf(lines: HeaderLines, name: string): string | null {
  const found = lines.find(({ key }) => key === name);
  return found ? headerValue(found) : null;
}

/**
 * Mails that programs send, and that a program must not answer (RFC 3834 §2; Precedence and X-Auto-Response-Suppress are
 * what older and Microsoft's programs say instead).
 */
function whyAutomatic(
  headers: HeaderLines,
  envelope_from: string | null,
  from: string | null,
  reports: readonly DeliveryReport[],
): string | null {
  const header = (name: string) => headerOf(headers, name)?.toLowerCase() ?? null;
  if (envelope_from !== null && envelope_from.trim() === "") return "its return path is empty";
  if (reports.length > 0) return "it is a delivery report";
  const auto = header("auto-submitted");
  if (auto !== null && !/^no\b/.test(auto)) return `Auto-Submitted: ${auto}`;
  const precedence = header("precedence");
  if (precedence !== null && /bulk|list|junk|auto/.test(precedence)) return `Precedence: ${precedence}`;
  const suppress = header("x-auto-response-suppress");
  if (suppress !== null && /\b(all|autoreply|oof)\b/.test(suppress))
    return `X-Auto-Response-Suppress: ${suppress}`;
  for (const name of [
    "x-autoreply",
    "x-autorespond",
    "x-autoresponder",
    "x-autogenerated",
    "x-vacation",
    "x-auto-reply-from",
    "list-id",
    "list-unsubscribe",
    "feedback-id",
  ]) {
    if (header(name) !== null) return `it has the header ${name}`;
  }
  if (/^multipart\/report/.test(header("content-type") ?? "")) return "it is a report";
  if (from === null) return "it names no sender";
  return ROBOTS.test(from) ? `${from} reads no mail` : null;
}

const ROBOTS = /^(mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|autoreply|auto-reply)([+-].*)?@/;

/** A report's machine-readable parts come as attachments. */
function deliveryReports({ attachments }: Pick<ParsedMail, "attachments">, raw: Buffer): DeliveryReport[] {
  const isStatus = /^message\/(global-)?delivery-status$/i;
  const status = attachments.find(({ contentType }) => isStatus.test(contentType ?? ""));
  if (!status) return [];
  // The mail it is about comes last, whole or its headers; a whole one has been taken apart by now.
  const ids = [...raw.toString("latin1").matchAll(/^message-id:\s*(<[^<>\s]{1,900}>)/gim)].map(([, id]) =>
    bareId(id),
  );
  const message_id = (ids.length > 1 ? ids.at(-1) : ids[0]) ?? null;
  return status.content
    .toString("utf8")
    .split(/\r?\n\s*\r?\n/)
    .filter((block) => field(block, "action") !== null)
    .slice(0, 20)
    .map((block) => ({
      message_id,
      recipient: normaliseEmail((field(block, "final-recipient") ?? "").replace(/^[^;]*;/, "")),
      action: actionOf(field(block, "action") ?? ""),
      code: /\d\.\d{1,3}\.\d{1,3}/.exec(field(block, "status") ?? "")?.[0] ?? null,
      said: cut(field(block, "diagnostic-code") ?? "", 500) || null,
    }));
}

function actionOf(word: string): DeliveryReport["action"] {
  const action = word.toLowerCase();
  return action === "failed" || action === "delayed" || action === "delivered" ? action : "other";
}

/** A field of a header block, folded lines joined. */
function field(block: string, name: string): string | null {
  const found = new RegExp(`^${name}:((?:.*)(?:\\r?\\n[ \\t].*)*)`, "im").exec(block.slice(0, 100_000));
  return found ? storableText((found[1] ?? "").replace(/\s+/g, " ").trim()) : null;
}
