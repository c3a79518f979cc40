import { Fault } from "../base/errors.ts";
import type { Engine } from "../sessions/engine.ts";
import { turnOfMessage } from "../turns/stored-answer.ts";
import { runTurn } from "../turns/turn.ts";

/**
 * Has the agent answer a message, once however often this runs: `client_message_id` is the message's own. Resolves with
 * the turn that heard it, or null where the session is over and never did.
 */
export async function hearMessage(
  engine: Engine,
  session_id: number,
  message: { text: string; client_message_id: string },
  onWords: () => void = () => {},
): Promise<number | null> {
  try {
    const { turn_index } = await runTurn(engine, session_id, message, ({ type }) => {
      if (type === "message") onWords();
    });
    return turn_index;
  } catch (error) {
    if (!(error instanceof Fault && error.kind === "blocked")) throw error;
    // An answer that ended the session, stored by a run that died before it said so.
    return turnOfMessage(engine, session_id, message.client_message_id);
  }
}
