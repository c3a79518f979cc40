/** Random numbers that a seed repeats. */
export type Draws = {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below this. */
  below(end: number): number;
};

/** The mulberry32 generator: fast, and good enough to resample with. Pure but for its own state. */
export function createDraws(seed: number): Draws {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, below: (end) => Math.floor(next() * end) };
}
