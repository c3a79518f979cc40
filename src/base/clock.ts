/** The only source of time. Everything that needs "now" is handed one, so tests and the simulator can move it. */
export type Clock = {
  now(): Date;
  /** Calls `wake` once, when it is `at` or later. What is returned calls that off. */
  wakeAt(at: Date, wake: () => void): () => void;
};

/** A timer of the runtime takes no longer wait than this (some 24 days). */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  wakeAt(at, wake) {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const left = at.getTime() - Date.now();
      timer = setTimeout(left > LONGEST_WAIT_MS ? wait : wake, Math.min(Math.max(left, 0), LONGEST_WAIT_MS));
    };
    wait();
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is moved; whoever it wakes on the way finds it at the moment they asked for. */
export type MovedClock = Clock & { set(to: Date | string): void; advance(ms: number): void };

export function movedClock(start: Date | string): MovedClock {
  let now = new Date(start).getTime();
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const moveTo = (target: number) => {
    for (;;) {
      const [next] = [...sleepers].filter(({ at }) => at <= target).sort((a, b) => a.at - b.at);
      if (!next) break;
      sleepers.delete(next);
      now = Math.max(now, next.at);
      next.wake();
    }
    now = target;
  };
  return {
    now: () => new Date(now),
    wakeAt(at, wake) {
      const sleeper = { at: at.getTime(), wake };
      sleepers.add(sleeper);
      return () => sleepers.delete(sleeper);
    },
    set: (to) => moveTo(new Date(to).getTime()),
    advance: (ms) => moveTo(now + ms),
  };
}
