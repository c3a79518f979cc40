import type { Vault } from "../base/crypto.ts";
import type { OutgoingText } from "../channels/carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { type Db, json, jsonOrNull, type Tx } from "../db/database.ts";
import { openWords, sealWords } from "../redaction/policy.ts";
import { DAY_MS, type EarlierMessage, type HoldReason } from "./held/loop-guard.ts";
import { textSegments } from "./outbound/text-segments.ts";
import { type Correspondence, selectTargets, TARGET_COLUMNS, type WrittenTarget } from "./written-target.ts";

export type Medium = OutgoingText["medium"];

/** The target of a number in this medium; undefined where no agent answers it. Index: channel_targets_claim. */
export const findTextTarget = (
  db: Db,
  channel_id: number,
  number: string,
  medium: Medium,
): Promise<WrittenTarget | undefined> =>
  selectTargets(db)
    .where("t.channel_id", "=", channel_id)
    .where("t.target", "=", number)
    .where("t.target_mode", "=", medium)
    .executeTakeFirst();

/** Whose number this is, whatever it is for, and also where its agent is gone. Index: channel_targets_claim. */
export const findNumberOwner = (
  db: Db,
  channel_id: number,
  number: string,
): Promise<WrittenTarget | undefined> =>
  db
    .selectFrom("channel_targets as t")
    .innerJoin("agents as a", "a.id", "t.agent_id")
    .select(TARGET_COLUMNS)
    .where("t.channel_id", "=", channel_id)
    .where("t.target", "=", number)
    .orderBy("t.id")
    .limit(1)
    .executeTakeFirst();

export const textTargetById = (db: Db, id: number): Promise<WrittenTarget | undefined> =>
  selectTargets(db).where("t.id", "=", id).executeTakeFirst();

export type NewText = {
  target: Pick<WrittenTarget, "id" | "sub_organization_id" | "channel_id" | "agent_id" | "target">;
  direction: "in" | "out";
  medium: Medium;
  purpose: "answer" | "opt-out" | "outreach";
  key: string;
  source: string;
  text: string;
  media?: { type: string; url: string }[];
  template?: OutgoingText["template"];
  session_id: number | null;
  status: "RECEIVED" | "ANSWERED" | "PENDING";
  asked_at?: Date;
};

/** Stores a text once; undefined where its key is known, as when a carrier tells of it again. */
export async function insertText(
  tx: Tx,
  vault: Vault,
  text: NewText,
  now: Date,
): Promise<number | undefined> {
  const { target, asked_at, media = [], template = null, ...rest } = text;
  const { words, sealed } = await sealWords(tx, vault, { ...target, now }, { text: rest.text, template });
  const row = await tx
    .insertInto("text_messages")
    .values({
      ...rest,
      text: words.text,
      segments: rest.direction === "out" && rest.medium === "sms" ? textSegments(rest.text) : null,
      sealed_text: rest.status === "ANSWERED" ? null : sealed,
      sub_organization_id: target.sub_organization_id,
      channel_id: target.channel_id,
      channel_target_id: target.id,
      target: target.target,
      media: json(media),
      template: jsonOrNull(words.template),
      asked_at: asked_at?.toISOString() ?? null,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    })
    .onConflict((conflict) => conflict.columns(["channel_id", "direction", "key"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return row?.id;
}

export type StoredText = Awaited<ReturnType<typeof waitingTexts>>[number];

/** What a dialogue still waits for, oldest first. Index: text_messages_waiting. */
export const waitingTexts = (db: Db, dialogue: Correspondence, direction: "in" | "out") =>
  db
    .selectFrom("text_messages")
    .select([
      "id",
      "sub_organization_id",
      "channel_id",
      "channel_target_id",
      "medium",
      "purpose",
      "key",
      "target",
      "source",
      "text",
      "sealed_text",
      "media",
      "template",
      "session_id",
      "asked_at",
      "released",
      "created_at",
    ])
    .where("channel_target_id", "=", dialogue.channel_target_id)
    .where("source", "=", dialogue.source)
    .where("direction", "=", direction)
    .where("status", "=", direction === "in" ? "RECEIVED" : "PENDING")
    .orderBy("id")
    .$narrowType<{ medium: Medium; media: { type: string; url: string }[] }>()
    .execute();

/** A waiting text with its words as they came, or as they are to go out. */
export const openText = <T extends Pick<StoredText, "text" | "template" | "sealed_text">>(
  vault: Vault,
  text: T,
): T => ({
  ...text,
  ...openWords(vault, { text: text.text, template: text.template }, text.sealed_text),
});

/** What a dialogue has said to us within the day before a text, oldest first. Index: text_messages_dialogue. */
export async function heardBefore(
  db: Db,
  { channel_target_id, source, id, at }: Correspondence & { id: number; at: Date },
): Promise<EarlierMessage[]> {
  const since = new Date(at.getTime() - DAY_MS).toISOString();
  const rows = await db
    .selectFrom("text_messages")
    .select(["text as words", "held", "created_at"])
    .where("channel_target_id", "=", channel_target_id)
    .where("source", "=", source)
    .where("direction", "=", "in")
    .where("id", "<", id)
    .where("created_at", ">", since)
    .orderBy("id", "desc")
    .limit(MOST_HEARD)
    .execute();
  return rows.reverse().map(({ words, held, created_at: at }) => ({ words, held, at: new Date(at) }));
}
/** More than a day has answers for, so that a dialogue with thousands is judged by its newest. */
const MOST_HEARD = 300;

export async function updateText(
  db: Db,
  id: number,
  change: Partial<{
    session_id: number | null;
    status: ChannelStatus | "RECEIVED" | "ANSWERED";
    sid: string;
    error_code: string | null;
    asked_at: string | null;
    held: HoldReason | null;
    held_in: number | null;
    released: boolean;
  }>,
  now: Date,
): Promise<void> {
  await db
    .updateTable("text_messages")
    .set({ ...change, updated_at: now.toISOString() })
    .where("id", "=", id)
    .execute();
}
