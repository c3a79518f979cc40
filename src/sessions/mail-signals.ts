import { isNews, type MailSignal, suppressionOf } from "../channels/sendgrid-events.ts";
import { suppress } from "../channels/suppression.ts";
import type { MailParts } from "./mail-parts.ts";
import { mailByKey, type StoredMail, updateMail } from "./mail-store.ts";

/**
 * What became of mails, as carriers and mail servers tell it: kept at the mail, on the suppression list where it is about
 * the address, and told to campaigns. Safe with signals that come twice, late, out of order or for mails that never were.
 */
export async function takeMailSignals(
  parts: Pick<MailParts, "engine" | "attempts">,
  signals: readonly MailSignal[],
): Promise<void> {
  for (const signal of signals) {
    const mail = signal.key === null ? undefined : await mailByKey(parts.engine.db, signal.key);
    if (mail) await takeSignal(parts, mail, signal);
    else
      parts.engine.log.info({ sid: signal.sid, word: signal.word }, "a mail event is about no mail of ours");
  }
  if (signals.length > 0) await parts.attempts.signal([...signals]);
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
