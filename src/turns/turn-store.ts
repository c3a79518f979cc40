import { type RawBuilder, sql } from "kysely";
import { suppress } from "../consent/suppression.ts";
import type { Db, Tx } from "../db/database.ts";
import { fixedStatement } from "../db/fixed-statement.ts";
import { recordset } from "../db/recordset.ts";
import { eventInsert } from "../events/event.ts";
import { traceInsert, traceRows } from "../events/trace.ts";
import { enqueue } from "../jobs/define-job.ts";
import { LeaseLost } from "../jobs/lease.ts";
import type { SealedValue } from "../redaction/redactor.ts";
import { ENDED_COLUMNS, type EndedSession, type Engine, type StoredTurn } from "../sessions/engine.ts";
import { rememberSent } from "../sessions/sent/known-session.ts";
import { NOTHING_SENT, type SentSoFar } from "../sessions/sent/sent-parts.ts";
import { tellEnd } from "../sessions/session-ends.ts";
import { originalsInsert, redactedState } from "../sessions/session-redactor.ts";
import type { SessionState } from "../sessions/variables.ts";
import { optOutEntries, withWords } from "../tool-calls/opt-out-tool.ts";
import { redactedRows } from "./draft/redacted-rows.ts";
import { type SentRow, type StateBefore, sentInsert, sentRows, sentValue } from "./draft/sent-rows.ts";
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

/** What is stored already: of what models were sent, and of this turn's messages. */
export type StoredSoFar = { sent: SentSoFar; messages: StoredTurn["messages"] };

/** The same, and the state before the turn if it is not. */
type StoredBefore = StoredSoFar & { begun: StateBefore | null };

export const NOTHING_BEFORE: StoredBefore = { sent: NOTHING_SENT, messages: [], begun: null };

/**
 * Stores the session's row and the rows that the turn adds, in one transaction. A turn that lost its lease stores nothing.
 * The consequences of an end or an opt-out are part of the same transaction. Resolves with what is stored now.
 */
