import { wilsonInterval } from "../../evaluations/statistics.ts";

/** When a number rests by itself. Hours are of 60 minutes. */
export type HealthRule = {
  window_hours: number;
  /** Of the share that the group's other numbers have, 0 to 1. */
  least_share: number;
  /** Fewer attempts from a number, or from the others together, say nothing. */
  least_attempts: number;
  rest_hours: number;
};

/** Attempts of a number that are over, within the window and since its last rest. */
export type NumberAnswers = { id: number; attempts: number; answered: number };

/** A number that is to rest. Shares are from 0 to 1. */
export type SickNumber = NumberAnswers & { high: number; others_low: number };

/**
 * The numbers whose share of answers is, as far as chance allows to say, below the rule's part of what the group's other
 * numbers have: the upper end of its 95 % interval is compared with the lower end of theirs. The number with the highest
 * share never rests. Pure.
 */
export function numbersToRest(rule: HealthRule, numbers: readonly NumberAnswers[]): SickNumber[] {
  const all = numbers.reduce(
    (sum, { attempts, answered }) => ({
      attempts: sum.attempts + attempts,
      answered: sum.answered + answered,
    }),
    { attempts: 0, answered: 0 },
  );
  return numbers.flatMap((number) => {
    const { attempts, answered } = number;
    const others = { attempts: all.attempts - attempts, answered: all.answered - answered };
    if (attempts < rule.least_attempts || others.attempts < rule.least_attempts) return [];
    const high = wilsonInterval(answered, attempts)?.high ?? 1;
    const others_low = wilsonInterval(others.answered, others.attempts)?.low ?? 0;
    return high < rule.least_share * others_low ? [{ ...number, high, others_low }] : [];
  });
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** For people, without the number itself. */
export const restText = (rule: HealthRule, { attempts, answered, others_low }: SickNumber): string =>
  `${answered} of ${attempts} attempts in ${rule.window_hours} hours were answered, while the group's other numbers have at least ${percent(others_low)}`;
