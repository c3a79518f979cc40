import { sql } from "kysely";
import { randomId } from "../base/ids.ts";
import { refusalIsAbout } from "../carriers/mail-refusal.ts";
import type { MailSignal } from "../carriers/sendgrid/sendgrid-events.ts";
import { whyNotOwner } from "../channels/mail-domain-store.ts";
import { type NewEvent, publish } from "../events/event.ts";
import { type Authenticity, judgeSender, type SenderChecks } from "../mime/mail-authenticity.ts";
import type { IncomingMail } from "../mime/mail-message.ts";
import { UnreadableMail } from "../mime/mail-reader.ts";
import { sessionOfAddress } from "../mime/mail-token.ts";
import { enqueueGoOn } from "./mail-dialogue.ts";
import { storeFiles } from "./mail-files.ts";
import { doOptOut } from "./mail-opt-out.ts";
import type { MailParts } from "./mail-parts.ts";
import { tellUnreadable } from "./mail-refused.ts";
import { takeMailSignals } from "./mail-signals.ts";
import {
  findMailTarget,
  insertReceived,
  isOurAddress,
  mailTargetById,
  sessionOfThread,
} from "./mail-store.ts";
import { asks } from "./text-reaction.ts";
import type { WrittenTarget } from "./written-target.ts";

/** What is known of a mail beside its text. */
export type Arrival = {
  /** `from` "": an empty return path; null: not known. */
  envelope: { from: string | null; to: readonly string[] };
  /** Of its sender, by the server that took it; null: nobody looked. */
  checks: SenderChecks | null;
};

/** An address of ours: the agent behind it, and the session that it names by itself. */
export type Recipient = { target: WrittenTarget; session_id: number | null };

/**
 * Whose address this is; null: nobody's. `channel_id`: on this channel only, for a mail that came through its account;
 * null where it came to our own listener.
 */
export async function findRecipient(
  { engine, vault }: Pick<MailParts, "engine" | "vault">,
  address: string,
  channel_id: number | null,
): Promise<Recipient | null> {
  const session_id = sessionOfAddress(vault, address);
  if (session_id === null) {
    const target = await findMailTarget(engine.db, address, channel_id);
    return target ? { target, session_id: null } : null;
  }
  const session = await engine.db
    .selectFrom("sessions")
    .select("channel_target_id")
    .where("id", "=", session_id)
    .executeTakeFirst();
  const target = session?.channel_target_id && (await mailTargetById(engine.db, session.channel_target_id));
  if (!target) return null;
  const isReached =
    channel_id === null
      ? (await whyNotOwner(engine.db, target.channel_id, target.target)) === null
      : target.channel_id === channel_id;
  return isReached ? { target, session_id } : null;
}

/** How a mail was taken: stored to be answered, known already, stored or reported unanswered, or for nobody here. */
export type ReceivedMail = "new" | "known" | "ignored" | "nobody";

/**
 * Takes a mail in, once for each of its recipients, and says so only when it is stored: until then its sender keeps it
 * and sends it again. Rejects with `UnreadableMail` what can't be read and must never come again; its recipients'
 * sub-organizations are told.
 */
export async function receiveMail(
  parts: MailParts,
  raw: Buffer,
  { envelope, checks }: Arrival,
  channel_id: number | null = null,
): Promise<ReceivedMail> {
  const found = await Promise.all(envelope.to.map((address) => findRecipient(parts, address, channel_id)));
  const recipients = found.filter((recipient) => recipient !== null);
  if (recipients.length === 0) return "nobody";
  const mail = await parts.reader.mail(raw, envelope.from).catch(async (error: unknown) => {
    if (error instanceof UnreadableMail) {
      const targets = recipients.map(({ target }) => target);
      await tellUnreadable(parts.engine, targets, envelope.from, error.message);
    }
    throw error;
  });
  if (mail.reports.length > 0) await takeReports(parts, recipients, mail);
  const { from } = mail;
  if (from === null) {
    parts.engine.log.info({ message_id: mail.message_id }, "a mail without a sender was ignored");
    return "ignored";
  }
  const authenticity = judgeSender(from.address, checks);
  let taken: ReceivedMail = "known";
  for (const recipient of recipients) {
    const one = await receiveFor(parts, recipient, { ...mail, from, authenticity });
    if (one !== "known") taken = one;
  }
  return taken;
}

type FromSomebody = IncomingMail & {
  from: NonNullable<IncomingMail["from"]>;
  authenticity: Authenticity;
};

