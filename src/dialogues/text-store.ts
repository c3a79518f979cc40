import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Vault } from "../base/crypto.ts";
import type { CarrierSignal, OutgoingText } from "../channels/carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { MESSAGE_OVER, MESSAGE_PROGRESS, messageProgress } from "../channels/message-progress.ts";
import { type Db, json, jsonOrNull, type Tx } from "../db/database.ts";
import { openWords, sealWords } from "../redaction/policy.ts";
import { DAY_MS, type EarlierMessage, type HoldReason } from "./loop-guard.ts";
import { type OutboundChange, type OutboundState, transition } from "./outbound/outbound-message.ts";
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

/** Not shown by the carrier for so long that it never had it; what the carrier says of it after all is believed. */
export const NOT_SENT = { status: "DELIVERY_FAILED", error_code: "not-sent" } as const;

/** How a text's columns say where it is on its way out; of one that is sent or failed, its carrier's status says more. */
const STANDS: Partial<Record<OutboundState, RawBuilder<SqlBool>>> = {
  queued: sql`status = 'PENDING' and asked_at is null`,
  handing: sql`status = 'PENDING' and asked_at is not null`,
  unknown: sql`error_code = ${NOT_SENT.error_code}`,
};

/** Makes a change of an outgoing text's life, where it stands so that the change is possible; whether it did. */
export async function moveText(
  db: Db,
  id: number,
  change: Exclude<OutboundChange, "taken" | "told">,
  failed: { status?: ChannelStatus; error_code?: string },
  now: Date,
): Promise<boolean> {
  const { from, to } = transition(change);
  const asked_at = to === "handing" ? now.toISOString() : to === "queued" ? null : undefined;
  const { numUpdatedRows } = await db
    .updateTable("text_messages")
    .set({ ...failed, ...(asked_at !== undefined && { asked_at }), updated_at: now.toISOString() })
    .where("id", "=", id)
    .where((row) => row.or(from.flatMap((state) => STANDS[state] ?? [])))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What a try says beyond its first text goes under that one's key, and waits until the carrier has it. */
export const followingKey = (key: string, n: number): string => `${key}-${n}`;
export const isFollowing = (text: { key: string }, first: { key: string }): boolean =>
  text.key.startsWith(`${first.key}-`);

/** A try's text that was not sent takes those that were to follow it along. */
export async function giveUpTry(
  db: Db,
  { id, key, channel_target_id, source }: { id: number; key: string } & Correspondence,
  { status, error_code }: { status: ChannelStatus; error_code: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable("text_messages")
    .set({ status, error_code, updated_at: now.toISOString() })
    .where("channel_target_id", "=", channel_target_id)
    .where("source", "=", source)
    .where((row) =>
      row.or([
        row("id", "=", id),
        row.and([row("status", "=", "PENDING"), sql<boolean>`starts_with(key, ${`${key}-`})`]),
      ]),
    )
    .execute();
}

/** Of these carrier's names, those of other texts that went to this person from here. Index: text_messages_dialogue. */
export async function otherTextSids(
  db: Db,
  { id, channel_target_id, source }: { id: number } & Correspondence,
  sids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("text_messages")
    .select("sid")
    .where("channel_target_id", "=", channel_target_id)
    .where("source", "=", source)
    .where("id", "<>", id)
    .where("sid", "in", sids)
    .execute();
  return new Set(rows.flatMap(({ sid }) => sid ?? []));
}

/** The carrier has it. A callback may have told more already: then its word stands. */
export async function markTaken(
  db: Db,
  id: number,
  { sid, status }: { sid: string; status: ChannelStatus },
  now: Date,
): Promise<void> {
  await db
    .updateTable("text_messages")
    .set((row) => ({
      sid,
      status: row
        .case()
        .when(row.or([row("status", "=", "PENDING"), row("error_code", "=", NOT_SENT.error_code)]))
        .then(status)
        .else(row.ref("status"))
        .end(),
      error_code: sql`nullif(error_code, ${NOT_SENT.error_code})`,
      updated_at: now.toISOString(),
    }))
    .where("id", "=", id)
    .execute();
}

/**
 * What carriers tell of texts, many at once in one statement. Said twice, late or out of order, it changes nothing: a
 * word only moves a text on (message-progress.ts). Resolves with those of no text that we sent over that channel. Index:
 * text_messages_key.
 */
export async function applySignals(
  db: Db,
  signals: readonly (CarrierSignal & { key: string; channel_id: number })[],
  now: Date,
): Promise<{ channel_id: number; key: string }[]> {
  const given = signals.map(({ channel_id, key, sid, status, error_code }) => ({
    ...{ channel_id, key, sid, status, error_code },
    step: messageProgress(status),
  }));
  const { rows } = await sql<{ channel_id: number; key: string }>`
    with told as (
      select distinct on (channel_id, key) *
      from json_to_recordset(${JSON.stringify(given)}::json)
        as told (channel_id bigint, key text, sid text, status text, error_code text, step integer)
      order by channel_id, key, step desc
    ), moved as (
      update text_messages t
      set status = told.status, error_code = coalesce(told.error_code, nullif(t.error_code, ${NOT_SENT.error_code})),
        sid = coalesce(t.sid, told.sid), updated_at = ${now.toISOString()}
      from told
      where t.channel_id = told.channel_id and t.direction = 'out' and t.key = told.key
        and (t.error_code = ${NOT_SENT.error_code}
          or coalesce((${JSON.stringify(MESSAGE_PROGRESS)}::jsonb ->> t.status)::int, ${MESSAGE_OVER}::int) < told.step)
    )
    select told.channel_id, told.key from told
    where not exists (
      select from text_messages t
      where t.channel_id = told.channel_id and t.direction = 'out' and t.key = told.key)`.execute(db);
  return rows;
}
