import { sql } from "kysely";
import type { Snapshot } from "../agents/snapshot.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { type Db, isUniqueViolation } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { MOST_INTERRUPTIONS } from "../jobs/interrupted.ts";
import { Leases } from "../jobs/lease.ts";
import type { Engine, HeldSession } from "./engine.ts";
import type { SessionState } from "./variables.ts";

/**
 * One turn at a time per session, across processes: a running turn holds a row lease and renews it. When its process dies,
 * the session is free again after `LEASE_MS`.
 */
export const LEASE_MS = 8_000;
const RENEW_MS = 2_500;
/** How long a message waits for the turn before it, and how often it checks. */
const WAIT_MS = 60_000;
const LOOK_MS = [15, 30, 60, 120, 250];

/** The session as read by the holder of its lease. */
export type LeasedSession = {
  /** The owner value of this lease, which every write of the turn checks. */
  lease: string;
  id: number;
  sub_organization_id: number;
  conversation_id: number;
  channel: string;
  agent_name: string;
  agent_timezone: string;
  prompt_id: number;
  source: string | null;
  target: string | null;
  is_test: boolean;
  is_outbound: boolean;
  verified: boolean;
  claimed_user: string | null;
  user_name: string | null;
  timestamp: string;
  snapshot: Snapshot;
  state: SessionState;
  turn_count: number;
  finished_turn: number;
  next_seq: number;
  /** Turns in a row during which the process died. Web chats only, since other channels count in their job or line. */
  interruptions: number;
};

/** The user's message, stored by the statement that takes the lease, so that a turn begins with one commit; with it the state before. */
type UserMessage = { text: string; client_message_id: string | null };

/** `repeated`: an earlier turn stored the message, and then answered it or died. */
type TakenSession = { session: LeasedSession; repeated: boolean };

/**
 * Takes the session's lease, waiting for a running turn, and stores the message that begins the next one. A session that was
 * set aside can still be ended.
 */
