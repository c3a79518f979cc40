import { createDraws } from "./draws.ts";
import { wilsonInterval, Z_95, Z_POWER_80 } from "./statistics.ts";

/** How far two measurements of the same conversations are apart; pure, and tested against published tables. */

/** Pairs of outcomes: of both, of the first alone, of the second alone, of neither. */
export type PairedCounts = { both: number; first: number; second: number; neither: number };

export type DifferenceInterval = { difference: number; low: number; high: number };

/**
 * The 95 % interval of the rate of the second minus the rate of the first. Newcombe 1998 (Statistics in Medicine 17:2635),
 * method 10: the Wilson intervals of both rates, squared and added, with their correlation.
 */
export function newcombeInterval({ both, first, second, neither }: PairedCounts): DifferenceInterval | null {
  const pairs = both + first + second + neither;
  const [one, two] = [both + second, both + first];
  const ofOne = wilsonInterval(one, pairs);
  const ofTwo = wilsonInterval(two, pairs);
  if (!ofOne || !ofTwo) return null;
  const [p1, p2] = [one / pairs, two / pairs];
  const margins = one * two * (pairs - one) * (pairs - two);
  const cross = both * neither - first * second;
  // The continuity correction of method 10 applies to a positive correlation only.
  const corrected = cross > 0 ? Math.max(cross - pairs / 2, 0) : cross;
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const reach = (a: number, b: number) => Math.sqrt(Math.max(0, a * a - 2 * phi * a * b + b * b));
  const difference = p1 - p2;
  return {
    difference,
    low: Math.max(-1, difference - reach(p1 - ofOne.low, ofTwo.high - p2)),
    high: Math.min(1, difference + reach(ofOne.high - p1, p2 - ofTwo.low)),
  };
}

/** More differences than these are not turned round in every way, but as often as `DRAWN`. */
const EXACT_UP_TO = 15;
const DRAWN = 1_999;

/**
 * The two-sided permutation test of a mean difference of pairs: by chance, each difference might as well have the other
 * sign. Exact for few pairs, else drawn, with the observed signs counted among the draws (Phipson and Smyth 2010).
 */
export function permutationTest(differences: readonly number[], seed: number): number {
  const moved = differences.filter((difference) => difference !== 0);
  if (moved.length === 0) return 1;
  const sum = Math.abs(moved.reduce((total, difference) => total + difference, 0));
  // Sums of the same numbers in another order differ in their last digits.
  const reached = sum * (1 - 1e-9);
  if (moved.length <= EXACT_UP_TO) {
    let extreme = 0;
    for (let signs = 0; signs < 2 ** moved.length; signs++) {
      const turned = moved.reduce(
        (total, difference, at) => total + ((signs >> at) & 1 ? -1 : 1) * difference,
        0,
      );
      if (Math.abs(turned) >= reached) extreme++;
    }
    return extreme / 2 ** moved.length;
  }
  const draws = createDraws(seed);
  let extreme = 0;
  for (let round = 0; round < DRAWN; round++) {
    let turned = 0;
    for (const difference of moved) turned += draws.next() < 0.5 ? -difference : difference;
    if (Math.abs(turned) >= reached) extreme++;
  }
  return (extreme + 1) / (DRAWN + 1);
}

const RESAMPLES = 1_000;
/** Of fewer, the bootstrap's interval holds the mean too seldom: of ten in 90 %, of three in 73 %, of one never. */
const FEWEST_RESAMPLED = 20;

/** The 95 % interval of a mean, by the bootstrap's percentiles (Efron and Tibshirani 1993, chapter 13). null: too few. */
export function meanInterval(values: readonly number[], seed: number): DifferenceInterval | null {
  if (values.length < FEWEST_RESAMPLED) return null;
  const difference = mean(values);
  const draws = createDraws(seed);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[draws.below(values.length)] as number;
    return sum / values.length;
  });
  return { difference, ...percentiles(means) };
}

/** The middle 95 % of resampled values. */
export function percentiles(resampled: readonly number[]): { low: number; high: number } {
  const sorted = resampled.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return { low: at(0.025), high: at(0.975) };
}

/** How many pairs would show a mean difference as large as this one (two-sided, 5 % unless said otherwise, power 80 %). */
export function pairsForMean(values: readonly number[], z = Z_95): number | null {
  const difference = values.length === 0 ? 0 : mean(values);
  if (difference === 0 || values.length < 2) return null;
  const variance = values.reduce((sum, value) => sum + (value - difference) ** 2, 0) / (values.length - 1);
  return Math.max(2, Math.ceil(((z + Z_POWER_80) ** 2 * variance) / difference ** 2));
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Holm's step-down correction (1979, Scandinavian Journal of Statistics 6:65): of several tests, the chance that any tells
 * a difference where there is none stays what it would be for one. In the order of what was handed in.
 */
export function holm(p_values: readonly number[]): number[] {
  const order = p_values
    .map((_, at) => at)
    .toSorted((a, b) => (p_values[a] as number) - (p_values[b] as number));
  const corrected = Array.from(p_values, () => 1);
  let most = 0;
  for (const [rank, at] of order.entries()) {
    most = Math.max(most, Math.min(1, (p_values.length - rank) * (p_values[at] as number)));
    corrected[at] = most;
  }
  return corrected;
}
