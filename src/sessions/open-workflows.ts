import type { Engine } from "./engine.ts";
import { greetingText } from "./greeting.ts";
import { releaseLease, renewLease, takeLease } from "./lease.ts";
import { CallRunner } from "./run-calls.ts";
import { sessionFacts } from "./session-facts.ts";
import { TurnRecord } from "./turn-record.ts";

/**
 * Brings a new session's automatic tasks to their first step, then greets (domain decision 5.7). Apart from the
 * transaction that made the session, because a task's first hooks may call tools. A session whose process died in
 * between is opened by its first turn.
 */
export async function openWorkflows(
  engine: Engine,
  session_id: number,
  override_timestamp: string | null,
): Promise<{ said: string | null; wants_turn: boolean; ended: boolean }> {
  const { session } = await takeLease(engine, session_id);
  const lost = new AbortController();
  const stopRenewing = renewLease(engine, session, lost);
  try {
    const record = new TurnRecord(engine, session, { text: null, override_timestamp }, () => {}, lost.signal);
    const { workflows } = new CallRunner(record);
    await workflows.open();
    const { at } = record.surroundings();
    record.say(greetingText(session.snapshot, session.state, sessionFacts(session), at) ?? "");
    const { messages, ended } = await record.finish();
    return {
      said: messages.length > 0 ? messages.join("\n\n") : null,
      wants_turn: workflows.isWaiting || record.wasSpokenTo,
      ended,
    };
  } catch (error) {
    await releaseLease(engine, session).catch(() => {});
    throw error;
  } finally {
    stopRenewing();
  }
}