export async function storeTurn(
  engine: Pick<Engine, "db" | "onEnd" | "onStored" | "callBacks">,
  session: TurnSession,
  turn_index: number,
  change: SessionChange,
  unredacted: TurnRows,
  before: StoredBefore,
): Promise<StoredSoFar> {
  const { ended, at } = change;
  const { rounds, exchanges, ...others } = redactedRows(session.redactor, unredacted);
  const { rows: sent_now, sent } = sentRows({ rounds, exchanges }, before.sent, before.begun);
  const rows = { ...others, sent: sent_now };
  const { opt_outs, call_backs } = rows;
  const messages = [...before.messages, ...rows.messages];
  const stored = ({ sent_id }: { sent_id: number | null }): StoredSoFar => {
    const { id: session_id, agent_name, channel, is_test } = session;
    const { trace } = rows;
    engine.onStored?.({ session_id, agent_name, channel, is_test, turn_index, at, trace, messages });
    // Nothing was stored of an organization that doesn't want it: the next round names all its parts.
    if (sent_id === null) return { sent: before.sent, messages };
    rememberSent(engine.db, session_id, sent, sent_id);
    return { sent, messages };
  };
  if (!ended && opt_outs.length === 0 && call_backs.length === 0) {
    return stored(await writeTurn(engine.db, session, turn_index, change, rows));
  }
  const left = await engine.db.transaction().execute(async (tx) => {
    const left = await writeTurn(tx, session, turn_index, change, rows);
    await suppress(tx, optOutEntries(session, await withWords(tx, session.id, opt_outs)), at);
    for (const call_back of call_backs) await engine.callBacks.book(tx, session, call_back, at);
    if (ended) await passOnEnd(engine, tx, session, left, ended.reason);
    return left;
  });
  return stored(left);
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

/** All that is stored with the session's row, by name. */
type Stored = {
  session_id: number;
  sub_organization_id: number;
  lease: string;
  state: string;
  next_seq: number;
  at: string;
  over: boolean;
  messages: string;
  calls: string;
  trace: string;
  sent: string;
};
/** The values, or their places. */
type Parts = { readonly [Name in keyof Stored]: unknown };

/** Locks the session's row, whose lease decides whether anything is written. Index: primary key of sessions. */
const heldRow = (of: Parts, more: RawBuilder<unknown>, returning: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`
    update sessions
    set state = ${of.state}::json, next_seq = ${of.next_seq}, last_activity_at = ${of.at}, running_tool = null,
      lease_owner = case when ${of.over}::boolean then null else lease_owner end,
      lease_expires_at = case when ${of.over}::boolean then null else lease_expires_at end,
      finished_turn = case when ${of.over}::boolean then turn_count else finished_turn end,
      interruptions = case when ${of.over}::boolean then 0 else interruptions end
      ${more}
    where id = ${of.session_id} and lease_owner = ${of.lease}
    returning ${returning}`;

const IS_HELD = sql<boolean>`exists (select from held)`;

const addedRows = (of: Parts): RawBuilder<unknown> => sql`
    said as (${messageInsert(of.messages, IS_HELD)}),
    called as (${callInsert(of.calls, IS_HELD)}),
    traced as (${traceInsert(of.trace, IS_HELD)}),
    sent as (${sentInsert(of.sub_organization_id, of.sent, IS_HELD)})`;

type LeftSession = EndedSession & { sent_id: number | null };

/** Nearly all that turns store. */
const storeUsual = fixedStatement<Stored, LeftSession>(
  (of) => sql`
    with held as (${heldRow(of, sql``, sql`id`)}), ${addedRows(of)}
    select held.id, (select max(id) from sent) as sent_id from held`,
);

/**
 * One statement: one round trip and a cached plan. It has one of two texts, whatever there is to store, because parts that are
 * empty in most turns cost PostgreSQL time all the same. Resolves with the session, of which only an end needs more than its id.
 */
async function writeTurn(
  db: Db,
  session: TurnSession,
  turn_index: number,
  { state, next_seq, at, over, ended }: SessionChange,
  { messages, calls, trace, events, sent }: StorableRows,
): Promise<LeftSession> {
  const { id: session_id, sub_organization_id } = session;
  const stored: Stored = {
    session_id,
    sub_organization_id,
    lease: session.lease,
    state: JSON.stringify(redactedState(session.redactor, state)),
    next_seq,
    at: at.toISOString(),
    over,
    messages: messagesValue(session_id, state.language, messages),
    calls: callsValue(session_id, calls),
    trace: traceRows(session_id, turn_index, trace, at),
    sent: sentValue(session_id, turn_index, sent),
  };
  const originals = session.redactor.takeNew();
  const usual = !ended && originals.length === 0 && events.length === 0;
  const [left] = usual
    ? await storeUsual(db, stored)
    : await storeAll(db, session, stored, { ended, originals, events });
  if (!left) throw new LeaseLost(`session ${session.id}`);
  return left;
}

async function storeAll(
  db: Db,
  session: TurnSession,
  stored: Stored,
  {
    ended,
    originals,
    events,
  }: Pick<SessionChange, "ended"> & Pick<TurnRows, "events"> & { originals: SealedValue[] },
): Promise<LeftSession[]> {
  const seconds = (Date.parse(stored.at) - Date.parse(session.timestamp)) / 1000;
  const user_terminated = session.channel === "voice" ? (ended?.user_terminated ?? null) : null;
  const end = sql`,
      ended_at = coalesce(${ended ? stored.at : null}::timestamptz, ended_at),
      end_reason = coalesce(${ended?.reason ?? null}::text, end_reason),
      user_terminated = coalesce(${user_terminated}::boolean, user_terminated),
      duration = coalesce(${ended ? seconds : null}::double precision, duration)`;
  const { rows } = await sql<LeftSession>`
    with held as (${heldRow(stored, end, sql.join(ENDED_COLUMNS.map((column) => sql.ref(column))))}), ${addedRows(stored)},
    kept as (${originalsInsert(session.id, originals, IS_HELD)}),
    told as (${eventInsert(session.sub_organization_id, events, IS_HELD)})
    select held.*, (select max(id) from sent) as sent_id from held`.execute(db);
  return rows;
}

const messagesValue = (session_id: number, lang: string, messages: readonly NewMessage[]): string =>
  recordset<"session_messages">(
    messages.map(({ at, ...message }) => ({ ...message, session_id, lang, timestamp: at.toISOString() })),
  );

const messageInsert = (rows: unknown, only_if: RawBuilder<boolean>): RawBuilder<unknown> => sql`
    insert into session_messages (session_id, seq, turn_index, role, text, lang, timestamp, aside, is_apology)
    select m.session_id, m.seq, m.turn_index, m.role, m.text, m.lang, m.timestamp, m.aside, m.is_apology
    from json_populate_recordset(null::session_messages, ${rows}::json) as m
    where ${only_if}`;

export const callsValue = (session_id: number, calls: readonly StoredCall[]): string =>
  recordset<"session_tool_calls">(
    calls.map((call) => ({ ...call, session_id, timestamp: call.timestamp.toISOString() })),
  );

/** Writes every column, because a call is always stored whole. */
export const callInsert = (
  rows: unknown,
  only_if: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> => sql`
    insert into session_tool_calls
    select c.* from json_populate_recordset(null::session_tool_calls, ${rows}::json) as c
    where ${only_if}`;
