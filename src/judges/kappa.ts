import { createDraws } from "../evaluations/draws.ts";
import { percentiles } from "../evaluations/paired-difference.ts";
import { type RateInterval, wilsonInterval } from "../evaluations/statistics.ts";

/** How well a judge agrees with people; pure, and tested against published tables. */

/** Sessions by what a person and what the judge said of them: of both, of the person alone, of the judge alone, of neither. */
export type Agreement = { both_yes: number; person_yes: number; judge_yes: number; both_no: number };

/**
 * Cohen's kappa (1960, Educational and Psychological Measurement 20:37): agreement beyond chance. null where chance alone
 * would agree always: both said the same of every session.
 */
export function cohensKappa(agreement: Agreement): number | null {
  const total = totalOf(agreement);
  if (total === 0) return null;
  const chance = chanceOf(agreement);
  const observed = (agreement.both_yes + agreement.both_no) / total;
  return chance >= 1 ? null : (observed - chance) / (1 - chance);
}

const totalOf = ({ both_yes, person_yes, judge_yes, both_no }: Agreement): number =>
  both_yes + person_yes + judge_yes + both_no;

/** How often both would agree by chance. */
function chanceOf(agreement: Agreement): number {
  const { both_yes, person_yes, judge_yes, both_no } = agreement;
  const total = totalOf(agreement);
  const yes = ((both_yes + person_yes) / total) * ((both_yes + judge_yes) / total);
  const no = ((both_no + judge_yes) / total) * ((both_no + person_yes) / total);
  return yes + no;
}

const RESAMPLES = 2_000;
/** From as many on the bootstrap is wide enough by itself. */
const MANY_DIFFER = 5;

type KappaInterval = { kappa: number; low: number; high: number };

/**
 * Kappa with its 95 % interval, by the bootstrap's percentiles: the sessions are drawn again, with the same seed each time.
 * A draw in which kappa is not defined is left out. Where few sessions differ, nearly every draw agrees as well, and the
 * interval is at least as wide as that of the agreement itself (Wilson): of simulated judges that err in 1 of 100 answers,
 * the bootstrap of 50 labels held the true kappa in 37 %.
 */
export function kappaInterval(agreement: Agreement, seed: number): KappaInterval | null {
  const kappa = cohensKappa(agreement);
  if (kappa === null) return null;
  const { both_yes, person_yes, judge_yes, both_no } = agreement;
  const ends = [both_yes, both_yes + person_yes, both_yes + person_yes + judge_yes];
  const total = totalOf(agreement);
  const draws = createDraws(seed);
  const resampled: number[] = [];
  for (let round = 0; round < RESAMPLES; round++) {
    const cells = [0, 0, 0, 0] as [number, number, number, number];
    for (let at = 0; at < total; at++) {
      const pick = draws.below(total);
      const cell =
        pick < (ends[0] as number) ? 0 : pick < (ends[1] as number) ? 1 : pick < (ends[2] as number) ? 2 : 3;
      cells[cell] += 1;
    }
    const [a, b, c, d] = cells;
    const again = cohensKappa({ both_yes: a, person_yes: b, judge_yes: c, both_no: d });
    if (again !== null) resampled.push(again);
  }
  const drawn = resampled.length === 0 ? { low: kappa, high: kappa } : percentiles(resampled);
  if (person_yes + judge_yes >= MANY_DIFFER) return { kappa, ...drawn };
  const chance = chanceOf(agreement);
  const agreed = wilsonInterval(both_yes + both_no, total) as RateInterval;
  const ofAgreement = (rate: number) => Math.max(-1, (rate - chance) / (1 - chance));
  return {
    kappa,
    low: Math.min(drawn.low, ofAgreement(agreed.low)),
    high: Math.max(drawn.high, ofAgreement(agreed.high)),
  };
}
