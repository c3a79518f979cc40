import { type RawBuilder, sql } from "kysely";
import { suppress } from "../consent/suppression.ts";
import type { Db, Tx } from "../db/database.ts";
import { recordset } from "../db/recordset.ts";
import { eventInsert } from "../events/event.ts";
import { traceInsert } from "../events/trace.ts";
import { enqueue } from "../jobs/define-job.ts";
import { LeaseLost } from "../jobs/lease.ts";
import { ENDED_COLUMNS, type EndedSession, type Engine } from "../sessions/engine.ts";
import { tellEnd } from "../sessions/session-ends.ts";
import type { SessionState } from "../sessions/variables.ts";
import { optOutEntries, withWords } from "../tool-calls/opt-out-tool.ts";
import { type SentRow, sentInsert } from "./draft/sent-rows.ts";
import type { NewMessage, StoredCall, TurnRows } from "./draft/turn-rows.ts";
import type { TurnSession } from "./draft/turn-state.ts";
import { callEndTool } from "./end-tool-job.ts";

/** The change of the session's row. `over`: the turn has ended and releases the lease. */
type SessionChange = {
  state: Readonly<SessionState>;
  next_seq: number;
  at: Date;
  over: boolean;
  ended?: { reason: string; user_terminated: boolean | null };
};

/** The rows of a turn, with what was sent in it as rows of its own table. */
type StorableRows = Omit<TurnRows, "rounds" | "exchanges"> & { sent: readonly SentRow[] };

/**
 * Stores the session's row and the rows that the turn adds, in one transaction. A turn that lost its lease stores nothing.
 * The consequences of an end or an opt-out are part of the same transaction.
 */
export async function storeTurn(
  engine: Pick<Engine, "db" | "onEnd">,
  session: TurnSession,
  turn_index: number,
  change: SessionChange,
  rows: StorableRows,
): Promise<void> {
  const { ended, at } = change;
  const { opt_outs } = rows;
  if (!ended && opt_outs.length === 0) {
    await writeTurn(engine.db, session, turn_index, change, rows);
    return;
  }
  await engine.db.transaction().execute(async (tx) => {
    const left = await writeTurn(tx, session, turn_index, change, rows);
    await suppress(tx, optOutEntries(session, await withWords(tx, session.id, opt_outs)), at);
    if (ended) await passOnEnd(engine, tx, session, left, ended.reason);
  });
}

async function passOnEnd(
  { onEnd }: Pick<Engine, "onEnd">,
  tx: Tx,
  session: TurnSession,
  left: EndedSession,
  reason: string,
): Promise<void> {
  await onEnd(tx, left);
  if (session.channel === "chat") await tellEnd(tx, session.id, reason);
  if (session.snapshot.session_end_tool)
    await enqueue(tx, callEndTool, { session_id: session.id }, { tenant: session.sub_organization_id });
}

/**
 * One statement whose text never changes, whatever there is to store: one round trip and a cached plan. Locks the session's
 * row, whose lease decides whether anything is written. Index: primary key of sessions.
 */
async function writeTurn(
  db: Db,
  session: TurnSession,
  turn_index: number,
  { state, next_seq, at, over, ended }: SessionChange,
  { messages, calls, trace, events, sent }: StorableRows,
): Promise<EndedSession> {
  const seconds = (at.getTime() - new Date(session.timestamp).getTime()) / 1000;
  const user_terminated = session.channel === "voice" ? (ended?.user_terminated ?? null) : null;
  const is_held = sql<boolean>`exists (select from held)`;
  const { rows } = await sql<EndedSession>`
    with held as (
      update sessions
      set state = ${JSON.stringify(state)}::json, next_seq = ${next_seq}, last_activity_at = ${at.toISOString()},
        lease_owner = case when ${over}::boolean then null else lease_owner end,
        lease_expires_at = case when ${over}::boolean then null else lease_expires_at end,
        finished_turn = case when ${over}::boolean then turn_count else finished_turn end,
        interruptions = case when ${over}::boolean then 0 else interruptions end,
        ended_at = coalesce(${ended ? at.toISOString() : null}::timestamptz, ended_at),
        end_reason = coalesce(${ended?.reason ?? null}::text, end_reason),
        user_terminated = coalesce(${user_terminated}::boolean, user_terminated),
        duration = coalesce(${ended ? seconds : null}::double precision, duration)
      where id = ${session.id} and lease_owner = ${session.lease}
      returning ${sql.join(ENDED_COLUMNS.map((column) => sql.ref(column)))}
    ), said as (
      ${messageInsert(session.id, state.language, messages, is_held)}
    ), called as (
      ${callInsert(session.id, calls, is_held)}
    ), traced as (
      ${traceInsert(session.id, turn_index, trace, at, is_held)}
    ), sent as (
      ${sentInsert(session, turn_index, sent, is_held)}
    ), told as (
      ${eventInsert(session.sub_organization_id, events, is_held)}
    )
    select * from held`.execute(db);
  const [left] = rows;
  if (!left) throw new LeaseLost(`session ${session.id}`);
  return left;
}

function messageInsert(
  session_id: number,
  lang: string,
  messages: readonly NewMessage[],
  only_if: RawBuilder<boolean>,
): RawBuilder<unknown> {
  const rows = messages.map(({ at, ...message }) => {
    return { ...message, session_id, lang, timestamp: at.toISOString() };
  });
  return sql`
    insert into session_messages (session_id, seq, turn_index, role, text, lang, timestamp, aside, is_apology)
    select m.session_id, m.seq, m.turn_index, m.role, m.text, m.lang, m.timestamp, m.aside, m.is_apology
    from json_populate_recordset(null::session_messages, ${recordset<"session_messages">(rows)}) as m
    where ${only_if}`;
}

/** Updates every column, because a call is always stored whole. */
export function callInsert(
  session_id: number,
  calls: readonly StoredCall[],
  only_if: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  const rows = calls.map((call) => ({ ...call, session_id, timestamp: call.timestamp.toISOString() }));
  return sql`
    insert into session_tool_calls
    select c.* from json_populate_recordset(null::session_tool_calls, ${recordset<"session_tool_calls">(rows)}) as c
    where ${only_if}`;
}
