import { wilsonInterval } from "../evaluations/statistics.ts";

/** Differences between two versions, and how many people would show one; pure. */

export type Difference = { difference: number; low: number; high: number };

/** Newcombe's interval of a difference of two rates, 95 % (1998, method 10: from Wilson's intervals, no correction). */
export function rateDifference(
  tried: { count: number; total: number },
  control: { count: number; total: number },
): Difference | null {
  const one = wilsonInterval(tried.count, tried.total);
  const other = wilsonInterval(control.count, control.total);
  if (!one || !other) return null;
  const [p1, p2] = [tried.count / tried.total, control.count / control.total];
  return {
    difference: p1 - p2,
    low: p1 - p2 - Math.hypot(p1 - one.low, other.high - p2),
    high: p1 - p2 + Math.hypot(one.high - p1, p2 - other.low),
  };
}

export type Sample = { n: number; mean: number; variance: number };

const ALPHA = 0.05;
/** The interval is narrowest, for what it has to hold, at about so many sessions. */
const TUNED_FOR = 500;
/** rho² of Waudby-Smith et al., equation 24, for `TUNED_FOR`. */
const RHO_2 = (-2 * Math.log(ALPHA) + Math.log(-2 * Math.log(ALPHA) + 1)) / TUNED_FOR;
const FEWEST = 20;

/**
 * A 95 % interval of a difference of means that holds at all times together, so that looking every day needs no correction:
 * an asymptotic confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024). null: too few for the normal
 * distribution to be near.
 */
export function meanDifference(tried: Sample, control: Sample): Difference | null {
  if (tried.n < FEWEST || control.n < FEWEST) return null;
  const n = tried.n + control.n;
  const se2 = tried.variance / tried.n + control.variance / control.n;
  const scale = n * RHO_2;
  const half = Math.sqrt(se2 * ((scale + 1) / scale) * Math.log((scale + 1) / ALPHA ** 2));
  const difference = tried.mean - control.mean;
  return { difference, low: difference - half, high: difference + half };
}

/** (z of 97.5 % + z of 80 %)². */
const REACH_2 = (1.959963984540054 + 0.8416212335729143) ** 2;

/**
 * How many people in all would show a difference as large as this one (5 %, two-sided, power 80 %), shared as they are now.
 * null: these show none.
 */
export function peopleNeeded(
  tried: { n: number; mean: number; variance: number },
  control: { n: number; mean: number; variance: number },
): number | null {
  const difference = tried.mean - control.mean;
  const n = tried.n + control.n;
  if (difference === 0 || tried.n === 0 || control.n === 0) return null;
  const variance = (tried.variance * n) / tried.n + (control.variance * n) / control.n;
  return Math.ceil((REACH_2 * variance) / difference ** 2);
}

export const rateSample = (count: number, total: number): Sample => {
  const mean = total === 0 ? 0 : count / total;
  return { n: total, mean, variance: mean * (1 - mean) };
};
