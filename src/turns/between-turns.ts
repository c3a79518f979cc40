import type { Engine } from "../sessions/engine.ts";
import { releaseLease, takeLease } from "../sessions/lease.ts";
import { TurnRecord } from "./turn-record.ts";

/** Puts something into a session while no turn runs: words, events. Waits for a turn that does. */
export async function betweenTurns(
  engine: Engine,
  session_id: number,
  change: (record: TurnRecord) => void,
): Promise<void> {
  const { session } = await takeLease(engine, session_id);
  try {
    const record = new TurnRecord(engine, session, { text: null }, () => {}, new AbortController().signal);
    change(record);
    await record.store({ over: true });
  } catch (error) {
    await releaseLease(engine, session).catch(() => {});
    throw error;
  }
}
