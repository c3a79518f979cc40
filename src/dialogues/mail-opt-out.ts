import type { Vault } from "../base/crypto.ts";
import { randomId } from "../base/ids.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { type HandledOptOut, handleOptOut } from "../consent/opt-out.ts";
import { readOptOut } from "../consent/opt-out-words.ts";
import { suppressed } from "../consent/suppression.ts";
import type { Db, Tx } from "../db/database.ts";
import type { IncomingMail } from "../mime/mail-message.ts";
import { redactForGood } from "../redaction/policy.ts";
import { sessionLanguage } from "../sessions/session-language.ts";
import { messageId, type StoredMail, saidStopAfter, updateMail } from "./mail-store.ts";
import { replySubject } from "./mail-template.ts";
import { insertOutgoing } from "./outbound/mail-out-store.ts";
import type { WrittenTarget } from "./written-target.ts";

/** A mail that was just stored. `session_id`: the one that it goes on with. */
type StoredNow = {
  id: number;
  target: WrittenTarget;
  mail: Pick<IncomingMail, "new_text" | "subject" | "message_id" | "thread_ids"> & {
    from: { address: string };
  };
  session_id: number | null;
};

/** Does what a mail asks for that is an opt-out word, before any model reads it: the mail is answered with that. */
export async function doOptOut(tx: Tx, vault: Vault, stored: StoredNow, now: Date): Promise<void> {
  const { id, target, mail, session_id } = stored;
  const before = await suppressed(tx, target.sub_organization_id, "email", [mail.from.address]);
  const optOut = await optOutOf(tx, vault, stored, now);
  if (!optOut) return;
  await updateMail(tx, id, { state: "answered", note: optOut.effect });
  // Said once more, it is not confirmed once more: the other side may be a program.
  const changed = optOut.effect === "restored" || before.size === 0;
  // Confirmed to those we wrote to before; a forged STOP must not make us write to a stranger.
  if (optOut.reply === null || !changed || session_id === null) return;
  await insertOutgoing(
    tx,
    vault,
    {
      key: randomId(),
      target,
      session_id,
      from_name: target.agent_name,
      to_address: mail.from.address,
      subject: replySubject(mail.subject),
      text: optOut.reply,
      html: null,
      answers: id,
      in_reply_to: mail.message_id,
      thread_ids: [...mail.thread_ids, mail.message_id],
    },
    now,
  );
}

/** START by mail has to answer a mail of ours: a sender's address is easily forged. */
async function optOutOf(
  tx: Tx,
  vault: Vault,
  { target, mail, session_id }: StoredNow,
  now: Date,
): Promise<HandledOptOut | null> {
  const text = mail.new_text !== "" ? mail.new_text : mail.subject;
  if (session_id === null && readOptOut(text)?.kind === "start") return null;
  return handleOptOut(
    tx,
    {
      sub_organization_id: target.sub_organization_id,
      medium: "email",
      address: mail.from.address,
      text: await redactForGood(tx, vault, { ...target, now }, text),
      answered_as: null,
      at: now,
      session_id,
      message_id: mail.message_id,
      language: await sessionLanguage(tx, session_id),
      sender_name: target.agent_name,
    },
    now,
  );
}

/**
 * Whether somebody has opted out since they wrote this mail; undefined where its answer may go to them. Who was on the list
 * before has written anew, and is answered until they say it once more. What the mail itself asked for, in words for the
 * agent, is confirmed by its answer.
 */
export async function optedOutSince(db: Db, mail: StoredMail): Promise<ChannelStatus | undefined> {
  const { sub_organization_id, from_address, created_at } = mail;
  const prior = async (since?: { at: Date; but: string }) =>
    (await suppressed(db, sub_organization_id, "email", [from_address], since)).get(from_address);
  const since = { at: new Date(created_at), but: messageId(mail) };
  return (await prior(since)) ?? ((await saidStopAfter(db, mail)) ? prior() : undefined);
}
