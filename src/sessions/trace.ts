import { type Db, jsonOrNull } from "../db/database.ts";

/**
 * One step of what the engine did and why. Rows of category tts, stt, llm, tool and http are also the latency report;
 * `step` tells how a workflow went, with its conditions and what it changed; `note` and `error` tell of what was ignored
 * or went wrong.
 */
export type TraceEntry = {
  category: "tts" | "stt" | "llm" | "tool" | "http" | "step" | "note" | "error";
  label: string;
  started?: Date;
  duration_ms?: number;
  metadata?: string[];
  details?: Record<string, unknown>;
};

export async function insertTrace(
  db: Db,
  session_id: number,
  turn_index: number,
  entries: TraceEntry[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  await db
    .insertInto("session_trace")
    .values(
      entries.map((entry) => {
        const started = entry.started ?? now;
        return {
          session_id,
          turn_index,
          category: entry.category,
          label: entry.label,
          measurement_start: started.toISOString(),
          timestamp: new Date(started.getTime() + (entry.duration_ms ?? 0)).toISOString(),
          duration_ms: entry.duration_ms ?? null,
          metadata: entry.metadata ?? null,
          details: jsonOrNull(entry.details),
        };
      }),
    )
    .execute();
}
