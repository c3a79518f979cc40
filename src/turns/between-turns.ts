import type { Engine } from "../sessions/engine.ts";
import { releaseFailed, takeLease } from "../sessions/lease.ts";
import type { TurnDraft } from "./draft/turn-draft.ts";
import { TurnDriver } from "./turn-driver.ts";

/** Adds words or events to a session between turns. Waits for a running turn. */
export async function betweenTurns(
  engine: Engine,
  session_id: number,
  change: (draft: TurnDraft) => void,
): Promise<void> {
  const { session } = await takeLease(engine, session_id);
  try {
    const turn = new TurnDriver(engine, session, { text: null });
    turn.change(change);
    await turn.store({ over: true });
  } catch (error) {
    await releaseFailed(engine, session);
    throw error;
  }
}
