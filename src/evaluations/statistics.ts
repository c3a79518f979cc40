/** What can be said of pass rates; pure, and tested against published tables. */

/** The normal distribution's 97.5 % and 80 % points. */
export const Z_95 = 1.959963984540054;
export const Z_POWER_80 = 0.8416212335729143;

export type RateInterval = { low: number; high: number };

/** Wilson's interval (without continuity correction) of a rate, 95 % unless said otherwise. Newcombe 1998, method 3. */
export function wilsonInterval(passed: number, total: number, z = Z_95): RateInterval | null {
  if (total === 0) return null;
  const rate = passed / total;
  const z2 = z * z;
  const middle = (2 * total * rate + z2) / (2 * (total + z2));
  const half = (z * Math.sqrt(z2 + 4 * total * rate * (1 - rate))) / (2 * (total + z2));
  // At 0 and 1 rounding leaves a trace of the exact end.
  return {
    low: passed === 0 ? 0 : Math.max(0, middle - half),
    high: passed === total ? 1 : Math.min(1, middle + half),
  };
}

/** McNemar's exact test, two-sided: of the pairs that differ, half would go each way by chance. */
export function exactMcNemar(better: number, worse: number): number {
  const pairs = better + worse;
  // Logarithms, because 0.5 ** 1100 is 0.
  let log = -pairs * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= Math.min(better, worse); k++) {
    tail += Math.exp(log);
    log += Math.log((pairs - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}

/** The normal distribution's point that a two-sided test at `alpha` asks for, to 0.0005 (Hastings 1955, sheet 68). */
export function twoSidedZ(alpha: number): number {
  const t = Math.sqrt(-2 * Math.log(alpha / 2));
  const below = 2.515517 + t * (0.802853 + t * 0.010328);
  return t - below / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/** "p = 0.0312", and never that it is nothing. */
export const pWords = (p_value: number): string =>
  p_value < 0.0001 ? "p < 0.0001" : `p = ${p_value.toFixed(4)}`;

/**
 * How many pairs would show a difference as large as this one (two-sided, 5 % unless said otherwise, power 80 %): Connor
 * 1987, the unconditional form of McNemar's test. null: these pairs show none.
 */
export function pairsNeeded(
  { pairs, better, worse }: { pairs: number; better: number; worse: number },
  z = Z_95,
): number | null {
  if (pairs === 0 || better === worse) return null;
  const discordant = (better + worse) / pairs;
  const difference = (better - worse) / pairs;
  const reach = z * Math.sqrt(discordant) + Z_POWER_80 * Math.sqrt(discordant - difference * difference);
  return Math.ceil((reach * reach) / (difference * difference));
}
