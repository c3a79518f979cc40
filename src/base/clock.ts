/** The only source of time. Everything that needs "now" is handed one, so tests and the simulator can move it. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved. */
export type MovedClock = Clock & { set(to: Date | string): void; advance(ms: number): void };

export function movedClock(start: Date | string): MovedClock {
  let at = new Date(start).getTime();
  return {
    now: () => new Date(at),
    set: (to) => {
      at = new Date(to).getTime();
    },
    advance: (ms) => {
      at += ms;
    },
  };
}