async function receiveFor(
  parts: MailParts,
  { target, session_id }: Recipient,
  mail: FromSomebody,
): Promise<ReceivedMail> {
  const { db, clock, log } = parts.engine;
  if (await isKnown(parts, target, mail.message_id)) return "known";
  const ours = await isOurAddress(db, mail.from.address, target.channel_id);
  const continued = await continuedSession(parts, { target, session_id }, mail);
  const isMere = mail.is_reaction && (continued === null || !(await isAnswer(parts, target, mail)));
  const reaction = isMere ? "it is a reaction to a mail" : null;
  const note = mail.automatic ?? (ours ? "it is from an address of ours" : reaction);
  const key = randomId();
  const bytes = mail.attachments.reduce((sum, file) => sum + file.bytes.length, 0);
  const isKept = bytes === 0 || (await parts.engine.storage.hasRoom(db, target.sub_organization_id, bytes));
  const files = isKept ? await storeFiles(parts, target, mail) : [];
  const full = isKept ? null : await parts.engine.storage.fullText(target.sub_organization_id);
  const now = clock.now();
  const taken = await db.transaction().execute(async (tx): Promise<ReceivedMail> => {
    const state = note === null ? "received" : "ignored";
    const row = { key, target, mail, files, session_id: continued, state, note } as const;
    // Stored before anything follows from it: of two deliveries at once, the second stores nothing and changes nothing.
    const id = await insertReceived(tx, parts.vault, row, now);
    if (id === undefined) return "known";
    if (full !== null)
      await publish(tx, target.sub_organization_id, [filesNotKept(target, mail, { at: now, why: full })]);
    if (note !== null) return "ignored";
    await doOptOut(tx, parts.vault, { id, target, mail, session_id: continued }, now);
    await enqueueGoOn(tx, { channel_target_id: target.id, source: mail.from.address });
    return "new";
  });
  if (note !== null)
    log.info({ target: target.target, from: mail.from.address, note }, "a mail is not answered");
  return taken;
}

/** Of a reaction: whether it answers a question of ours, as by text; to any other nobody waits for an answer. */
async function isAnswer(
  { engine }: MailParts,
  { channel_id }: WrittenTarget,
  { in_reply_to }: FromSomebody,
): Promise<boolean> {
  const about = await engine.db
    .selectFrom("mail_messages")
    .select("text")
    .where("channel_id", "=", channel_id)
    .where("message_id", "=", in_reply_to ?? "")
    .where("direction", "=", sql.lit("out"))
    .executeTakeFirst();
  return about !== undefined && asks(about.text);
}

/** The mail itself is taken and answered. */
const filesNotKept = (
  target: WrittenTarget,
  { from, attachments }: FromSomebody,
  { at, why }: { at: Date; why: string },
): NewEvent => ({
  at,
  source: "api",
  source_id: null,
  category: "limits",
  type: "mail-files-not-kept",
  description: `The files of a mail to ${target.target} were not kept: ${why}`,
  user_id: from.address,
  attributes: { names: attachments.slice(0, 20).map(({ name }) => name) },
});

const isKnown = async ({ engine }: MailParts, target: WrittenTarget, message_id: string): Promise<boolean> =>
  (await engine.db
    .selectFrom("mail_messages")
    .select("id")
    .where("channel_target_id", "=", target.id)
    .where("message_id", "=", message_id)
    .where("direction", "=", sql.lit("in"))
    .executeTakeFirst()) !== undefined;

/**
 * The session that the mail goes on with, by the address it was sent to or the mails it follows. In other hands (a mail
 * that was handed on) either opens a session of its own, so that nobody reads on in somebody else's; and so does a mail
 * that anybody may have written, so that nobody writes on in somebody else's name.
 */
async function continuedSession(
  { engine }: MailParts,
  { target, session_id }: Recipient,
  mail: FromSomebody,
): Promise<number | null> {
  const id = session_id ?? (await sessionOfThread(engine.db, target.channel_id, mail.thread_ids));
  if (id === null) return null;
  if (mail.authenticity.verdict === "unproven") {
    const { from, message_id, authenticity } = mail;
    engine.log.warn(
      { session_id: id, from: from.address, message_id, authenticity },
      "a mail in a session's thread does not prove its sender, and is a session of its own",
    );
    return null;
  }
  const session = await engine.db
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", id)
    .where("channel_target_id", "=", target.id)
    .where("source", "=", mail.from.address)
    .executeTakeFirst();
  return session?.id ?? null;
}

/**
 * A report counts for the mail that it says it is about where it came to that mail's own return path: its address is
 * signed, so whoever sends one has had the mail.
 */
async function takeReports(
  parts: MailParts,
  recipients: readonly Recipient[],
  mail: IncomingMail,
): Promise<void> {
  const signals = reportSignals(mail, parts.engine.clock.now());
  for (const { target, session_id } of recipients) {
    if (session_id !== null)
      await takeMailSignals(parts, { channel_id: target.channel_id, session_id }, signals);
  }
}

/** What a mail server holds against the sender or the mail tells nothing of the address. */
function transience(code: string | null, said: string | null): boolean | null {
  if (refusalIsAbout(`${code ?? ""} ${said ?? ""}`, true) !== "address") return true;
  return code === null ? null : code.startsWith("4");
}

/** What a mail server reports of mails of ours, as any carrier's signals; the key is the left part of our Message-ID. */
function reportSignals({ reports }: IncomingMail, at: Date): MailSignal[] {
  const statuses = { failed: "BOUNCED", delayed: "DEFERRED", delivered: "DELIVERED" } as const;
  return reports.flatMap(({ message_id, recipient, action, code, said }) =>
    action === "other" || message_id === null
      ? []
      : [
          {
            key: message_id.split("@")[0] ?? "",
            sid: message_id,
            status: statuses[action],
            word: action,
            error_code: code,
            is_transient: transience(code, said),
            at,
            address: recipient,
            reason: said,
          },
        ],
  );
}
