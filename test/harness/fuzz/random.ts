/** Numbers that a seed decides, so that a failure can be had again (mulberry32). */
export type Random = {
  /** 0 or more, below `bound`. */
  int(bound: number): number;
  pick<T>(from: readonly T[]): T;
  /** True that often of 1. */
  chance(share: number): boolean;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (bound: number) => Math.floor(next() * bound);
  return { int, pick: (from) => from[int(from.length)] as never, chance: (share) => next() < share };
}
