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
  if (pairs === 0) return 1;
  // Logarithms, because 0.5 ** 1100 is 0.
  let log = -pairs * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= Math.min(better, worse); k++) {
    tail += Math.exp(log);
    log += Math.log((pairs - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}

/**
 * How many pairs would show a difference as large as this one (5 %, two-sided, power 80 %): Connor 1987, the unconditional
 * form of McNemar's test. null: these pairs show none.
 */
export function pairsNeeded({
  pairs,
  better,
  worse,
}: {
  pairs: number;
  better: number;
  worse: number;
}): number | null {
  if (pairs === 0 || better === worse) return null;
  const discordant = (better + worse) / pairs;
  const difference = (better - worse) / pairs;
  const reach = Z_95 * Math.sqrt(discordant) + Z_POWER_80 * Math.sqrt(discordant - difference * difference);
  return Math.ceil((reach * reach) / (difference * difference));
}
