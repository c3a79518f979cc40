import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { z } from "zod";
import type { Snapshot } from "../agents/snapshot.ts";
import type { CallLine } from "../channels/call-socket.ts";
import type { TelephonyConfigurations } from "../channels/channel.ts";
import type { Db, Tx } from "../db/database.ts";
import { recordset } from "../db/recordset.ts";
import { Leases } from "../jobs/lease.ts";
import { bothUses, NO_USE, type VoiceUse } from "../media/voice-use.ts";
import type { Answerer } from "../sessions/answerer-notes.ts";
import type { Engine } from "../sessions/engine.ts";
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

/** A line's lease outlives a few missed renewals. Each renewal also reads who answered. */
const LEASE_MS = 8_000;
const RENEW_MS = 2_000;

const COLUMNS = [
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

const selectCalls = (db: Db) => db.selectFrom("calls").select(COLUMNS).$castTo<CallRow>();

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

/** Stores that the line was opened, once per leg. Undefined: it was open already, or the call has ended. */
export const openLine = (db: Db, id: number, owner: string, end: Date): Promise<CallRow | undefined> =>
  db
    .updateTable("calls")
    .set({ state: "open", lease_owner: owner, lease_expires_at: end.toISOString() })
    .where("id", "=", id)
    .where("state", "=", "answered")
    .returning(COLUMNS)
    .$castTo<CallRow>()
    .executeTakeFirst();

/**
 * The lines that this process holds. `tell` reports who answered, which another process may have learnt from the carrier.
 * The use of speech engines is stored with each renewal, so a process that dies loses two seconds of it.
 */
export const callLeases = (
  { db, clock, log, owner }: Pick<Engine, "db" | "clock" | "log" | "owner">,
  tell: (id: number, news: { answerer: Answerer | null; hung_up_by: string | null }) => void,
  useOf: (id: number) => VoiceUse | null,
): Leases<number> =>
  new Leases(
    {
      of: "calls",
      lease_ms: LEASE_MS,
      renew_ms: RENEW_MS,
      async extend(ids, end) {
        const held = ids.map((id) => ({ id, ...used(useOf(id)) }));
        const { rows: kept } = await sql<Pick<CallRow, "id" | "answerer" | "hung_up_by">>`
          update calls c set lease_expires_at = ${end.toISOString()},
            hearing_ms = coalesce(h.hearing_ms, c.hearing_ms),
            speaking_ms = coalesce(h.speaking_ms, c.speaking_ms),
            voice_cost_usd = case when h.hearing_ms is null then c.voice_cost_usd else h.voice_cost_usd end
          from json_populate_recordset(null::calls, ${recordset<"calls">(held)}::json) as h
          where c.id = h.id and c.lease_owner = ${owner} and c.state = 'open'
          returning c.id, c.answerer, c.hung_up_by`.execute(db);
        for (const { id, ...news } of kept) tell(id, news);
        return kept.map(({ id }) => id);
      },
    },
    { clock, log },
  );

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

const used = (use: VoiceUse | null) =>
  use && {
    hearing_ms: Math.round(use.hearing_ms),
    speaking_ms: Math.round(use.speaking_ms),
    voice_cost_usd: use.cost_usd,
  };

/** When a line is over. Whoever opened the next one has counted on from what was stored before. */
export async function keepUse(db: Db, { id, leg }: CallRow, use: VoiceUse | null): Promise<void> {
  const values = used(use);
  if (!values) return;
  await db.updateTable("calls").set(values).where("id", "=", id).where("leg", "=", leg).execute();
}

/** With what the lines before this one came to. */
export function usedWith(
  { hearing_ms, speaking_ms, voice_cost_usd: cost_usd }: CallRow,
  line: CallLine,
): () => VoiceUse | null {
  const before = hearing_ms === null || speaking_ms === null ? NO_USE : { hearing_ms, speaking_ms, cost_usd };
  return () => (line.use ? bothUses(before, line.use()) : null);
}

/** What was heard and spoken on it becomes its session's. */
export async function endCall(db: Db | Tx, id: number, now: Date): Promise<void> {
  await db
    .with("ended", (cte) =>
      cte
        .updateTable("calls")
        .set({ state: "ended", ended_at: now.toISOString(), lease_owner: null, lease_expires_at: null })
        .where("id", "=", id)
        .where("state", "<>", "ended")
        .returning(["session_id", "hearing_ms", "speaking_ms", "voice_cost_usd"]),
    )
    .updateTable("sessions")
    .from("ended")
    .set(({ ref }) => ({
      hearing_ms: ref("ended.hearing_ms"),
      speaking_ms: ref("ended.speaking_ms"),
      voice_cost_usd: ref("ended.voice_cost_usd"),
    }))
    .whereRef("sessions.id", "=", "ended.session_id")
    .where("ended.hearing_ms", "is not", null)
    .execute();
}

/** Whether any process holds the line's lease now. */
export const isHeld = (call: CallRow, now: Date): boolean =>
  call.state === "open" && call.lease_expires_at !== null && new Date(call.lease_expires_at) > now;

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

/** For an installation of one process: open lines ended with the process before, unless their carrier or page reconnects. */
export async function freeLines(db: Db, now: Date): Promise<void> {
  const comesBack = sql<boolean>`is_streamed or carrier = ${BROWSER}`;
  const over = sql<string>`case when ${comesBack} then ${now.toISOString()}::timestamptz else 'epoch' end`;
  await db.updateTable("calls").set({ lease_expires_at: over }).where("state", "=", "open").execute();
}

export const until = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString();

/** This process's own last writes on a closed line take no longer. */
const SETTLING_MS = 1500;
/**
 * Another process that closed a line had stored before what follows. One whose line broke may still store what was said on
 * it, which takes this long at most; then it counts as dead, and its turn is made again.
 */
const FOREIGN_MS = 250;
const LOOK_MS = 25;

export const settledSoon = async (settled: Promise<void> | undefined): Promise<void> => {
  if (settled !== undefined) await Promise.race([settled, sleep(SETTLING_MS)]);
};

/**
 * The call after the holder of its line has stored the next step. `settled` is set when this process is the holder, and
 * resolves once that is stored.
 */
export async function afterStream(
  db: Db,
  call: CallRow,
  settled: Promise<void> | undefined,
): Promise<CallRow | undefined> {
  await settledSoon(settled);
  const deadline = performance.now() + FOREIGN_MS;
  for (;;) {
    const now = await callOfId(db, call.id);
    if (now?.state !== "open" || settled !== undefined || performance.now() > deadline) return now;
    await sleep(LOOK_MS);
  }
}

/**
 * Lets any process that the carrier or the page reaches reopen a broken line. Undefined: that was done already. A page gets
 * no more time to reconnect than any other broken line. The turn that the line's holder still runs loses its lease, so that
 * the next turn need not wait until that expires; a holder that lives can't store anything of it any more.
 */
export const reopenLine = (db: Db, call: CallRow, now: Date): Promise<{ id: number } | undefined> =>
  db
    .with("reopened", (cte) =>
      cte
        .updateTable("calls")
        .set({
          state: "answered",
          leg: call.leg + 1,
          lease_owner: null,
          lease_expires_at: until(now, call.carrier === BROWSER ? 0 : OPENING_MS),
        })
        .where("id", "=", call.id)
        .where("state", "=", "open")
        .where("leg", "=", call.leg)
        .returning(["id", "session_id"]),
    )
    .with("freed", (cte) =>
      cte
        .updateTable("sessions")
        .from("reopened")
        .set({ lease_owner: null, lease_expires_at: null })
        .whereRef("sessions.id", "=", "reopened.session_id")
        .where(sql<boolean>`starts_with(sessions.lease_owner, ${call.lease_owner} || '/')`),
    )
    .selectFrom("reopened")
    .select("id")
    .executeTakeFirst();

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
