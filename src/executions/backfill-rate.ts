/** Unused capacity of a rate is saved up for at most this long. */
const SAVED_MS = 10_000;

/**
 * How many executions, of at most `most`, may be queued now, and when the next one may be (`next_at`; null without a rate).
 * Each execution moves `next_at` by one step, so that all processes together stay within the rate of a minute. Pure.
 */
export function allowance(
  rate_per_minute: number | null,
  next_feed_at: Date,
  now: Date,
  most: number,
): { count: number; next_at: Date | null } {
  const room = Math.max(0, most);
  if (rate_per_minute === null) return { count: room, next_at: null };
  const step_ms = 60_000 / rate_per_minute;
  const from = Math.max(next_feed_at.getTime(), now.getTime() - Math.max(SAVED_MS, step_ms));
  const due = from > now.getTime() ? 0 : Math.floor((now.getTime() - from) / step_ms) + 1;
  const count = Math.min(due, room);
  return { count, next_at: new Date(from + count * step_ms) };
}
