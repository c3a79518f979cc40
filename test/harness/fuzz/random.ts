import { createDraws } from "../../../src/evaluations/draws.ts";

/** Numbers that a seed decides, so that a failure can be had again. */
export type Random = {
  /** From 0 to below 1. */
  next(): number;
  /** 0 or more, below `bound`. */
  int(bound: number): number;
  pick<T>(from: readonly T[]): T;
  /** True that often of 1. */
  chance(share: number): boolean;
};

export function createRandom(seed: number): Random {
  const { next, below: int } = createDraws(seed);
  return { next, int, pick: (from) => from[int(from.length)] as never, chance: (share) => next() < share };
}
