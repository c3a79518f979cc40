import { sql } from "kysely";
import { json, jsonOrNull, type Tx } from "../db/database.ts";
import type { ProviderData } from "../llm/model.ts";
import type { HistoryEntry } from "./build-prompt.ts";
import type { Engine } from "./engine.ts";
import { type LeasedSession, LeaseLost } from "./lease.ts";
import type { SessionState } from "./variables.ts";

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
      .select(["seq", "role", "text", "aside"])
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
    ...messages.map((row): HistoryEntry => ({ kind: "message", ...row, role: row.role as "user" | "agent" })),
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

/** Refuses every write of a turn whose lease was lost, and locks the row until the write commits. */
export async function holdLease(tx: Tx, session: LeasedSession): Promise<void> {
  const held = await tx
    .selectFrom("sessions")
    .select("id")
    .where("id", "=", session.id)
    .where("lease_owner", "=", session.lease)
    .forUpdate()
    .executeTakeFirst();
  if (!held) throw new LeaseLost(session.id);
}

/**
 * Stores what the person said, before anything is done about it. A message sent twice is stored once: `turn_index` is
 * then that of the first, and `answered` tells whether its turn was finished.
 */
export async function storeUserMessage(
  engine: Engine,
  session: LeasedSession,
  message: { text: string; client_message_id: string | null; at: Date },
): Promise<{ turn_index: number; answered: boolean }> {
  const known = message.client_message_id
    ? await findClientMessage(engine, session, message.client_message_id)
    : undefined;
  if (known)
    return {
      turn_index: known.turn_index,
      answered: known.turn_index < session.turn_count + 1 && known.answered,
    };

  const turn_index = session.turn_count + 1;
  const seq = session.next_seq;
  await sql`
    with held as (
      update sessions set turn_count = ${turn_index}, next_seq = ${seq + 1}, last_activity_at = ${message.at.toISOString()}
      where id = ${session.id} and lease_owner = ${session.lease} returning id
    )
    insert into session_messages (session_id, seq, turn_index, role, text, lang, timestamp, client_message_id)
    select id, ${seq}::int, ${turn_index}::int, 'user', ${message.text}, ${session.state.language},
      ${message.at.toISOString()}::timestamptz, ${message.client_message_id}
    from held
  `.execute(engine.db);
  session.turn_count = turn_index;
  session.next_seq = seq + 1;
  return { turn_index, answered: false };
}

async function findClientMessage(engine: Engine, session: LeasedSession, client_message_id: string) {
  const row = await engine.db
    .selectFrom("session_messages as m")
    .select((select) => [
      "m.turn_index",
      select
        .exists(
          select
            .selectFrom("session_messages as a")
            .select("a.seq")
            .whereRef("a.session_id", "=", "m.session_id")
            .whereRef("a.turn_index", "=", "m.turn_index")
            .where("a.role", "=", "agent"),
        )
        .as("answered"),
    ])
    .where("m.session_id", "=", session.id)
    .where("m.client_message_id", "=", client_message_id)
    .executeTakeFirst();
  return row && { turn_index: row.turn_index, answered: Boolean(row.answered) };
}

/** What the agent said in a turn, for an answer that is asked for again. */
export async function loadAnswer(engine: Engine, session_id: number, turn_index: number): Promise<string[]> {
  const rows = await engine.db
    .selectFrom("session_messages")
    .select("text")
    .where("session_id", "=", session_id)
    .where("turn_index", "=", turn_index)
    .where("role", "=", "agent")
    .orderBy("seq")
    .execute();
  return rows.map((row) => row.text);
}

export type AgentMessage = { seq: number; turn_index: number; text: string; at: Date };

export async function insertAgentMessages(
  tx: Tx,
  session: LeasedSession,
  messages: AgentMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx
    .insertInto("session_messages")
    .values(
      messages.map((message) => ({
        session_id: session.id,
        seq: message.seq,
        turn_index: message.turn_index,
        role: "agent",
        text: message.text,
        lang: session.state.language,
        timestamp: message.at.toISOString(),
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
        display_result: jsonOrNull(call.display_result),
        provider_data: jsonOrNull(call.provider_data),
        timestamp: call.timestamp.toISOString(),
      })),
    )
    .execute();
}

/** The session as the turn leaves it; gives the lease back when the turn is over. */
export async function updateSession(
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
  await tx
    .updateTable("sessions")
    .set({
      state: json(change.state),
      next_seq: session.next_seq,
      last_activity_at: at,
      ...(change.over && { lease_owner: null, lease_expires_at: null }),
      ...(change.ended && {
        ended_at: at,
        end_reason: change.ended.reason,
        user_terminated: session.channel === "voice" ? change.ended.user_terminated : null,
        duration: session.channel === "voice" ? seconds : null,
      }),
    })
    .where("id", "=", session.id)
    .execute();
}
