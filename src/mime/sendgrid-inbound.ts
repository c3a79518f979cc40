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
  const checks = { envelope_from: envelope.from, spf: textOf(form, "SPF"), dkim: textOf(form, "dkim") };
  const whole = form.get("email");
  if (whole !== null) {
    const raw = typeof whole === "string" ? Buffer.from(whole) : Buffer.from(await whole.arrayBuffer());
    return { raw, envelope, checks };
  }
  return typeof form.get("headers") === "string" ? { raw: await rebuilt(form), envelope, checks } : null;
}

function textOf(form: FormData, name: string): string | null {
  const value = form.get(name);
  return typeof value === "string" ? value : null;
}

async function formOf(body: Buffer, content_type: string): Promise<FormData | null> {
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": content_type } }).formData();
  } catch {
    return null;
  }
}

/** `{"to":["support@clinic.example"],"from":"ann@example.com"}`: what the mail servers said, not the mail itself. */
function envelopeOf(form: FormData): InboundMail["envelope"] | null {
  try {
    const { to, from } = JSON.parse(String(form.get("envelope"))) as { to?: unknown; from?: unknown };
    const recipients = Array.isArray(to) ? to.filter((address) => typeof address === "string") : [];
    return recipients.length > 0 ? { from: typeof from === "string" ? from : null, to: recipients } : null;
  } catch {
    return null;
  }
}

/** The mail from its parts again, so that one reader reads all mails. Its own headers stay, those of the parts are new. */
async function rebuilt(form: FormData): Promise<Buffer> {
  const text = form.get("text");
  const html = form.get("html");
  const files = [...form.values()].filter((value) => typeof value !== "string");
  const attachments = await Promise.all(
    files.map(async (file) => ({
      filename: file.name,
      contentType: file.type,
      content: Buffer.from(await file.arrayBuffer()),
    })),
  );
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const composer = new MailComposer({
    text: typeof text === "string" ? text : "",
    ...(typeof html === "string" && { html }),
    attachments,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const parts = await composer.compile().build();
  const split = parts.indexOf("\r\n\r\n");
  const partHeaders = headerLines(parts.subarray(0, split).toString()).filter(isOfParts);
  const ownHeaders = headerLines(String(form.get("headers"))).filter((line) => !isOfParts(line));
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
