import { sql } from "kysely";
import type { z } from "zod";
import type { Snapshot } from "../agents/snapshot.ts";
import type { TelephonyConfigurations } from "../channels/channel-schema.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Answerer } from "../sessions/answerer.ts";
import type { Engine } from "../sessions/engine.ts";
import { queueIndexing } from "../sessions/index-session-job.ts";
import { loadRedactor } from "../sessions/session-redactor.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import type { SessionState } from "../sessions/variables.ts";

/** The value of `calls.carrier` for calls from a web page, which have no carrier. */
export const BROWSER = "browser";

/** A row of `calls`, with what running the call needs. */
export type CallRow = {
  id: number;
  sub_organization_id: number;
  session_id: number;
  /** Null: an author's call with a draft. */
  channel_id: number | null;
  carrier: string;
  sid: string;
  key: string | null;
  is_outbound: boolean;
  /** The carrier streams its audio to us, and reconnects when our socket breaks. */
  is_streamed: boolean;
  number: string;
  caller_id: string | null;
  voicemail_detection: Record<string, unknown> | null;
  fallback_target: string | null;
  state: "answered" | "open" | "transferring" | "ended";
  leg: number;
  answerer: Answerer | null;
  /** Who wants the call to be hung up, over the API; null: nobody. */
  hung_up_by: string | null;
  transfer_number: string | null;
  transfer_by_agent: boolean | null;
  answered_at: string;
  lease_owner: string | null;
  lease_expires_at: string | null;
  /** Use of our own speech engines, as last stored; null: the carrier's were used, or no line was open yet. */
  hearing_ms: number | null;
  speaking_ms: number | null;
  voice_cost_usd: number | null;
};

/** Timeouts: from the answer or a failed transfer until the line opens, and from a transfer until its result. */
export const OPENING_MS = 2 * 60_000;
export const TRANSFER_MS = 4 * 3_600_000;

export type CallSession = {
  agent_id: number;
  snapshot: Snapshot;
  state: SessionState;
  telephony: z.infer<typeof TelephonyConfigurations> | null;
};

export const CALL_COLUMNS = [
  "id",
  "sub_organization_id",
  "session_id",
  "channel_id",
  "carrier",
  "sid",
  "key",
  "is_outbound",
  "is_streamed",
  "number",
  "caller_id",
  "voicemail_detection",
  "fallback_target",
  "state",
  "leg",
  "answerer",
  "hung_up_by",
  "transfer_number",
  "transfer_by_agent",
  "answered_at",
  "lease_owner",
  "lease_expires_at",
  "hearing_ms",
  "speaking_ms",
  "voice_cost_usd",
] as const;

const selectCalls = (db: Db) => db.selectFrom("calls").select(CALL_COLUMNS).$castTo<CallRow>();

/** Index: calls_sid. If two carriers use the same sid, the newest call is meant. */
export const callOfSid = (db: Db, sid: string, carrier?: string): Promise<CallRow | undefined> =>
  selectCalls(db)
    .where("sid", "=", sid)
    .$if(carrier !== undefined, (query) => query.where("carrier", "=", carrier as string))
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();

export const callOfId = (db: Db, id: number): Promise<CallRow | undefined> =>
  selectCalls(db).where("id", "=", id).executeTakeFirst();

/** The session's running call. */
export const callOfSession = (db: Db, session_id: number): Promise<CallRow | undefined> =>
  selectCalls(db)
    .where("session_id", "=", session_id)
    .where("state", "<>", "ended")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();

/** Whoever holds the line, or opens the next one, hangs up. */
export async function wishHangUp(tx: Tx, id: number, email: string): Promise<void> {
  await tx.updateTable("calls").set({ hung_up_by: email }).where("id", "=", id).execute();
}

/** The session of a call with its snapshot, and its channel's configuration. */
export const sessionOfCall = (db: Db, call: CallRow): Promise<CallSession> =>
  db
    .selectFrom("sessions as s")
    .leftJoin("channels as c", (join) => join.on("c.id", "=", call.channel_id))
    .select([
      "s.agent_id",
      snapshotOf("s").as("snapshot"),
      "s.state",
      sql`c.config -> 'telephony'`.as("telephony"),
    ])
    .where("s.id", "=", call.session_id)
    .$castTo<CallSession>()
    .executeTakeFirstOrThrow();

export async function noteAnswerer(db: Db, id: number, answerer: Answerer): Promise<void> {
  await db.updateTable("calls").set({ answerer }).where("id", "=", id).execute();
}

/** Where our own line has told it meanwhile, that stays. */
export async function noteCarriersAnswerer(db: Db, id: number, answerer: Answerer): Promise<void> {
  await db
    .updateTable("calls")
    .set({ answerer })
    .where("id", "=", id)
    .where("answerer", "is", null)
    .execute();
}

/**
 * What was heard and spoken on it becomes its session's. That is over and may have been indexed already, without this and
 * without the call's last minute: both count in its cost, so it is indexed anew.
 */
export const endCall = (db: Db, id: number, now: Date): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const ended = await tx
      .updateTable("calls")
      .set({ state: "ended", ended_at: now.toISOString(), lease_owner: null, lease_expires_at: null })
      .where("id", "=", id)
      .where("state", "<>", "ended")
      .returning([
        ...(["session_id", "sub_organization_id", "is_outbound"] as const),
        ...(["hearing_ms", "speaking_ms", "voice_cost_usd"] as const),
      ])
      .executeTakeFirst();
    if (!ended) return;
    const { session_id, sub_organization_id, is_outbound, ...used } = ended;
    if (used.hearing_ms !== null)
      await tx.updateTable("sessions").set(used).where("id", "=", session_id).execute();
    if (used.hearing_ms !== null || is_outbound)
      await queueIndexing(tx, { id: session_id, sub_organization_id });
  });

/**
 * Abandoned calls: their process died, the line was never opened, or the result of a transfer never came.
 * Index: calls_running.
 */
export const abandonedCalls = (db: Db, since: Date): Promise<CallRow[]> =>
  selectCalls(db)
    .where("state", "<>", "ended")
    .where("lease_expires_at", "<", since.toISOString())
    .orderBy("lease_expires_at")
    .limit(200)
    .execute();

export const until = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString();

/** A session's last words if they are the agent's; "" if nothing was said yet. */
export async function lastWords(
  { db, vault, clock }: Pick<Engine, "db" | "vault" | "clock">,
  session_id: number,
): Promise<string | null> {
  const last = await lastMessage(db, session_id);
  if (!last) return "";
  if (last.role !== "agent") return null;
  const redactor = await loadRedactor(db, { vault, now: clock.now() }, session_id);
  return redactor.restore(wholeText(last));
}

const lastMessage = (db: Db, session_id: number) =>
  db
    .selectFrom("session_messages")
    .select(["seq", "role", "text", "unheard"])
    .where("session_id", "=", session_id)
    .where("aside", "=", false)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();

const wholeText = ({ text, unheard }: { text: string; unheard: string | null }): string =>
  [text, unheard].filter((part) => part).join(" ");

/** They are said once more from their beginning: what was cut when the line broke is heard now. */
export async function restoreLastWords(db: Db, session_id: number): Promise<void> {
  const last = await lastMessage(db, session_id);
  if (!last?.unheard) return;
  await db
    .updateTable("session_messages")
    .set({ text: wholeText(last), unheard: null })
    .where("session_id", "=", session_id)
    .where("seq", "=", last.seq)
    .execute();
}
