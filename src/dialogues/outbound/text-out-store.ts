import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { CarrierSignal, Taken } from "../../channels/carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { MESSAGE_OVER, MESSAGE_PROGRESS, messageProgress } from "../../channels/message-progress.ts";
import type { Db } from "../../db/database.ts";
import type { Correspondence } from "../written-target.ts";
import { type OutboundChange, type OutboundState, transition } from "./outbound-message.ts";
import { UNDELIVERED, type Undelivered } from "./undelivered.ts";

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
  { sid, status, failure }: Taken,
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
      error_code: sql`coalesce(nullif(error_code, ${NOT_SENT.error_code}), ${failure?.error_code ?? null}::text)`,
      updated_at: now.toISOString(),
    }))
    .where("id", "=", id)
    .execute();
}

/**
 * What carriers tell of texts, many at once in one statement. Said twice, late or out of order, it changes nothing: a
 * word only moves a text on (message-progress.ts). Resolves with those of no text that we sent over that channel, and with
 * answers that did not arrive. Index: text_messages_key.
 */
export async function applySignals(
  db: Db,
  signals: readonly (CarrierSignal & { key: string; channel_id: number })[],
  now: Date,
): Promise<{ unknown: SignalName[]; undelivered: Undelivered[] }> {
  const given = signals.map(({ channel_id, key, sid, status, error_code, our_fault }) => ({
    channel_id,
    key,
    sid,
    status,
    error_code,
    our_fault,
    step: messageProgress(status),
  }));
  const { rows } = await sql<SignalName & { undelivered: Undelivered | null }>`
    with told as (
      select distinct on (channel_id, key) *
      from json_to_recordset(${JSON.stringify(given)}::json)
        as told (channel_id bigint, key text, sid text, status text, error_code text, our_fault text, step integer)
      order by channel_id, key, step desc
    ), moved as (
      update text_messages t
      set status = told.status, error_code = coalesce(told.error_code, nullif(t.error_code, ${NOT_SENT.error_code})),
        sid = coalesce(t.sid, told.sid), updated_at = ${now.toISOString()}
      from told
      where t.channel_id = told.channel_id and t.direction = 'out' and t.key = told.key
        and (t.error_code = ${NOT_SENT.error_code}
          or coalesce((${JSON.stringify(MESSAGE_PROGRESS)}::jsonb ->> t.status)::int, ${MESSAGE_OVER}::int) < told.step)
      returning t.*, told.our_fault
    )
    select told.channel_id, told.key, null::json as undelivered from told
    where not exists (
      select from text_messages t
      where t.channel_id = told.channel_id and t.direction = 'out' and t.key = told.key)
    union all
    select channel_id, key, json_build_object('sub_organization_id', sub_organization_id, 'session_id', session_id,
      'channel', medium, 'person', source, 'status', status, 'why', coalesce(our_fault, 'error ' || error_code))
    from moved where purpose = 'answer' and status = any(${UNDELIVERED}::text[])`.execute(db);
  return {
    unknown: rows.filter(({ undelivered }) => undelivered === null),
    undelivered: rows.flatMap(({ undelivered }) => undelivered ?? []),
  };
}

type SignalName = { channel_id: number; key: string };
