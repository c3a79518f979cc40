import { serveWork } from "../base/worker-work.ts";
import { readAttachedMails } from "./attached-mails.ts";
import { plainOfHtml } from "./html-words.ts";
import { readMail } from "./mail-message.ts";
import { checkSignatures } from "./mail-signatures.ts";
import { readInboundMail } from "./sendgrid-inbound.ts";

/* The beginning of a thread that reads what strangers send (mail-reader.ts). Bytes come as plain arrays of them. */

const work = {
  readMail: (raw: Uint8Array, envelope_from: string | null) => readMail(bytesOf(raw), envelope_from),
  readAttachedMails: (mails: readonly Uint8Array[]) => readAttachedMails(mails.map(bytesOf)),
  plainOfHtml,
  checkSignatures: (raw: Uint8Array, keys: Parameters<typeof checkSignatures>[1]) =>
    checkSignatures(bytesOf(raw), keys),
  readInboundMail: (body: Uint8Array, content_type: string) => readInboundMail(bytesOf(body), content_type),
};
export type MailWork = typeof work;

const bytesOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

serveWork(work);
