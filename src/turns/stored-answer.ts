import type { Engine } from "../sessions/engine.ts";
import { releaseLease } from "../sessions/lease.ts";
import type { LeasedSession } from "../sessions/leased-session.ts";
import { loadRedactor } from "../sessions/session-redactor.ts";
import { resultEvent } from "./draft/finished-call.ts";
import type { StoredCall } from "./draft/turn-rows.ts";
import { beginTurn, turnResult } from "./draft/turn-state.ts";
import type { TurnEvent, TurnResult } from "./turn-event.ts";

/** The turn of a message that is sent again. */
export async function findMessageTurn(
  engine: Engine,
  session_id: number,
  client_message_id: string,
): Promise<number> {
  const turn_index = await turnOfMessage(engine, session_id, client_message_id);
  if (turn_index === null) throw new Error(`session ${session_id} never heard message ${client_message_id}`);
  return turn_index;
}

/** The same, or null when the session never received it. */
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
    .select(["seq", "text", "timestamp"])
    .where("session_id", "=", session_id)
    .where("turn_index", "=", turn_index)
    .where("role", "=", "agent")
    // Phrases that filled a wait are not repeated.
    .where("aside", "=", false)
    .orderBy("seq");

/** The agent's words of a turn, for a message that is sent again. */
export async function loadAnswer(engine: Engine, session_id: number, turn_index: number): Promise<string[]> {
  const rows = await selectAnswer(engine, session_id, turn_index).execute();
  const { db, vault, clock } = engine;
  const redactor = await loadRedactor(db, { vault, now: clock.now() }, session_id);
  return rows.map((row) => redactor.restore(row.text));
}

/** The agent's words and calls of a turn, in order. */
async function loadTurn(
  engine: Engine,
  session_id: number,
  turn_index: number,
): Promise<({ seq: number; text: string; timestamp: string } | StoredCall)[]> {
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

/** The stored answer to a message that is sent again: its words, and its calls' results for display. */
export async function repeatTurn(
  engine: Engine,
  session: LeasedSession,
  turn_index: number,
  emit: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const answer = session.redactor.restore(await loadTurn(engine, session.id, turn_index));
  await releaseLease(engine, session);
  emitAgain(answer, emit);
  const messages = answer.flatMap((part) => ("text" in part ? [part.text] : []));
  const calls = answer.flatMap((part) => ("text" in part ? [] : [part]));
  return turnResult(turn_index, { ...beginTurn(session), messages, calls }, false);
}

/** The same where the session has ended, whose end comes after it; false: it never heard the message. */
export async function repeatEnded(
  engine: Engine,
  session_id: number,
  client_message_id: string,
  emit: (event: TurnEvent) => void,
): Promise<boolean> {
  const turn_index = await turnOfMessage(engine, session_id, client_message_id);
  if (turn_index === null) return false;
  const { db, vault, clock } = engine;
  const redactor = await loadRedactor(db, { vault, now: clock.now() }, session_id);
  emitAgain(redactor.restore(await loadTurn(engine, session_id, turn_index)), emit);
  const { end_reason } = await db
    .selectFrom("sessions")
    .select("end_reason")
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  emit({ type: "session_end", reason: end_reason ?? "agent" });
  return true;
}

function emitAgain(answer: Awaited<ReturnType<typeof loadTurn>>, emit: (event: TurnEvent) => void): void {
  for (const part of answer)
    emit(
      "text" in part ? { type: "message", text: part.text, at: new Date(part.timestamp) } : resultEvent(part),
    );
}
