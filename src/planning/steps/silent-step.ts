/**
 * A step that has no words to send (its agent has no greeting, its template no subject) is left alone: what else its batch
 * reaches people with goes on, and so does every other campaign of its number. Nobody loses an attempt. The pause doubles
 * each time, so that a step that was mended goes on soon.
 */
export type SilentStep = { reason: string; until: Date };

/** As stored with the batch's pace, by the step's number; 0 is the campaign's own. */
export type StoredSilence = { until: string; reason: string; trips: number };

const FIRST_PAUSE_ms = 60_000;
/** The longest pause: words that were written are noticed within this time. */
const LONGEST_PAUSE_ms = 15 * 60_000;
/** After this long without a refusal, earlier ones are forgotten. */
const FORGOTTEN_ms = 6 * 3_600_000;

/** The pause after a further refusal; the very same one where it was under way already. */
export function silenceAfter(before: StoredSilence | undefined, why: string, now: Date): StoredSilence {
  const over_ms = before === undefined ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(before.until);
  if (before !== undefined && over_ms < 0) return before;
  const trips = before === undefined || over_ms > FORGOTTEN_ms ? 1 : before.trips + 1;
  const pause_ms = Math.min(FIRST_PAUSE_ms * 2 ** Math.min(trips - 1, 10), LONGEST_PAUSE_ms);
  return { until: new Date(now.getTime() + pause_ms).toISOString(), reason: why.slice(0, 500), trips };
}

/** A step's pause, over or not; null: it never had one. */
export function silenceOf(batch: {
  silent_steps: Record<string, StoredSilence> | null;
  step: number;
}): SilentStep | null {
  const stored = batch.silent_steps?.[batch.step];
  return stored === undefined ? null : { reason: stored.reason, until: new Date(stored.until) };
}
