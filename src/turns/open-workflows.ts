import type { Engine } from "../sessions/engine.ts";
import { releaseFailed, takeLease } from "../sessions/lease.ts";
import { sessionFacts } from "../sessions/session-facts.ts";
import type { SessionAction } from "../tool-calls/tool-outcome.ts";
import type { AwaitedInput } from "../workflows/awaited-input.ts";
import { announcementParts, greetingParts, greetingTrace, joinParts, type SpokenPart } from "./greeting.ts";
import { CallRunner } from "./run-calls.ts";
import { TurnDriver } from "./turn-driver.ts";

type OpenedSession = {
  said: string | null;
  /** The same in parts, for speech. */
  parts: SpokenPart[];
  /** Whether the agent continues without waiting for the person. */
  wants_turn: boolean;
  action: SessionAction | null;
  ended: boolean;
  awaits: AwaitedInput;
};

/**
 * Brings a new session's automatic tasks to their first step, then greets. Not part of the transaction that creates the
 * session, because a task's first hooks may call tools. If the process dies in between, the first turn opens the session.
 */
export async function openWorkflows(
  engine: Engine,
  session_id: number,
  override_timestamp: string | null,
): Promise<OpenedSession> {
  const { session } = await takeLease(engine, session_id);
  const lost = engine.held.hold(session);
  try {
    const turn = new TurnDriver(engine, session, { text: null, override_timestamp }, { signal: lost });
    const { workflows } = new CallRunner(turn, { listening: false });
    const announced = announcementParts(
      turn.change((draft) => draft.announce({ answers: false })),
      session.snapshot,
      turn.memory.language,
    );
    const already = turn.state.messages.length;
    await workflows.open();
    const { at } = turn.surroundings();
    const before = turn.state.messages
      .slice(already)
      .map((text): SpokenPart => ({ text, language: null, interruptible: true, is_menu: false }));
    turn.trace(...greetingTrace(session.snapshot, at));
    const greeting = greetingParts(session.snapshot, turn.memory, sessionFacts(session), at);
    turn.change((draft) => draft.say(joinParts(greeting)));
    const { messages, action, ended, awaits } = await turn.finish();
    return {
      said: messages.length > 0 ? messages.join("\n\n") : null,
      parts: [...announced, ...before, ...greeting],
      wants_turn: session.snapshot.agent.agent_initiated || workflows.isWaiting || turn.state.spoken_to,
      action,
      ended,
      awaits,
    };
  } catch (error) {
    await releaseFailed(engine, session);
    throw error;
  } finally {
    engine.held.drop(session);
  }
}
