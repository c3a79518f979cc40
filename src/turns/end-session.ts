import { Fault } from "../base/errors.ts";
import type { NewEvent } from "../events/event.ts";
import type { Engine } from "../sessions/engine.ts";
import { releaseFailed, releaseLease, takeLease } from "../sessions/lease.ts";
import type { LeasedSession } from "../sessions/leased-session.ts";

import { NO_ROWS } from "./draft/turn-rows.ts";
import { NOTHING_BEFORE, storeTurn } from "./turn-store.ts";

type EndReason = "user" | "agent" | "idle" | "transfer" | "max-duration" | "error" | "operator";

const IN_WORDS: Record<EndReason, string> = {
  user: "The person ended the session",
  agent: "The agent ended the session",
  transfer: "The call was transferred",
  idle: "The session ended after a long silence",
  "max-duration": "The session reached its longest duration",
  error: "The session ended after an error",
  operator: "An operator ended the session",
};

/** A chat is closed after this long without a word. */
export const IDLE_MS = 30 * 60_000;

/**
 * Ends a session from outside a turn; waits for a running turn. Idempotent. With `unless_after`, only if the session still
 * has that many turns, so that a message that came meanwhile keeps it open.
 */
export async function endSession(
  engine: Engine,
  session_id: number,
  reason: EndReason,
  unless_after?: { turn_count: number },
): Promise<void> {
  const row = await engine.db
    .selectFrom("sessions")
    .select("ended_at")
    .where("id", "=", session_id)
    .executeTakeFirst();
  if (!row || row.ended_at) return;
  const taken = await takeLease(engine, session_id, null, "end").catch((error) => {
    // The session was ended meanwhile.
    if (error instanceof Fault && error.kind === "blocked") return null;
    throw error;
  });
  if (!taken) return;
  const { session } = taken;
  if (unless_after && session.turn_count !== unless_after.turn_count) return releaseLease(engine, session);
  try {
    await storeEnd(engine, session, reason);
  } catch (error) {
    await releaseFailed(engine, session);
    throw error;
  }
}

async function storeEnd(engine: Engine, session: LeasedSession, reason: EndReason): Promise<void> {
  const at = engine.clock.now();
  const told: NewEvent = {
    at,
    source: "llm-prompt",
    source_id: session.prompt_id,
    category: "conversation",
    type: "session-end",
    description: IN_WORDS[reason],
    session_id: session.id,
    conversation_id: session.conversation_id,
    user_id: session.source,
    attributes: { reason },
  };
  const { state, next_seq, turn_count } = session;
  const ended = { reason, user_terminated: reason === "user" };
  const change = { state, next_seq, at, over: true, ended };
  await storeTurn(engine, session, turn_count, change, { ...NO_ROWS, events: [told] }, NOTHING_BEFORE);
}

/**
 * Ends sessions that were found idle, except those with a message since. One that can't be ended now doesn't delay the
 * others.
 */
export async function endAsIdle(
  engine: Engine,
  idle: readonly { id: number; turn_count: number }[],
): Promise<void> {
  for (const { id, turn_count } of idle) {
    try {
      await endSession(engine, id, "idle", { turn_count });
    } catch (error) {
      engine.log.warn({ err: error, session_id: id }, "an idle session could not be ended");
    }
  }
}

/** Closes chats that nobody has written in for `IDLE_MS`; run every minute. */
export async function endIdleSessions(engine: Engine): Promise<number> {
  const now = engine.clock.now();
  const idle = await engine.db
    .selectFrom("sessions")
    .select(["id", "turn_count"])
    .where("ended_at", "is", null)
    // A test conversation is held in text, whatever its channel.
    .where(({ or, and, eb }) =>
      or([
        eb("channel", "=", "chat"),
        and([eb("is_test", "=", true), eb("channel_manager_service", "=", "console")]),
      ]),
    )
    // Excluded: a session that was set aside waits for an operator.
    .where("set_aside_at", "is", null)
    .where("last_activity_at", "<", new Date(now.getTime() - IDLE_MS).toISOString())
    // Excluded: a leased session has a running turn.
    .where((row) => row.or([row("lease_owner", "is", null), row("lease_expires_at", "<", now.toISOString())]))
    .limit(500)
    .execute();
  await endAsIdle(engine, idle);
  return idle.length;
}
