import { createDraws } from "./draws.ts";
import { percentiles } from "./paired-difference.ts";

/** How far a judge agrees with people; pure, and tested against published examples. */

/** One conversation: what a person says of it, and what the judge says. */
export type Rated = { person: boolean | string; judge: boolean | string };

/** Cohen's κ (1960, Educational and Psychological Measurement 20:37). null: there is nothing to agree on. */
export function cohensKappa(rated: readonly Rated[]): number | null {
  if (rated.length === 0) return null;
  const share = (count: number) => count / rated.length;
  const answers = new Set(rated.flatMap(({ person, judge }) => [person, judge]));
  const agreed = share(rated.filter(({ person, judge }) => person === judge).length);
  let by_chance = 0;
  for (const answer of answers) {
    const persons = share(rated.filter(({ person }) => person === answer).length);
    const judges = share(rated.filter(({ judge }) => judge === answer).length);
    by_chance += persons * judges;
  }
  // Both gave one and the same answer throughout: agreement can't be told from chance.
  if (1 - by_chance < 1e-12) return null;
  return (agreed - by_chance) / (1 - by_chance);
}

const RESAMPLES = 2_000;

/** κ with its 95 % bootstrap interval. A sample in which κ is not defined counts as no agreement. */
export function kappaInterval(
  rated: readonly Rated[],
  seed: number,
): { kappa: number; low: number; high: number } | null {
  const kappa = cohensKappa(rated);
  if (kappa === null) return null;
  const draws = createDraws(seed);
  const resampled = Array.from({ length: RESAMPLES }, () => {
    const sample = Array.from({ length: rated.length }, () => rated[draws.below(rated.length)] as Rated);
    return cohensKappa(sample) ?? 0;
  });
  return { kappa, ...percentiles(resampled) };
}
