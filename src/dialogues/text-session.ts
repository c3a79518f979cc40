import { sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { Engine } from "../sessions/engine.ts";
import { endAsIdle } from "../turns/end-session.ts";
import { type OnOpen, type SessionStart, startSession } from "../turns/start-session.ts";
import { TEXT_TOO_LATE_MS } from "./outbound/outbound-message.ts";
import type { Medium } from "./text-store.ts";
import type { Correspondence, WrittenTarget } from "./written-target.ts";

/** A dialogue of texts stays open this long without a word, unless its campaign says otherwise. */
const TEXT_TTL_MINUTES = 720;
/** The most that the column holds, some 4,000 years: a campaign may name more, to keep its dialogues open for good. */
const LONGEST_TTL_MINUTES = 2_147_483_647;

/** The dialogue's session that a word of this moment belongs to. Index: text_sessions_dialogue. */
export async function openTextSession(
  db: Db,
  { channel_target_id, source }: Correspondence,
  at: Date,
): Promise<number | null> {
  const newest = await db
    .selectFrom("text_sessions as d")
    .innerJoin("sessions as s", "s.id", "d.session_id")
    .select(["s.id", "s.ended_at", "s.last_activity_at", "d.ttl_minutes"])
    .where("d.channel_target_id", "=", channel_target_id)
    .where("d.source", "=", source)
    .orderBy("d.session_id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!newest || newest.ended_at !== null) return null;
  const until = new Date(newest.last_activity_at).getTime() + newest.ttl_minutes * 60_000;
  return at.getTime() < until ? newest.id : null;
}

/** The last session of a dialogue, over or not. Index: text_sessions_dialogue. */
export async function newestTextSession(
  db: Db,
  { channel_target_id, source }: Correspondence,
): Promise<number | null> {
  const newest = await db
    .selectFrom("text_sessions")
    .select("session_id")
    .where("channel_target_id", "=", channel_target_id)
    .where("source", "=", source)
    .orderBy("session_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return newest?.session_id ?? null;
}

export type TextOpening = {
  target: WrittenTarget;
  medium: Medium;
  source: string;
  /** The carrier's id of the text that opens it; of an outgoing one it comes once it was sent. */
  sid: string;
  opened_by: string;
  is_outbound: boolean;
  campaign_id?: number;
  agent_id?: number;
  is_test?: boolean;
  ttl_minutes?: number | null;
  variables?: Record<string, string>;
  announces?: "at-once" | "in-answer";
};

/** A session for a dialogue that has none open. */
export function startTextSession(engine: Engine, opening: TextOpening, onOpen: OnOpen) {
  const { target, medium, source, opened_by, ttl_minutes, variables } = opening;
  const start: SessionStart = {
    sub_organization_id: target.sub_organization_id,
    agent_id: opening.agent_id ?? target.agent_id,
    channel: medium,
    service: medium,
    type: medium === "sms" ? "sms_twilio_v1" : "whatsapp_v1",
    sid: opening.sid,
    channel_target_id: target.id,
    source,
    target: target.target,
    is_test: opening.is_test ?? target.is_test,
    is_outbound: opening.is_outbound,
    campaign_id: opening.campaign_id ?? null,
    // The carrier names who writes.
    verified: true,
    ...(variables && { variables }),
    announces: opening.announces ?? "at-once",
  };
  return startSession(engine, start, async (tx, session) => {
    await tx
      .insertInto("text_sessions")
      .values({
        session_id: session.session_id,
        channel_target_id: target.id,
        source,
        ttl_minutes: Math.min(ttl_minutes ?? TEXT_TTL_MINUTES, LONGEST_TTL_MINUTES),
        opened_by,
      })
      .execute();
    await onOpen(tx, session);
  });
}

/**
 * Closes dialogues in which nobody wrote for as long as they may stay open; run every minute. A text that came in time and
 * still waits for its turn keeps its dialogue open, for as long as an answer to it would be sent.
 */
export async function endIdleTexts(engine: Engine): Promise<number> {
  const now = engine.clock.now();
  const { rows: idle } = await sql<{ id: number; turn_count: number }>`
    select s.id, s.turn_count
    from sessions s join text_sessions d on d.session_id = s.id
    where s.ended_at is null
      and s.last_activity_at < ${now.toISOString()}::timestamptz - d.ttl_minutes * interval '1 minute'
      -- whoever holds it is busy with it
      and (s.lease_owner is null or s.lease_expires_at < ${now.toISOString()})
      and not exists (
        select from text_messages t
        where t.channel_target_id = d.channel_target_id and t.source = d.source
          and t.direction = 'in' and t.status = 'RECEIVED'
          and t.created_at < s.last_activity_at + d.ttl_minutes * interval '1 minute'
          and t.created_at > ${new Date(now.getTime() - TEXT_TOO_LATE_MS).toISOString()})
    limit 500`.execute(engine.db);
  await endAsIdle(engine, idle);
  return idle.length;
}
