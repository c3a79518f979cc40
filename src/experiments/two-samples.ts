import { wilsonInterval, Z_POWER_80 } from "../evaluations/statistics.ts";

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

/** `variance`: that of the mean, times `n`. */
export type Sample = { n: number; mean: number; variance: number };

const ALPHA = 0.05;
/** The interval is narrowest, for what it has to hold, at about so many. */
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
  const half = widthOf(n) * Math.sqrt(varianceOf(tried, control) / n);
  const difference = tried.mean - control.mean;
  return { difference, low: difference - half, high: difference + half };
}

/** How many standard errors the interval reaches to each side. */
function widthOf(n: number): number {
  const scale = n * RHO_2;
  return Math.sqrt(((scale + 1) / scale) * Math.log((scale + 1) / ALPHA ** 2));
}

/**
 * Of the difference, times n: each with its own variance, or both with the common one, whichever is larger. Of durations
 * and costs few are long, and a small group that has not met one yet has too small a variance of its own: of 500
 * simulated A/A experiments at 5 %, whose log-normal durations (sigma 1) were looked at 60 times, 11 % told a difference
 * without the common one, and none with it.
 */
function varianceOf(tried: Sample, control: Sample): number {
  const n = tried.n + control.n;
  const common = ((tried.n - 1) * tried.variance + (control.n - 1) * control.variance) / Math.max(1, n - 2);
  const own = tried.variance / tried.n + control.variance / control.n;
  return n * Math.max(own, common * (1 / tried.n + 1 / control.n));
}

/** More than anybody has. */
const MOST = 1e9;

/**
 * How many in all would show a difference of means as large as this one, shared as they are now: from so many on the
 * interval leaves out 0 in 80 of 100. null: these show none.
 */
export function neededForMean(tried: Sample, control: Sample): number | null {
  const difference = Math.abs(tried.mean - control.mean);
  if (difference === 0 || tried.n === 0 || control.n === 0) return null;
  const variance = varianceOf(tried, control);
  return fewestFrom(
    tried.n + control.n,
    (n) => difference > (widthOf(n) + Z_POWER_80) * Math.sqrt(variance / n),
  );
}

type Rate = { count: number; total: number };

/** The same of rates. `isTold`: whether the test tells a difference when it happened to so many of so many. */
export function neededForRate(
  tried: Rate,
  control: Rate,
  isTold: (tried: Rate, control: Rate) => boolean,
): number | null {
  const people = tried.total + control.total;
  const [p1, p2] = [tried.count / tried.total, control.count / control.total];
  if (!(tried.total > 0 && control.total > 0) || p1 === p2) return null;
  const towards = Math.sign(p2 - p1) * Z_POWER_80;
  return fewestFrom(people, (n) => {
    const [n1, n2] = [(tried.total * n) / people, (control.total * n) / people];
    const [v1, v2] = [(p1 * (1 - p1)) / n1, (p2 * (1 - p2)) / n2];
    const unlucky = v1 + v2 === 0 ? 0 : towards / Math.sqrt(v1 + v2);
    const [is, was] = [p1 + unlucky * v1, p2 - unlucky * v2];
    // Chance may hide all of it.
    if (Math.sign(was - is) !== Math.sign(p2 - p1)) return false;
    return isTold({ count: n1 * is, total: n1 }, { count: n2 * was, total: n2 });
  });
}

function fewestFrom(have: number, isEnough: (n: number) => boolean): number | null {
  let [few, enough] = [have, have + 1];
  while (!isEnough(enough)) {
    if (enough > MOST) return null;
    [few, enough] = [enough, enough * 2];
  }
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}
