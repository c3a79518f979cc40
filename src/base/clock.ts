/** The only source of time. Everything that needs "now" is handed one, so tests and the simulator can move it. */
export type Clock = {
  now(): Date;
  /** Calls `wake` once, when it is `at` or later. What is returned calls that off. */
  wakeAt(at: Date, wake: () => void): () => void;
  /** Milliseconds since some fixed moment. Setting the time does not change them. */
  elapsed_ms(): number;
};

/** Further ahead than this no clock of a machine goes: it was set back since. */
export const CLOCK_SET_BACK_MS = 60_000;

/**
 * Starts at the current time and then runs evenly. For code that compares moments of its own, and must neither stall nor
 * hurry when somebody sets the machine's clock or another clock corrects it.
 */
export function steadyClock(clock: Clock): Clock {
  const ahead_ms = clock.now().getTime() - clock.elapsed_ms();
  const now_ms = () => clock.elapsed_ms() + ahead_ms;
  return {
    now: () => new Date(now_ms()),
    wakeAt: (at, wake) => clock.wakeAt(new Date(clock.now().getTime() + at.getTime() - now_ms()), wake),
    elapsed_ms: clock.elapsed_ms,
  };
}

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
  elapsed_ms: () => performance.now(),
};

/**
 * A clock that stands still until it is moved. Whoever it wakes on the way sees exactly the moment they asked for. `jump` sets
 * the time the way a machine's clock is set: no time passes, and timers wait as long as before.
 */
export type MovedClock = Clock & {
  set(to: Date | string): void;
  advance(ms: number): void;
  jump(ms: number): void;
};

export function movedClock(start: Date | string): MovedClock {
  let now = new Date(start).getTime();
  let elapsed_ms = 0;
  const goTo = (moment: number) => {
    elapsed_ms += Math.max(0, moment - now);
    now = moment;
  };
  const sleepers = new Set<{ at: number; wake: () => void }>();
  const moveTo = (target: number) => {
    for (;;) {
      const [next] = [...sleepers].filter(({ at }) => at <= target).sort((a, b) => a.at - b.at);
      if (!next) break;
      sleepers.delete(next);
      goTo(Math.max(now, next.at));
      next.wake();
    }
    goTo(target);
  };
  return {
    now: () => new Date(now),
    wakeAt(at, wake) {
      const sleeper = { at: at.getTime(), wake };
      sleepers.add(sleeper);
      return () => sleepers.delete(sleeper);
    },
    elapsed_ms: () => elapsed_ms,
    set: (to) => moveTo(new Date(to).getTime()),
    advance: (ms) => moveTo(now + ms),
    jump(ms) {
      now += ms;
      for (const sleeper of sleepers) sleeper.at += ms;
    },
  };
}
