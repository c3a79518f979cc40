import { sql } from "kysely";
import type { Vault } from "../../base/crypto.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { type Db, json, type Tx } from "../../db/database.ts";
import { sealWords } from "../../redaction/policy.ts";
import type { MailChange, StoredMail } from "../mail-store.ts";
import type { WrittenTarget } from "../written-target.ts";
import { type OutboundChange, transition } from "./outbound-message.ts";

export type NewMail = {
  key: string;
  target: Pick<WrittenTarget, "id" | "sub_organization_id" | "channel_id" | "agent_id" | "target">;
  session_id: number | null;
  from_name: string | null;
  to_address: string;
  subject: string;
  text: string;
  html: string | null;
  answers: number | null;
  in_reply_to: string | null;
  thread_ids: string[];
};

/** A mail to be sent. One whose key, or whose question's answer, is there already is left as it is. */
export async function insertOutgoing(tx: Tx, vault: Vault, mail: NewMail, now: Date): Promise<void> {
  const { target, subject, text, html, ...row } = mail;
  const { words, sealed } = await sealWords(tx, vault, { ...target, now }, { subject, text, html });
  const domain = target.target.split("@")[1] ?? "localhost";
  await tx
    .insertInto("mail_messages")
    .values({
      ...row,
      ...words,
      sealed_words: sealed,
      sub_organization_id: target.sub_organization_id,
      channel_id: target.channel_id,
      channel_target_id: target.id,
      from_address: target.target,
      direction: "out",
      state: "queued",
      message_id: `${mail.key}@${domain}`,
      attachments: json([]),
      created_at: now.toISOString(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Makes a change of an outgoing mail's life, where it stands so that the change is possible; whether it did. */
export async function moveMail(
  db: Db,
  id: number,
  change: OutboundChange,
  more: Omit<MailChange, "state"> = {},
): Promise<boolean> {
  const { from, to } = transition(change);
  const { numUpdatedRows } = await db
    .updateTable("mail_messages")
    .set({ ...more, state: to })
    .where("id", "=", id)
    .where("state", "in", from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What is to be known of a mail to take in what is told of it. */
export type ToldMail = Pick<
  StoredMail,
  | "id"
  | "key"
  | "sub_organization_id"
  | "session_id"
  | "message_id"
  | "to_address"
  | "channel_status"
  | "answers"
>;

/** Those of these keys that went over this channel, locked in one order. Index: mail_messages_key. */
export const lockMails = (tx: Tx, channel_id: number, keys: readonly string[]): Promise<ToldMail[]> =>
  tx
    .selectFrom("mail_messages")
    .select([
      "id",
      "key",
      "sub_organization_id",
      "session_id",
      "message_id",
      "to_address",
      "channel_status",
      "answers",
    ])
    .where("key", "=", sql<string>`any(${keys}::text[])`)
    .where("channel_id", "=", channel_id)
    .orderBy("id")
    .forUpdate()
    .execute();

/** Keeps how these mails stand. One whose fate was not known was taken, as somebody tells of it. */
export async function updateMails(
  tx: Tx,
  mails: readonly { id: number; channel_status: ChannelStatus | null; told_at: Date }[],
): Promise<void> {
  const { from, to } = transition("told");
  await sql`
    update mail_messages m set channel_status = told.channel_status,
      state = case when m.state = any(${from}::text[]) then ${to} else m.state end,
      sent_at = case when m.state = any(${from}::text[]) then told.told_at else m.sent_at end
    from json_to_recordset(${JSON.stringify(mails)}::json)
      as told (id bigint, channel_status text, told_at timestamptz)
    where m.id = told.id
      and (m.state = any(${from}::text[]) or m.channel_status is distinct from told.channel_status)`.execute(
    tx,
  );
}
