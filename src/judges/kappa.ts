import { createDraws } from "../evaluations/draws.ts";
import { percentiles } from "../evaluations/paired-difference.ts";

/** How well a judge agrees with people; pure, and tested against published tables. */

/** Sessions by what a person and what the judge said of them: of both, of the person alone, of the judge alone, of neither. */
export type Agreement = { both_yes: number; person_yes: number; judge_yes: number; both_no: number };

/**
 * Cohen's kappa (1960, Educational and Psychological Measurement 20:37): agreement beyond chance. null where chance alone
 * would agree always: both said the same of every session.
 */
export function cohensKappa({ both_yes, person_yes, judge_yes, both_no }: Agreement): number | null {
  const total = both_yes + person_yes + judge_yes + both_no;
  if (total === 0) return null;
  const observed = (both_yes + both_no) / total;
  const yes = ((both_yes + person_yes) / total) * ((both_yes + judge_yes) / total);
  const no = ((both_no + judge_yes) / total) * ((both_no + person_yes) / total);
  const chance = yes + no;
  return chance >= 1 ? null : (observed - chance) / (1 - chance);
}

const RESAMPLES = 2_000;

type KappaInterval = { kappa: number; low: number; high: number };

/**
 * Kappa with its 95 % interval, by the bootstrap's percentiles: the sessions are drawn again, with the same seed each time.
 * A draw in which kappa is not defined is left out.
 */
export function kappaInterval(agreement: Agreement, seed: number): KappaInterval | null {
  const kappa = cohensKappa(agreement);
  if (kappa === null) return null;
  const { both_yes, person_yes, judge_yes, both_no } = agreement;
  const ends = [both_yes, both_yes + person_yes, both_yes + person_yes + judge_yes];
  const total = (ends[2] as number) + both_no;
  const draws = createDraws(seed);
  const resampled: number[] = [];
  for (let round = 0; round < RESAMPLES; round++) {
    const drawn = [0, 0, 0, 0] as [number, number, number, number];
    for (let at = 0; at < total; at++) {
      const pick = draws.below(total);
      const cell =
        pick < (ends[0] as number) ? 0 : pick < (ends[1] as number) ? 1 : pick < (ends[2] as number) ? 2 : 3;
      drawn[cell] += 1;
    }
    const [a, b, c, d] = drawn;
    const again = cohensKappa({ both_yes: a, person_yes: b, judge_yes: c, both_no: d });
    if (again !== null) resampled.push(again);
  }
  if (resampled.length === 0) return { kappa, low: kappa, high: kappa };
  const { low, high } = percentiles(resampled);
  return { kappa, low, high };
}
