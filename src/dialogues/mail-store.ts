import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { ownerOfAddress } from "../channels/mail-domain-store.ts";
import type { HandledOptOut } from "../consent/opt-out.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import type { MailMessages } from "../db/types.ts";
import type { Authenticity } from "../mime/mail-authenticity.ts";
import type { IncomingMail } from "../mime/mail-message.ts";
import { openWords, sealWords } from "../redaction/policy.ts";
import { DAY_MS, type EarlierMessage, type HoldReason } from "./held/loop-guard.ts";
import type { StoredFile } from "./mail-files.ts";
import { type Correspondence, selectTargets, type WrittenTarget } from "./written-target.ts";

const selectMailTargets = (db: Db) => selectTargets(db).where("t.target_mode", "=", "email");

/**
 * Whose address this is. `channel_id`: on this channel, whose own account the mail came through; null: on any channel of
 * the organization that has proven the address's domain, the oldest first.
 */
export async function findMailTarget(
  db: Db,
  address: string,
  channel_id: number | null,
): Promise<WrittenTarget | undefined> {
  const targets = selectMailTargets(db).where(sql<string>`lower(t.target)`, "=", address.toLowerCase());
  if (channel_id !== null) return targets.where("t.channel_id", "=", channel_id).limit(1).executeTakeFirst();
  const owner = await ownerOfAddress(db, address);
  if (owner === null) return undefined;
  return targets
    .innerJoin("channels as c", "c.id", "t.channel_id")
    .where("c.organization_id", "=", owner)
    .orderBy("t.id")
    .limit(1)
    .executeTakeFirst();
}

/** Whether an agent of this channel's organization, or of the domain's owner, has this address. */
export async function isOurAddress(db: Db, address: string, channel_id: number): Promise<boolean> {
  const ofOrganization = await selectMailTargets(db)
    .innerJoin("channels as c", "c.id", "t.channel_id")
    .where(sql<string>`lower(t.target)`, "=", address.toLowerCase())
    .where("c.organization_id", "=", (eb) =>
      eb.selectFrom("channels").select("organization_id").where("id", "=", channel_id),
    )
    .limit(1)
    .executeTakeFirst();
  return ofOrganization !== undefined || (await findMailTarget(db, address, null)) !== undefined;
}

export const mailTargetById = (db: Db, id: number): Promise<WrittenTarget | undefined> =>
  selectMailTargets(db).where("t.id", "=", id).executeTakeFirst();

/** One address of each sub-organization that has some on a channel. */
export const mailTargetsOf = (db: Db, channel_id: number): Promise<WrittenTarget[]> =>
  selectMailTargets(db)
    .where("t.channel_id", "=", channel_id)
    .distinctOn("t.sub_organization_id")
    .orderBy("t.sub_organization_id")
    .orderBy("t.id")
    .execute();

const MAIL_COLUMNS = [
  "id",
  "key",
  "sub_organization_id",
  "channel_id",
  "channel_target_id",
  "session_id",
  "state",
  "message_id",
  "in_reply_to",
  "thread_ids",
  "from_address",
  "from_name",
  "to_address",
  "subject",
  "text",
  "new_text",
  "html",
  "sealed_words",
  "attachments",
  "authenticity",
  "answers",
  "carrier_sid",
  "channel_status",
  "released",
  "created_at",
] as const;

export type StoredMail = Omit<Awaited<ReturnType<typeof selectOne>>, "attachments" | "authenticity"> & {
  attachments: StoredFile[];
  authenticity: Authenticity | null;
};

const selectOne = (db: Db) => db.selectFrom("mail_messages").select(MAIL_COLUMNS).executeTakeFirstOrThrow();

const selectMails = (db: Db) => db.selectFrom("mail_messages").select(MAIL_COLUMNS).$castTo<StoredMail>();

/** A waiting mail with its words as they came, or as they are to go out. */
export function openMail(vault: Vault, mail: StoredMail): StoredMail {
  const { subject, text, new_text, html } = mail;
  return { ...mail, ...openWords(vault, { subject, text, new_text, html }, mail.sealed_words) };
}

/** The name under which a turn hears a mail. */
export const messageId = (mail: Pick<StoredMail, "id">): string => `mail-${mail.id}`;

export const mailByKey = (db: Db, key: string): Promise<StoredMail | undefined> =>
  selectMails(db).where("key", "=", key).executeTakeFirst();

export const mailById = (db: Db, id: number): Promise<StoredMail> =>
  selectMails(db).where("id", "=", id).executeTakeFirstOrThrow();

/**
 * What a correspondence waits for, in the order it came: mails to be answered, answers to be sent, and answers that a
 * process died over. A campaign's mails are its own to send.
 */
export const waitingMails = (
  db: Db,
  { channel_target_id, source }: Correspondence,
  state: "received" | "queued" | "handing",
): Promise<StoredMail[]> =>
  selectMails(db)
    .where("channel_target_id", "=", channel_target_id)
    .where("state", "=", sql.lit(state))
    .where((mail) => mail.or([mail("direction", "=", "in"), mail("answers", "is not", null)]))
    .where(state === "received" ? "from_address" : "to_address", "=", source)
    .orderBy("id")
    .limit(100)
    .execute();

