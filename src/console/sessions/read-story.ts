import type { TraceEntryResponse } from "../api-types.ts";
import { call } from "../server/api.ts";
import { engineState, type Turn, turnsOf } from "./turns.ts";

export type Story = {
  entries: TraceEntryResponse[];
  turns: Turn[];
  state: ReturnType<typeof engineState>;
};

/** What was said in a session, and what the engine did. */
export async function readStory(session_id: number, signal: AbortSignal): Promise<Story> {
  const path = { session_id: String(session_id) };
  const [timeline, entries] = await Promise.all([
    call("GET /api/v1/sessions/timeline/{session_id}", { path, signal }),
    readTrace(session_id, signal),
  ]);
  return { entries, turns: turnsOf(timeline.events, entries), state: engineState(entries) };
}

/** The most that one answer of the API holds. */
const MOST = 1_000;

async function readTrace(session_id: number, signal: AbortSignal): Promise<TraceEntryResponse[]> {
  const read: TraceEntryResponse[] = [];
  for (;;) {
    const query = { limit: MOST, after: read.at(-1)?.id ?? 0 };
    const { entries } = await call("GET /api/v1/sessions/{session_id}/trace", {
      path: { session_id },
      query,
      signal,
    });
    read.push(...entries);
    if (entries.length < MOST) return read;
  }
}
