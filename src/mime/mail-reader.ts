import { PublicError } from "../base/errors.ts";
import { createWorkerPool, type PoolLimits, WorkGivenUp } from "../base/worker-pool.ts";
import type { IncomingMail } from "./mail-message.ts";
import type { CheckedSignatures, KeyRecords } from "./mail-signatures.ts";
import { MOST_HEADER_bytes } from "./mail-text.ts";
import type { MailWork } from "./mail-work.ts";
import type { InboundMail } from "./sendgrid-inbound.ts";

/**
 * Whatever is read of mails and HTML is read here, in threads apart. A mail that can't be read rejects with
 * `UnreadableMail`: it never can be, and its sender must not bring it again. A Fault "unavailable" says to come again.
 */
export type MailReader = {
  mail(raw: Buffer, envelope_from: string | null): Promise<IncomingMail>;
  plainOfHtml(html: string): Promise<string>;
  /** Whose signatures a mail bears, by the keys that were looked up for it. */
  signatures(raw: Buffer, keys: KeyRecords): Promise<CheckedSignatures>;
  /** The mail in a post of SendGrid. */
  inbound(body: Buffer, content_type: string): Promise<InboundMail | null>;
  close(): Promise<void>;
};

export class UnreadableMail extends PublicError {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = "UnreadableMail";
  }
}

/**
 * A mail of 25 MB takes about a second. Two threads, so that one hostile mail at a time leaves another for the rest, and a
 * machine of two cores has one for everything else. A sending server waits ten minutes for its answer (RFC 5321 §4.5.3.2.6);
 * one that is told to come again does so for days.
 */
const LIMITS: PoolLimits = { threads: 2, cpu_ms: 10_000, wall_ms: 300_000, memory_mb: 512, most_waiting: 50 };

/** Who attaches more mails wants them kept, not read. */
const MOST_ATTACHED = 3;

export function createMailReader(limits: Partial<PoolLimits> = {}): MailReader {
  const pool = createWorkerPool<MailWork>(new URL("./mail-work.ts", import.meta.url), {
    ...LIMITS,
    ...limits,
  });
  /** Apart from the mail, which is read though one of them was made to take minutes. */
  const attachedMails = async (files: IncomingMail["attachments"]): Promise<string[]> => {
    const mails = files
      .filter(({ content_type }) => /^message\/(rfc822|global)$/i.test(content_type))
      .slice(0, MOST_ATTACHED);
    if (mails.length === 0) return [];
    const words = pool.run(
      "readAttachedMails",
      mails.map(({ bytes }) => bytes),
    );
    return words.catch((error: unknown) => {
      if (error instanceof WorkGivenUp) return [];
      throw error;
    });
  };
  return {
    async mail(raw, envelope_from) {
      refuseLongHeader(raw);
      const mail = await orUnreadable(pool.run("readMail", raw, envelope_from));
      const attachments = mail.attachments.map((file) => ({ ...file, bytes: asBuffer(file.bytes) }));
      return { ...mail, attachments, attached_mails: await attachedMails(attachments) };
    },
    plainOfHtml: (html) => orUnreadable(pool.run("plainOfHtml", html)),
    async signatures(raw, keys) {
      refuseLongHeader(raw);
      return orUnreadable(pool.run("checkSignatures", raw, keys));
    },
    async inbound(body, content_type) {
      const mail = await orUnreadable(pool.run("readInboundMail", body, content_type));
      return mail && { ...mail, raw: asBuffer(mail.raw) };
    },
    close: pool.close,
  };
}

/** Seen without reading it: a header of megabytes costs seconds of a thread. */
function refuseLongHeader(raw: Buffer): void {
  const beginning = raw.subarray(0, MOST_HEADER_bytes);
  if (raw.length <= MOST_HEADER_bytes || beginning.includes("\r\n\r\n") || beginning.includes("\n\n")) return;
  throw new UnreadableMail(
    `The mail can't be read: its headers are longer than ${MOST_HEADER_bytes / 1024} kB.`,
  );
}

/** Bytes lose their name on the way between threads. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

async function orUnreadable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof WorkGivenUp)) throw error;
    // What broke inside is told to nobody: strangers read the refusal, and tenants its event.
    const why = error.reason === "failed" ? "what it holds breaks off or contradicts itself" : error.message;
    throw new UnreadableMail(`The mail can't be read: ${why}.`, error);
  }
}
