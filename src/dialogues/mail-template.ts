import { chooseMessageText, type MessageRule } from "../agents/message-rules.ts";
import type { Snapshot } from "../agents/snapshot.ts";
import { escapeHtml } from "../api/plain-page.ts";
import { cutTo } from "../base/storable.ts";
import { type Lookup, renderTemplate } from "../expressions/template.ts";
import type { MailReader } from "../mime/mail-reader.ts";
import { isHtml } from "../mime/mail-text.ts";

/** The three parts of a mail. */
export type MailWords = { subject: string; text: string; html: string | null };

/**
 * The agent's e-mail template of this moment: its subject, and preamble and the text of the rule that fits best (domain
 * decision 8). A template with tags is HTML: what variables hold is text in it, and the plain part is made of it. null:
 * the agent has none.
 */
export async function templateMail(
  snapshot: Snapshot,
  lookup: Lookup,
  at: Date,
  reader: Pick<MailReader, "plainOfHtml">,
): Promise<MailWords | null> {
  const { message, agent } = snapshot;
  if (message?.type !== "email_template" || !message.subject) return null;
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(agent.timezone)
    .toPlainDateTime();
  const chosen = chooseMessageText({ text: message.text, rules: message.rules as MessageRule[] }, local);
  const parts = [message.preamble, chosen].filter((part): part is string => !!part);
  const subject = oneLine(renderTemplate(message.subject, lookup));
  if (!parts.some(isHtml)) {
    return { subject, text: parts.map((part) => renderTemplate(part, lookup)).join("\n\n"), html: null };
  }
  const html = parts.map((part) => renderTemplate(part, escaped(lookup))).join("\n");
  return { subject, text: await reader.plainOfHtml(html), html };
}

/** Values as text within HTML. */
const escaped =
  (lookup: Lookup): Lookup =>
  (name) => {
    const value = lookup(name);
    if (value === undefined || value === null) return value;
    return escapeHtml(typeof value === "string" ? value : JSON.stringify(value));
  };

const LONGEST_SUBJECT = 250;

/** A header has one line. */
const oneLine = (text: string): string => cutTo(text.replace(/\s+/g, " ").trim(), LONGEST_SUBJECT);

/** "Re: Re: Visit" stays one Re. */
export const replySubject = (subject: string): string =>
  /^(re|aw|sv|antw|res|rv|odp|ynt|vá|r|rif|bls|απ|σχετ|отв|رد|השב|回复|回覆|返信|ตอบ)\s*[:：]/iu.test(subject)
    ? subject
    : oneLine(`Re: ${subject || "your message"}`);
