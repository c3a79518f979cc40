import { tryParseJson } from "../base/parse-json.ts";
import { own } from "../expressions/member.ts";
import type { SenderChecks } from "./mail-authenticity.ts";

/**
 * A mail that SendGrid received for us: a form with the whole mail in `email` where the hostname's setting says "post the
 * raw, full MIME message", else with its parts in fields of their own
 * (https://www.twilio.com/docs/sendgrid/for-developers/parsing-email/setting-up-the-inbound-parse-webhook).
 */
export type InboundMail = {
  raw: Buffer;
  envelope: { from: string | null; to: string[] };
  checks: SenderChecks | null;
};

/** null: there is no mail in it, or nobody it went to. */
export async function readInboundMail(body: Buffer, content_type: string): Promise<InboundMail | null> {
  const form = await formOf(body, content_type);
  const envelope = form && envelopeOf(form);
  if (!form || !envelope) return null;
  const checks = {
    envelope_from: envelope.from,
    spf: textOf(form, "SPF") ?? null,
    dkim: textOf(form, "dkim") ?? null,
  };
  const whole = form.get("email");
  if (whole !== null) return { raw: await bytesOf(whole), envelope, checks };
  return textOf(form, "headers") === undefined ? null : { raw: await rebuilt(form), envelope, checks };
}

/**
 * Each byte is read as a character of its own: fields come in the charsets of their mail, and the platform's reader knows
 * UTF-8 only.
 */
async function formOf(body: Buffer, content_type: string): Promise<FormData | null> {
  try {
    const bytes = Buffer.from(body.toString("latin1"));
    return await new Response(bytes, { headers: { "content-type": content_type } }).formData();
  } catch {
    return null;
  }
}

async function bytesOf(value: string | File): Promise<Buffer> {
  return Buffer.from(typeof value === "string" ? value : await value.text(), "latin1");
}

/** `charsets` names the charset of each field that was taken out of the mail; the rest is UTF-8. */
function textOf(form: FormData, name: string, charset = "utf-8"): string | undefined {
  const value = form.get(name);
  return typeof value === "string" ? decoded(value, charset) : undefined;
}

/** What names no charset we know is read as UTF-8: a mail with a few broken letters is better than none. */
function decoded(binary: string, charset: string): string {
  const bytes = Buffer.from(binary, "latin1");
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function charsetsOf(form: FormData): Record<string, unknown> {
  const charsets = tryParseJson(textOf(form, "charsets") ?? "");
  return typeof charsets === "object" ? { ...charsets } : {};
}

/** `{"to":["support@clinic.example"],"from":"ann@example.com"}`: what the mail servers said, not the mail itself. */
function envelopeOf(form: FormData): InboundMail["envelope"] | null {
  const envelope = tryParseJson(textOf(form, "envelope") ?? "");
  const [to, from] = [own(envelope, "to"), own(envelope, "from")];
  const recipients = Array.isArray(to) ? to.filter((address) => typeof address === "string") : [];
  return recipients.length > 0 ? { from: typeof from === "string" ? from : null, to: recipients } : null;
}

/** The mail from its parts again, so that one reader reads all mails. Its own headers stay, those of the parts are new. */
async function rebuilt(form: FormData): Promise<Buffer> {
  const charsets = charsetsOf(form);
  const inCharset = (name: string) => textOf(form, name, String(charsets[name] ?? "utf-8"));
  const html = inCharset("html");
  const files = [...form.values()].filter((value) => typeof value !== "string");
  const attachments = await Promise.all(
    files.map(async (file) => ({
      filename: decoded(file.name, "utf-8"),
      contentType: file.type,
      content: await bytesOf(file),
    })),
  );
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const composer = new MailComposer({
    text: inCharset("text") ?? "",
    ...(html !== undefined && { html }),
    attachments,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const parts = await composer.compile().build();
  const split = parts.indexOf("\r\n\r\n");
  const partHeaders = headerLines(parts.subarray(0, split).toString()).filter(isOfParts);
  const ownHeaders = headerLines(textOf(form, "headers") ?? "").filter((line) => !isOfParts(line));
  const headers = [...ownHeaders, ...partHeaders].join("\r\n");
  return Buffer.concat([Buffer.from(headers), parts.subarray(split)]);
}

/** Each with its folded lines. */
const headerLines = (block: string): string[] =>
  block
    .replaceAll(/\r\n?/g, "\n")
    .trim()
    .split(/\n(?![ \t])/);

const isOfParts = (line: string): boolean => /^(content-|mime-version)/i.test(line);
