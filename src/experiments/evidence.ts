/**
 * How strongly what happened speaks against "both versions are the same"; pure.
 *
 * Who meets which version is a hash, so if the versions are the same, each person to whom something happens met the tried
 * version with exactly the probability of its weight, whatever the rate is and however it changes over the day. The
 * evidence is how much better odds of `r` against 1 explain the versions of those people, averaged over several `r`. It is
 * a non-negative martingale with mean 1: by Ville's inequality it ever reaches 1/α with a probability of at most α, however
 * often somebody looks (Ville 1939; Wald 1945; Ramdas et al. 2023, "Game-theoretic statistics"). People of different stages
 * are told apart by their weights, so a ramp needs no correction. Refused: mSPRT on the difference of rates (Johari et al.
 * 2017), whose normal approximation fails for the handful of errors that have to stop a ramp.
 */

/** People to whom it happened, of one stage, and the tried version's share of the people of the two versions. */
export type StageCount = { share: number; tried: number; control: number };

const ODDS = [1.25, 1.5, 2, 3, 5, 10, 30];

/** That it happens more often with the tried version. */
export const evidenceOfMore = (stages: readonly StageCount[]): number => mixture(stages, ODDS);

/** That it happens less often. */
export const evidenceOfLess = (stages: readonly StageCount[]): number =>
  mixture(
    stages,
    ODDS.map((odds) => 1 / odds),
  );

/** That it happens more often or less often: the mean of two such bets is one, too. */
export const evidenceOfDifference = (stages: readonly StageCount[]): number =>
  (evidenceOfMore(stages) + evidenceOfLess(stages)) / 2;

function mixture(stages: readonly StageCount[], odds: readonly number[]): number {
  const sum = odds.reduce((sum, r) => sum + Math.exp(Math.min(LARGEST, logEvidence(stages, r))), 0);
  return sum / odds.length;
}

/** e^300 is evidence enough, and a number that JSON has. */
const LARGEST = 300;

const logEvidence = (stages: readonly StageCount[], r: number): number =>
  stages.reduce((sum, { share, tried, control }) => {
    // Where one version has everybody, nobody could have met the other.
    if (share <= 0 || share >= 1) return sum;
    const all = share * r + 1 - share;
    return sum + tried * Math.log(r / all) - control * Math.log(all);
  }, 0);

/**
 * That a rate is above `limit`, for the time when everybody meets the tried version and nobody is left to compare with. It
 * is the same bet: a person to whom something happens with the probability of the limit is one who meets a version with
 * that weight. For a rate at or below the limit it is a supermartingale. People are counted in whole stages, in any order.
 */
export const evidenceAbove = (limit: number, happened: number, people: number): number =>
  evidenceOfMore([{ share: limit, tried: happened, control: people - happened }]);
