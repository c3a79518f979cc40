import { type RawBuilder, sql } from "kysely";
import { cutTo } from "../base/storable.ts";
import type { Db } from "../db/database.ts";
import { recordset } from "../db/recordset.ts";

/** Rows of these are also the latency report. */
export const TIMED_CATEGORIES = ["tts", "stt", "llm", "tool", "http"] as const;
/**
 * `greeting`: which text of the agent's message, be it a mail's template, was chosen. `turn`: a whole turn by its phases.
 * `step`: how a workflow went, with its conditions and what it changed. `state`: what a tool changed in the session.
 * `note` and `error`: what was ignored or went wrong.
 */
export const TRACE_CATEGORIES = [
  ...TIMED_CATEGORIES,
  "greeting",
  "turn",
  "step",
  "state",
  "note",
  "error",
] as const;

/** One step of what the engine did and why. */
export type TraceEntry = {
  category: (typeof TRACE_CATEGORIES)[number];
  label: string;
  started?: Date;
  duration_ms?: number;
  metadata?: string[];
  details?: Record<string, unknown>;
  /** It belongs to the turn before the one that stores it. */
  late?: boolean;
};

/** The turn that an entry belongs to, when this one stores it. */
export const turnOfEntry = ({ late = false }: TraceEntry, turn_index: number): number =>
  late ? Math.max(0, turn_index - 1) : turn_index;

/** What a value in a trace is cut to. */
const MAX_TRACED_CHARACTERS = 2_000;

/** A value as a trace keeps it: one that is too long as the beginning of its JSON. */
export function traced(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_TRACED_CHARACTERS ? (value ?? null) : `${cutTo(text, MAX_TRACED_CHARACTERS)}…`;
}

export async function insertTrace(
  db: Db,
  session_id: number,
  turn_index: number,
  entries: readonly TraceEntry[],
  now: Date,
): Promise<void> {
  if (entries.length > 0) await traceInsert(traceRows(session_id, turn_index, entries, now)).execute(db);
}

/** The rows of a trace as one value (`db/recordset.ts`). */
export function traceRows(
  session_id: number,
  turn_index: number,
  entries: readonly TraceEntry[],
  now: Date,
): string {
  const rows = entries.map((entry) => {
    const started = entry.started ?? now;
    return {
      session_id,
      turn_index: turnOfEntry(entry, turn_index),
      category: entry.category,
      label: entry.label,
      measurement_start: started.toISOString(),
      timestamp: new Date(started.getTime() + (entry.duration_ms ?? 0)).toISOString(),
      duration_ms: entry.duration_ms ?? null,
      metadata: entry.metadata ?? null,
      details: entry.details ?? null,
    };
  });
  return recordset<"session_trace">(rows);
}

/** A part of a statement; nothing is written unless `only_if`. */
export const traceInsert = (rows: unknown, only_if: RawBuilder<boolean> = sql`true`): RawBuilder<unknown> =>
  sql`
    insert into session_trace (session_id, turn_index, category, label, measurement_start, timestamp, duration_ms,
      metadata, details)
    select t.session_id, t.turn_index, t.category, t.label, t.measurement_start, t.timestamp, t.duration_ms,
      t.metadata, t.details
    from json_populate_recordset(null::session_trace, ${rows}::json) as t
    where ${only_if}`;