export async function takeLease(
  engine: Engine,
  session_id: number,
  said: UserMessage | null = null,
  purpose: "turn" | "end" = "turn",
): Promise<TakenSession> {
  const deadline = performance.now() + WAIT_MS;
  let repeated = false;
  for (let look = 0; ; look++) {
    try {
      const session = await tryLease(engine, session_id, repeated ? null : said, purpose);
      if (purpose === "turn" && session && session.interruptions >= MOST_INTERRUPTIONS)
        throw await setAside(engine, session);
      if (session) return { session, repeated };
    } catch (error) {
      if (!isUniqueViolation(error, "session_messages_client")) throw error;
      repeated = true;
      continue;
    }
    await explainRefusal(engine, session_id);
    if (performance.now() > deadline) {
      throw new Fault("too-many", "The agent is still answering the message before this one.", {
        retry_after_s: 5,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS[Math.min(look, LOOK_MS.length - 1)]));
  }
}

const READ =
  sql.raw(`id, sub_organization_id, conversation_id, channel, agent_name, agent_timezone, prompt_id, source, target,
  is_test, is_outbound, verified, claimed_user, user_name, timestamp, snapshot, state, turn_count, finished_turn, next_seq,
  interruptions`);

/** The session as its next turn would read it, without taking it; undefined while a turn runs, or once it has ended. */
export async function readForTurn(engine: Engine, session_id: number): Promise<LeasedSession | undefined> {
  const { rows } = await sql<Omit<LeasedSession, "lease">>`
    select ${READ} from sessions
    where id = ${session_id} and ended_at is null and set_aside_at is null and lease_owner is null`.execute(
    engine.db,
  );
  return rows[0] && { ...rows[0], lease: "" };
}

async function tryLease(
  engine: Engine,
  session_id: number,
  said: UserMessage | null,
  purpose: "turn" | "end",
): Promise<LeasedSession | undefined> {
  const now = engine.clock.now();
  const lease = `${engine.owner}/${randomBase62(8)}`;
  const take = sql`
    update sessions
    set lease_owner = ${lease}, lease_expires_at = ${expiry(now)}, last_activity_at = ${now.toISOString()},
      turn_count = turn_count + ${said ? 1 : 0}::int, next_seq = next_seq + ${said ? 1 : 0}::int,
      interruptions = interruptions + (channel = 'chat' and lease_owner is not null)::int
    where id = ${session_id} and ended_at is null and (set_aside_at is null or ${purpose === "end"})
      and (lease_owner is null or lease_expires_at < ${now.toISOString()})
    returning ${READ}`;
  const query = said
    ? sql<Omit<LeasedSession, "lease">>`
        with taken as (${take}), message as (
          insert into session_messages (session_id, seq, turn_index, role, text, lang, timestamp, client_message_id)
          select id, next_seq - 1, turn_count, 'user', ${said.text}::text, state ->> 'language',
            ${now.toISOString()}::timestamptz, ${said.client_message_id}::text
          from taken
        ), begun as (
          insert into sent_records (session_id, turn_index, kind, content, at)
          select id, turn_count, 'state', state, ${now.toISOString()}::timestamptz from taken
          where (select o.stores_requests from sub_organizations s join organizations o on o.id = s.organization_id
            where s.id = taken.sub_organization_id))
        select * from taken`
    : sql<Omit<LeasedSession, "lease">>`${take}`;
  const { rows } = await query.execute(engine.db);
  return rows[0] && { ...rows[0], lease };
}

async function explainRefusal(engine: Engine, session_id: number): Promise<void> {
  const row = await engine.db
    .selectFrom("sessions")
    .select(["ended_at", "set_aside_at"])
    .where("id", "=", session_id)
    .executeTakeFirst();
  if (!row) throw new Fault("not-found", `Session with ID ${session_id} not found`);
  if (row.ended_at) throw new Fault("blocked", "This session has ended.");
  if (row.set_aside_at) throw isSetAside();
}

const isSetAside = (): Fault =>
  new Fault("blocked", "This conversation can't be answered at the moment. Please start a new one.");

/**
 * Sets a web chat aside when the process died in its last two turns. The page would send the same message again at once, and
 * each turn reads the whole history, so it would crash the next process too. An operator has to resume it.
 */
async function setAside(engine: Engine, session: LeasedSession): Promise<Fault> {
  const { id: session_id, sub_organization_id, lease } = session;
  const at = engine.clock.now();
  await engine.db.transaction().execute(async (tx) => {
    const held = await tx
      .updateTable("sessions")
      .set({ lease_owner: null, lease_expires_at: null, set_aside_at: at.toISOString() })
      .where("id", "=", session_id)
      .where("lease_owner", "=", lease)
      .executeTakeFirst();
    if (held.numUpdatedRows === 0n) return;
    await publish(tx, sub_organization_id, [
      {
        at,
        source: "job",
        source_id: session_id,
        category: "platform",
        type: "job_set_aside",
        description: `A web chat is not answered any further: the program stopped ${MOST_INTERRUPTIONS} times while it answered. An operator can let it go on.`,
        session_id,
        attributes: { name: "web-chat", session_id },
      },
    ]);
  });
  engine.log.error({ session_id }, "a web chat was set aside: its process died on it twice");
  return isSetAside();
}

/** The sessions whose turns run in this process. */
export const sessionLeases = (parts: { db: Db; clock: Clock; log: Log }): Leases<HeldSession> =>
  new Leases(
    {
      of: "sessions",
      lease_ms: LEASE_MS,
      renew_ms: RENEW_MS,
      extend: (held, end) => extendLeases(parts.db, held, end),
    },
    parts,
  );

/** Skips locked rows: such a session is being written by its own turn, and the next round renews it. */
async function extendLeases(db: Db, held: HeldSession[], end: Date): Promise<HeldSession[]> {
  const ids = held.map(({ id }) => id);
  const leases = held.map(({ lease }) => lease);
  const { rows } = await sql<{ lease: string }>`
    with held as (
      select s.id, h.lease from unnest(${ids}::bigint[], ${leases}::text[]) as h (id, lease)
      join sessions s on s.id = h.id and s.lease_owner = h.lease
    ), extended as (
      update sessions s set lease_expires_at = ${end.toISOString()}::timestamptz
      from (
        select s.id from held join sessions s on s.id = held.id and s.lease_owner = held.lease
        for no key update of s skip locked
      ) as free
      where s.id = free.id
    )
    select lease from held`.execute(db);
  const kept = new Set(rows.map(({ lease }) => lease));
  return held.filter(({ lease }) => kept.has(lease));
}

/** Releases the lease without a result, after a failed turn. Does nothing when the lease was lost. */
export async function releaseLease(engine: Engine, { id, lease }: HeldSession): Promise<void> {
  await engine.db
    .updateTable("sessions")
    .set({ lease_owner: null, lease_expires_at: null, interruptions: 0 })
    .where("id", "=", id)
    .where("lease_owner", "=", lease)
    .execute();
}

/** For an installation of one process: frees the leases of the process before, counting each as a death during its turn. */
export async function freeSessions(db: Db): Promise<void> {
  await db
    .updateTable("sessions")
    .set({
      lease_owner: null,
      lease_expires_at: null,
      interruptions: sql<number>`interruptions + (channel = 'chat')::int`,
    })
    .where("lease_owner", "is not", null)
    .where("ended_at", "is", null)
    .execute();
}

const expiry = (now: Date): string => new Date(now.getTime() + LEASE_MS).toISOString();
