import type { Clock } from "../base/clock.ts";

/** A person who writes as fast as they can sends fewer; each message costs its operator a model's answer. */
const MESSAGES_A_MINUTE = 30;
const MINUTE_MS = 60_000;
const MOST_VISITORS = 10_000;

/**
 * How often somebody may do something in any minute, by a name for them. Kept by each process for itself, and forgotten
 * with it: it guards a bill, not a secret.
 */
export type VisitorLimit = {
  /** Counts one more; null: it may be done. Else the seconds until it may. */
  wait_s(visitor: string): number | null;
  /** What was counted last came to nothing, by no fault of theirs. */
  takeBack(visitor: string): void;
};

export function createVisitorLimit(clock: Clock, per_minute = MESSAGES_A_MINUTE): VisitorLimit {
  const done = new Map<string, number[]>();
  return {
    wait_s(visitor) {
      const now = clock.now().getTime();
      // What was done later than now is of a clock that was set back since.
      const lately = (done.get(visitor) ?? []).filter((at) => at <= now && now - at < MINUTE_MS);
      const oldest = lately[0];
      if (lately.length >= per_minute && oldest !== undefined) {
        done.set(visitor, lately);
        return Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1000));
      }
      // The last to come is the last to be forgotten.
      done.delete(visitor);
      if (done.size >= MOST_VISITORS) done.delete(done.keys().next().value as string);
      done.set(visitor, [...lately, now]);
      return null;
    },
    takeBack(visitor) {
      done.get(visitor)?.pop();
    },
  };
}
