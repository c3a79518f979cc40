import { suppress } from "../consent/suppression.ts";
import { json, jsonOrNull, type Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { insertTrace } from "../events/trace.ts";
import { enqueue } from "../jobs/define-job.ts";
import { LeaseLost } from "../jobs/lease.ts";
import { ENDED_COLUMNS, type EndedSession, type Engine } from "../sessions/engine.ts";
import { tellEnd } from "../sessions/session-ends.ts";
import type { SessionState } from "../sessions/variables.ts";
import { optOutEntries, withWords } from "../tool-calls/opt-out-tool.ts";
import type { NewMessage, StoredCall, TurnRows } from "./draft/turn-rows.ts";
import type { TurnSession } from "./draft/turn-state.ts";
import { callEndTool } from "./end-tool-job.ts";

/** The session as the turn leaves it, with what the turn adds to it: all of it or nothing. */
export async function storeTurn(
  engine: Pick<Engine, "db" | "onEnd">,
  session: TurnSession,
  turn_index: number,
  change: SessionChange,
  { messages, calls, trace, events, opt_outs }: TurnRows,
): Promise<void> {
  const { at, state } = change;
  await engine.db.transaction().execute(async (tx) => {
    await updateSession(engine, tx, session, change);
    await insertMessages(tx, session.id, state.language, messages);
    await insertCalls(tx, session.id, calls);
    await insertTrace(tx, session.id, turn_index, trace, at);
    await suppress(tx, optOutEntries(session, await withWords(tx, session.id, opt_outs)), at);
    await publish(tx, session.sub_organization_id, events);
  });
}

async function insertMessages(
  tx: Tx,
  session_id: number,
  lang: string,
  messages: readonly NewMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx
    .insertInto("session_messages")
    .values(
      messages.map((message) => ({
        session_id,
        seq: message.seq,
        turn_index: message.turn_index,
        role: message.role,
        text: message.text,
        lang,
        timestamp: message.at.toISOString(),
        aside: message.aside,
        is_apology: message.is_apology,
      })),
    )
    .execute();
}

export async function insertCalls(tx: Tx, session_id: number, calls: readonly StoredCall[]): Promise<void> {
  if (calls.length === 0) return;
  await tx
    .insertInto("session_tool_calls")
    .values(
      calls.map((call) => ({
        ...call,
        session_id,
        arguments: json(call.arguments),
        request: jsonOrNull(call.request),
        result: jsonOrNull(call.result),
        whole_result: jsonOrNull(call.whole_result),
        display_result: jsonOrNull(call.display_result),
        provider_data: jsonOrNull(call.provider_data),
        timestamp: call.timestamp.toISOString(),
      })),
    )
    .execute();
}

/** `over`: the turn is, and gives the lease back. */
export type SessionChange = {
  state: SessionState;
  next_seq: number;
  at: Date;
  over: boolean;
  ended?: { reason: string; user_terminated: boolean | null };
};

/**
 * The session as the turn leaves it; gives the lease back when the turn is over. The first write of its transaction: it
 * refuses a turn whose lease was lost, and locks the row until the commit. An end is told to `engine.onEnd`.
 */
export async function updateSession(
  engine: Pick<Engine, "onEnd">,
  tx: Tx,
  session: TurnSession,
  change: SessionChange,
): Promise<void> {
  const at = change.at.toISOString();
  const seconds = (change.at.getTime() - new Date(session.timestamp).getTime()) / 1000;
  const held = await tx
    .updateTable("sessions")
    .set({
      state: json(change.state),
      next_seq: change.next_seq,
      last_activity_at: at,
      ...(change.over && {
        lease_owner: null,
        lease_expires_at: null,
        finished_turn: session.turn_count,
        interruptions: 0,
      }),
      ...(change.ended && {
        ended_at: at,
        end_reason: change.ended.reason,
        user_terminated: session.channel === "voice" ? change.ended.user_terminated : null,
        duration: seconds,
      }),
    })
    .where("id", "=", session.id)
    .where("lease_owner", "=", session.lease)
    .returning(ENDED_COLUMNS)
    .executeTakeFirst();
  if (!held) throw new LeaseLost(`session ${session.id}`);
  if (!change.ended) return;
  await engine.onEnd(tx, held as EndedSession);
  if (session.channel === "chat") await tellEnd(tx, session.id, change.ended.reason);
  if (session.snapshot.session_end_tool)
    await enqueue(tx, callEndTool, { session_id: session.id }, { tenant: session.sub_organization_id });
}
