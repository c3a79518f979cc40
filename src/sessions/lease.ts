import { sql } from "kysely";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Log } from "../base/log.ts";
import { storableText } from "../base/storable.ts";
import { type Db, isUniqueViolation } from "../db/database.ts";
import { patiently } from "../db/database-away.ts";
import { fixedStatement } from "../db/fixed-statement.ts";
import { publish } from "../events/event.ts";
import { MOST_INTERRUPTIONS } from "../jobs/interrupted.ts";
import { Leases } from "../jobs/lease.ts";
import type { Engine, HeldSession } from "./engine.ts";
import { type LeasedRow, type LeasedSession, leasedColumns, leasedSession } from "./leased-session.ts";
import { knownOf } from "./sent/known-session.ts";
import { rulesOfSession, sessionRedactor } from "./session-redactor.ts";

/**
 * One turn at a time per session, across processes: a running turn holds a row lease and renews it. When its process dies,
 * the session is free again after `LEASE_MS`.
 */
export const LEASE_MS = 8_000;
const RENEW_MS = 2_500;
/** How long a message waits for the turn before it, and how often it checks. */
const WAIT_MS = 60_000;
const LOOK_MS = [15, 30, 60, 120, 250];

/** The user's message, stored by the statement that takes the lease, so that a turn begins with one commit. */
type UserMessage = { text: string; client_message_id: string | null };

/** `repeated`: an earlier turn stored the message, and then answered it or died. */
type TakenSession = { session: LeasedSession; repeated: boolean };

/**
 * Takes the session's lease, waiting for a running turn, and stores the message that begins the next one. A session that
 * was set aside can still be ended.
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

type Lock = {
  session_id: number;
  lease: string;
  now: string;
  expires_at: string;
  even_set_aside: boolean;
  snapshot_key: string | null;
  sent_id: number;
};
type Message = { text: string | null; client_message_id: string | null; originals: string };

/** `messages`: how many the statement stores. */
const take = (of: { readonly [Name in keyof Lock]: unknown }, messages: 0 | 1) => sql<LeasedRow>`
    update sessions
    set lease_owner = ${of.lease}, lease_expires_at = ${of.expires_at}, running_tool = null, last_activity_at = ${of.now},
      turn_count = turn_count + ${sql.lit(messages)}, next_seq = next_seq + ${sql.lit(messages)},
      interruptions = interruptions + (channel = 'chat' and lease_owner is not null)::int
    where id = ${of.session_id} and ended_at is null and (set_aside_at is null or ${of.even_set_aside})
      and (lease_owner is null or lease_expires_at < ${of.now})
    returning ${leasedColumns(of)}`;

const takeWithout = fixedStatement<Lock, LeasedRow>((of) => take(of, 0));

const takeWithMessage = fixedStatement<Lock & Message, LeasedRow>(
  (of) => sql`
    with taken as (${take(of, 1)}), message as (
      insert into session_messages (session_id, seq, turn_index, role, text, lang, timestamp, client_message_id)
      select id, next_seq - 1, turn_count, 'user', ${of.text}::text, state ->> 'language',
        ${of.now}::timestamptz, ${of.client_message_id}::text
      from taken
    ), kept as (
      insert into redacted_values (session_id, token, kind, sealed)
      select taken.id, v.token, v.kind, v.sealed
      from taken, json_to_recordset(${of.originals}::json) as v (token text, kind text, sealed text)
      on conflict do nothing
    )
    select * from taken`,
);

async function tryLease(
  engine: Engine,
  session_id: number,
  said: UserMessage | null,
  purpose: "turn" | "end",
): Promise<LeasedSession | undefined> {
  const now = engine.clock.now();
  const lease = `${engine.owner}/${randomBase62(8)}`;
  const rules = said && (await rulesOfSession(engine.db, session_id));
  const heard = sessionRedactor(engine.vault, now, {
    redaction: rules,
    originals: null,
    seal_key: rules?.seal_key ?? null,
  });
  const text = said && heard.redact(storableText(said.text));
  const originals = heard.takeNew();
  const known = knownOf(engine.db, session_id);
  const lock = {
    session_id,
    lease,
    now: now.toISOString(),
    expires_at: expiry(now),
    even_set_aside: purpose === "end",
    snapshot_key: known.snapshot_key,
    sent_id: known.sent_id,
  };
  const message = said && {
    text,
    client_message_id: said.client_message_id,
    originals: JSON.stringify(originals),
  };
  const rows = message
    ? await takeWithMessage(engine.db, { ...lock, ...message })
    : await takeWithout(engine.db, lock);
  const [row] = rows;
  if (!row) return undefined;
  // The statement reads the values as they were before it.
  const added = Object.fromEntries(originals.map(({ token, sealed }) => [token, sealed]));
  return leasedSession(engine, { ...row, originals: { ...row.originals, ...added } }, known, lease);
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
 * Sets a web chat aside when the process died in its last two turns. The page would send the same message again at once,
 * and each turn reads the whole history, so it would crash the next process too. An operator has to resume it.
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
  const tools = held.map(({ running_tool }) => running_tool ?? null);
  const { rows } = await sql<{ lease: string }>`
    with held as (
      select s.id, h.lease, h.tool from unnest(${ids}::bigint[], ${leases}::text[], ${tools}::text[]) as h (id, lease, tool)
      join sessions s on s.id = h.id and s.lease_owner = h.lease
    ), extended as (
      update sessions s set lease_expires_at = ${end.toISOString()}::timestamptz, running_tool = free.tool
      from (
        select s.id, held.tool from held join sessions s on s.id = held.id and s.lease_owner = held.lease
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

/** How long an outage of the database is waited for. */
const RELEASE_MS = 60_000;

/**
 * After a turn that failed. What failed may be the database: it is tried again beside whatever comes next, for a lease that
 * runs out counts as the death of its process, and two of these set a chat aside.
 */
export const releaseFailed = (engine: Engine, session: HeldSession): Promise<void> =>
  releaseLease(engine, session).catch(() => {
    patiently(() => releaseLease(engine, session), { most_ms: RELEASE_MS }).catch(() => {});
  });

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
