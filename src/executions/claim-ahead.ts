/** At the present pace, claimed executions start within this time, so another process could hardly start them sooner. */
const AHEAD_s = 0.5;
/** The most claimed executions that wait for a slot, with their transcripts in memory. */
const MOST_AHEAD = 256;
/** A pace is measured over at least this time. */
const WINDOW_ms = 500;

/** How many may wait for a slot here, given the number that finish per second. Pure. */
export const claimAhead = (concurrency: number, pace_per_s: number): number =>
  Math.max(concurrency, Math.min(MOST_AHEAD, Math.ceil(pace_per_s * AHEAD_s)));

/** Executions finished per second, in the last window; 0 before the first window has passed. */
export function createPace(now_ms = () => performance.now()) {
  let counted = 0;
  let since_ms = now_ms();
  let pace_per_s = 0;
  return {
    count(): void {
      counted += 1;
    },
    perSecond(): number {
      const passed_ms = now_ms() - since_ms;
      if (passed_ms >= WINDOW_ms) {
        pace_per_s = (counted * 1000) / passed_ms;
        counted = 0;
        since_ms += passed_ms;
      }
      return pace_per_s;
    },
  };
}
