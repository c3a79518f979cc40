import { MAX_ATTEMPTS } from "../planning/forecast.ts";
import type { PersonLimit } from "../planning/per-person.ts";
import { type ForecastLimits, limitsText } from "./forecast-limits.ts";
import { type Judged, judgedText } from "./judge-numbers.ts";

type Assumed = Judged & {
  answer_rate: number;
  /** Attempts per hour, of each batch that has a rate of its own. */
  rates: number[];
  skip_rate: number;
  per_person: PersonLimit | null;
  has_rules: boolean;
  /** After the campaign's own. */
  steps: number;
  limits: ForecastLimits;
  /** Its retries prefer hours in which people answer. */
  moves_retries: boolean;
  stopped_at: Date | null;
};

/** What a forecast supposes and leaves out, in sentences. Pure. */
export const assumptions = ({
  answer_rate,
  rates,
  skip_rate,
  per_person,
  has_rules,
  steps,
  limits,
  moves_retries,
  stopped_at,
  ...judged
}: Assumed): string[] => [
  `${percent(answer_rate)} of the attempts reach their person; the others count as not answered and may be retried.`,
  `${percent(skip_rate)} of the people are skipped: by filters, the suppression list, missing consent, or the operator's settings.`,
  ...judgedText(judged),
  ...(steps === 0
    ? []
    : ["Every person has an address for each step, and nobody answers the texts and mails of later steps."]),
  ...(per_person === null
    ? []
    : ["OUTREACH_MOST_PER_PERSON is left out: who is tried as often as it allows waits longer than shown."]),
  ...(has_rules
    ? [
        "Hours, holidays and times of each person's own clock, and caps over all campaigns, are left out: who waits for them is reached later than shown.",
      ]
    : []),
  ...(rates.length < 2
    ? []
    : [
        `Each batch keeps its own rate: these ${rates.length} batches make up to ${rates.reduce((sum, rate) => sum + rate, 0)} attempts an hour together.`,
      ]),
  ...(moves_retries ? ["Retries keep their time: none moves to an hour in which more people answer."] : []),
  ...limitsText(limits),
  "A line is always free, nothing is paused, and nobody edits the campaign.",
  ...(stopped_at === null ? [] : [`The forecast stops after ${MAX_ATTEMPTS.toLocaleString("en")} attempts.`]),
];

const percent = (part: number): string => `${Math.round(part * 1000) / 10} %`;
