import { json, jsonOrNull, type Tx } from "../db/database.ts";
import { enqueue } from "../jobs/define-job.ts";
import { LeaseLost } from "../jobs/lease.ts";
import type { ProviderData } from "../llm/model.ts";
import { ENDED_COLUMNS, type EndedSession, type Engine } from "../sessions/engine.ts";
import type { LeasedSession } from "../sessions/lease.ts";
import { tellEnd } from "../sessions/session-ends.ts";
import type { SessionState } from "../sessions/variables.ts";
import type { HistoryEntry } from "./build-prompt.ts";
import { callEndTool } from "./end-tool-job.ts";

/** A call as it is stored: what was asked, what was sent, what came back, how long it took, and which tool version. */
export type StoredCall = {
  seq: number;
  turn_index: number;
  round: number;
  tool_call_id: string;
  tool_id: number | null;
  tool_name: string;
  tool_version_number: number | null;
  arguments: Record<string, unknown>;
  request: unknown;
  result: unknown;
  /** Null where `result` is all of it. */
  whole_result: unknown;
  error: string | null;
  propagate_result: boolean;
  display_result: unknown;
  provider_data: ProviderData | null;
  timestamp: Date;
  duration_ms: number;
};

/** What was said and done before, for the model to read back. */
export async function loadHistory(engine: Engine, session_id: number): Promise<HistoryEntry[]> {
  const [messages, calls] = await Promise.all([
    engine.db
      .selectFrom("session_messages")
      .select(["seq", "role", "text", "aside", "is_apology"])
      .where("session_id", "=", session_id)
      .execute(),
    engine.db
      .selectFrom("session_tool_calls")
      .select([
        "seq",
        "turn_index",
        "round",
        "tool_call_id",
        "tool_name",
        "arguments",
        "result",
        "error",
        "provider_data",
      ])
      .where("session_id", "=", session_id)
      .execute(),
  ]);
  return [
    ...messages.map(({ seq, role, text, aside, is_apology }): HistoryEntry => {
      return { kind: "message", seq, role: role as "user" | "agent", text, aside: aside || is_apology };
    }),
    ...calls.map(
      (row): HistoryEntry => ({
        kind: "call",
        seq: row.seq,
        turn_index: row.turn_index,
        round: row.round,
        call_id: row.tool_call_id,
        tool_name: row.tool_name,
        arguments: row.arguments as Record<string, unknown>,
        result: row.result,
        is_error: row.error !== null,
        provider_data: row.provider_data as ProviderData | null,
      }),
    ),
  ];
}

/** The turn of a message that was sent before. */
export async function findMessageTurn(
  engine: Engine,
  session_id: number,
  client_message_id: string,
): Promise<number> {
  const turn_index = await turnOfMessage(engine, session_id, client_message_id);
  if (turn_index === null) throw new Error(`session ${session_id} never heard message ${client_message_id}`);
  return turn_index;
}

/** The same, or null where the session never heard it. */
export async function turnOfMessage(
  engine: Engine,
  session_id: number,
  client_message_id: string,
): Promise<number | null> {
  const found = await engine.db
    .selectFrom("session_messages")
    .select("turn_index")
    .where("session_id", "=", session_id)
    .where("client_message_id", "=", client_message_id)
    .executeTakeFirst();
  return found?.turn_index ?? null;
}

const selectAnswer = ({ db }: Engine, session_id: number, turn_index: number) =>
  db
    .selectFrom("session_messages")
    .select(["seq", "text"])
    .where("session_id", "=", session_id)
    .where("turn_index", "=", turn_index)
    .where("role", "=", "agent")
    // What filled a wait is over with it.
    .where("aside", "=", false)
    .orderBy("seq");

/** What the agent said in a turn, for an answer that is asked for again. */
export async function loadAnswer(engine: Engine, session_id: number, turn_index: number): Promise<string[]> {
  const rows = await selectAnswer(engine, session_id, turn_index).execute();
  return rows.map((row) => row.text);
}

/** What the agent said and called in a turn, in its order. */
export async function loadTurn(
  engine: Engine,
  session_id: number,
  turn_index: number,
): Promise<({ seq: number; text: string } | StoredCall)[]> {
  const [said, calls] = await Promise.all([
    selectAnswer(engine, session_id, turn_index).execute(),
    engine.db
      .selectFrom("session_tool_calls")
      .selectAll()
      .where("session_id", "=", session_id)
      .where("turn_index", "=", turn_index)
      .execute(),
  ]);
  const called = calls.map(({ session_id: _, ...call }) => ({
    ...call,
    timestamp: new Date(call.timestamp),
    arguments: call.arguments as StoredCall["arguments"],
    provider_data: call.provider_data as StoredCall["provider_data"],
  }));
  return [...said, ...called].toSorted((a, b) => a.seq - b.seq);
}

export type NewMessage = {
  seq: number;
  turn_index: number;
  role: "agent" | "user";
  text: string;
  at: Date;
  /** In the transcript, but not for the model to read back. */
  aside: boolean;
  /** The same, but in the place of an answer. */
  is_apology: boolean;
};

export async function insertMessages(tx: Tx, session: LeasedSession, messages: NewMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await tx
    .insertInto("session_messages")
    .values(
      messages.map((message) => ({
        session_id: session.id,
        seq: message.seq,
        turn_index: message.turn_index,
        role: message.role,
        text: message.text,
        lang: session.state.language,
        timestamp: message.at.toISOString(),
        aside: message.aside,
        is_apology: message.is_apology,
      })),
    )
    .execute();
}

export async function insertCalls(tx: Tx, session_id: number, calls: StoredCall[]): Promise<void> {
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

/**
 * The session as the turn leaves it; gives the lease back when the turn is over. The first write of its transaction: it
 * refuses a turn whose lease was lost, and locks the row until the commit. An end is told to `engine.onEnd`.
 */
export async function updateSession(
  engine: Pick<Engine, "onEnd">,
  tx: Tx,
  session: LeasedSession,
  change: {
    state: SessionState;
    at: Date;
    over: boolean;
    ended?: { reason: string; user_terminated: boolean | null };
  },
): Promise<void> {
  const at = change.at.toISOString();
  const seconds = (change.at.getTime() - new Date(session.timestamp).getTime()) / 1000;
  const held = await tx
    .updateTable("sessions")
    .set({
      state: json(change.state),
      next_seq: session.next_seq,
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