type NewReceivedMail = {
  key: string;
  target: WrittenTarget;
  mail: IncomingMail & { from: NonNullable<IncomingMail["from"]>; authenticity: Authenticity };
  files: StoredFile[];
  session_id: number | null;
  state: "received" | "ignored";
  note: string | null;
};

/** Undefined: this mail was stored before. */
export async function insertReceived(
  tx: Tx,
  vault: Vault,
  received: NewReceivedMail,
  now: Date,
): Promise<number | undefined> {
  const { key, target, mail, files, session_id, state, note } = received;
  const { subject, text, html, attached_mails } = mail;
  const new_text =
    attached_mails.length === 0
      ? mail.new_text
      : [mail.new_text || text, ...attached_mails].join("\n\n").trim();
  const { words, sealed } = await sealWords(tx, vault, { ...target, now }, { subject, text, new_text, html });
  const row = await tx
    .insertInto("mail_messages")
    .values({
      key,
      sub_organization_id: target.sub_organization_id,
      channel_id: target.channel_id,
      channel_target_id: target.id,
      session_id,
      direction: "in",
      state,
      note,
      message_id: mail.message_id,
      in_reply_to: mail.in_reply_to,
      thread_ids: mail.thread_ids,
      from_address: mail.from.address,
      from_name: mail.from.name,
      to_address: target.target,
      ...words,
      sealed_words: state === "received" ? sealed : null,
      attachments: json(files),
      authenticity: json(mail.authenticity),
      created_at: now.toISOString(),
    })
    .onConflict((conflict) =>
      conflict
        .columns(["channel_target_id", "message_id"])
        // Written out: a prepared statement's own plan can't match a value it is yet to be given with a partial index.
        .where("direction", "=", sql.lit("in"))
        .doNothing(),
    )
    .returning("id")
    .executeTakeFirst();
  return row?.id;
}

type MailState = Selectable<MailMessages>["state"];
export type MailChange = {
  state?: MailState;
  note?: string | null;
  held?: HoldReason | null;
  held_in?: number | null;
  released?: boolean;
  session_id?: number | null;
  carrier_sid?: string;
  channel_status?: ChannelStatus | RawBuilder<ChannelStatus>;
  sent_at?: string;
};

/** Changes a mail, where it stands in `from` if that is given; whether it did. */
export async function updateMail(db: Db, id: number, change: MailChange, from?: MailState): Promise<boolean> {
  const update = db.updateTable("mail_messages").set(change).where("id", "=", id);
  const { numUpdatedRows } = await (from ? update.where("state", "=", from) : update).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The session that a mail continues by the mails it follows: ours have ids that nobody can guess. Index: mail_messages_thread. */
export async function sessionOfThread(
  db: Db,
  channel_id: number,
  thread_ids: readonly string[],
): Promise<number | null> {
  if (thread_ids.length === 0) return null;
  const found = await db
    .selectFrom("mail_messages")
    .select("session_id")
    .where("channel_id", "=", channel_id)
    .where("message_id", "=", sql<string>`any(${thread_ids}::text[])`)
    .where("direction", "=", sql.lit("out"))
    .where("session_id", "is not", null)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return found?.session_id ?? null;
}

/** The session in which somebody's last mail to one of our addresses was read. Index: mail_messages_heard. */
export async function newestMailSession(
  db: Db,
  { channel_target_id, from_address, id }: StoredMail,
): Promise<number | null> {
  const newest = await db
    .selectFrom("mail_messages")
    .select("session_id")
    .where("channel_target_id", "=", channel_target_id)
    .where("from_address", "=", from_address)
    .where("direction", "=", sql.lit("in"))
    .where("session_id", "is not", null)
    .where("id", "<", id)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.session_id ?? null;
}

/** Whether an opt-out word came from the sender of this mail after it. Index: mail_messages_sender. */
export async function saidStopAfter(
  db: Db,
  { sub_organization_id, from_address, id }: StoredMail,
): Promise<boolean> {
  const found = await db
    .selectFrom("mail_messages")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("from_address", "=", from_address)
    .where("direction", "=", sql.lit("in"))
    .where("id", ">", id)
    .where("state", "=", "answered")
    .where("note", "=", "suppressed" satisfies HandledOptOut["effect"])
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** What somebody has written to one of our addresses within the day before a mail, oldest first. Index: mail_messages_heard. */
export async function heardBefore(
  db: Db,
  { channel_target_id, from_address, id, created_at }: StoredMail,
): Promise<EarlierMessage[]> {
  const since = new Date(new Date(created_at).getTime() - DAY_MS).toISOString();
  const rows = await db
    .selectFrom("mail_messages")
    .select([
      sql<string>`left(coalesce(nullif(new_text, ''), text), ${MOST_COMPARED})`.as("words"),
      "held",
      "created_at",
    ])
    .where("channel_target_id", "=", channel_target_id)
    .where("from_address", "=", from_address)
    .where("direction", "=", sql.lit("in"))
    // What was ignored for another reason had no answer.
    .where((mail) => mail.or([mail("state", "=", "answered"), mail("held", "is not", null)]))
    .where("id", "<", id)
    .where("created_at", ">", since)
    .orderBy("id", "desc")
    .limit(MOST_HEARD)
    .execute();
  return rows.reverse().map(({ words, held, created_at: at }) => ({ words, held, at: new Date(at) }));
}
/** More than a day has answers for, and of each what it is known by. */
const MOST_HEARD = 100;
const MOST_COMPARED = 2_000;
