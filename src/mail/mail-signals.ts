import { isNews, type MailSignal, suppressionOf } from "../channels/sendgrid-events.ts";
import { suppress } from "../channels/suppression.ts";
import type { MailParts } from "./mail-parts.ts";
import { mailByKey, type StoredMail, updateMail } from "./mail-store.ts";

/**
 * What became of mails, as carriers and mail servers tell it: kept at the mail, on the suppression list where it is about
 * the address, and told to campaigns. Safe with signals that come twice, late, out of order or for mails that never were;
 * and for mails beside what they may be `about`: the channel whose account signed them, and the session whose address
 * they came to. Each recipient knows the key of a mail, and a tenant's own account may sign anything.
 */
export async function takeMailSignals(
  parts: Pick<MailParts, "engine" | "attempts">,
  about: { channel_id: number; session_id?: number },
  signals: readonly MailSignal[],
): Promise<void> {
  const ours: MailSignal[] = [];
  for (const signal of signals) {
    const mail = signal.key === null ? undefined : await mailByKey(parts.engine.db, signal.key);
    const { channel_id, session_id = mail?.session_id } = about;
    if (mail?.channel_id !== channel_id || mail.session_id !== session_id) {
      const { sid, word } = signal;
      parts.engine.log.info({ ...about, sid, word }, "what was told of a mail is about none of ours here");
      continue;
    }
    await takeSignal(parts, mail, signal);
    ours.push(signal);
  }
  if (ours.length > 0) await parts.attempts.signal(ours);
}

async function takeSignal(
  { engine }: Pick<MailParts, "engine">,
  mail: StoredMail,
  signal: MailSignal,
): Promise<void> {
  const reason = suppressionOf(signal);
  const now = engine.clock.now();
  await engine.db.transaction().execute(async (tx) => {
    if (isNews(mail.channel_status, signal.status)) {
      await updateMail(tx, mail.id, { channel_status: signal.status });
    }
    // A mail of unknown fate was taken after all.
    await updateMail(tx, mail.id, { state: "sent", sent_at: signal.at.toISOString() }, "unknown");
    if (reason === null) return;
    const isWish = reason === "unsubscribed" || reason === "spam-report";
    const proof = {
      at: signal.at,
      through: "carrier",
      said: signal.reason ?? signal.word,
      session_id: mail.session_id,
      message_id: mail.message_id,
    } as const;
    const { sub_organization_id, to_address: address } = mail;
    await suppress(
      tx,
      [{ sub_organization_id, address, scope: isWish ? "all" : "email", reason, proof }],
      now,
    );
  });
}
