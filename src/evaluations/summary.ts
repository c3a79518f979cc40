import { z } from "zod";
import { exactMcNemar, pairsNeeded, pWords, type RateInterval, wilsonInterval } from "./statistics.ts";

/** What a run came to, and how two runs of a suite differ; pure. */

const TestRate = z
  .object({
    passed: z.int(),
    total: z.int(),
    rate: z.number().nullable(),
    low: z.number().nullable().describe("Lower end of the 95 % Wilson interval."),
    high: z.number().nullable(),
  })
  .meta({ id: "TestRate" });

export const TestSummary = z
  .object({
    cases: TestRate.describe("A case passes when all its repetitions do."),
    results: z.object({
      total: z.int(),
      pending: z.int(),
      passed: z.int(),
      failed: z.int(),
      error: z.int(),
      skipped: z.int(),
    }),
    cost_usd: z.number(),
    answer_p95_ms: z
      .number()
      .nullable()
      .describe(
        "Of 100 answers of the agent, 95 came at least so fast, without the time tools took; null: there was none.",
      ),
    agent_cost_usd: z
      .number()
      .nullable()
      .describe("Of the agent's model, in the mean of conversations; null: its price is not known."),
    by_case: z.array(TestRate.extend({ name: z.string() })),
  })
  .meta({ id: "TestSummary" });
export type TestSummary = z.infer<typeof TestSummary>;

export type TestStatus = "pending" | "passed" | "failed" | "error" | "skipped";
/** What a conversation took. */
export type TestMeasures = { answers_ms: number[]; agent_cost_usd: number | null };
export type CountedResult = {
  case_name: string;
  status: TestStatus;
  cost_usd: number | null;
  /** Left out of those that were not held, and of runs that an earlier version of the program played. */
  measures?: TestMeasures | null;
};

/** Results in the order of cases. What is pending or was skipped counts in no rate. */
export function summarize(results: readonly CountedResult[]): TestSummary {
  const by_case = [...casesOf(results)].map(([name, own]) => {
    const counted = own.filter(isCounted);
    return { name, ...rateOf(counted.filter(hasPassed).length, counted.length) };
  });
  const judged = by_case.filter(({ total }) => total > 0);
  const count = (status: TestStatus) => results.filter((result) => result.status === status).length;
  return {
    cases: rateOf(judged.filter(({ passed, total }) => passed === total).length, judged.length),
    results: {
      total: results.length,
      pending: count("pending"),
      passed: count("passed"),
      failed: count("failed"),
      error: count("error"),
      skipped: count("skipped"),
    },
    cost_usd: results.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
    ...taken(results),
    by_case,
  };
}

function taken(results: readonly CountedResult[]): Pick<TestSummary, "answer_p95_ms" | "agent_cost_usd"> {
  const measured = results.flatMap(({ measures }) => (measures ? [measures] : []));
  const costs = measured.map(({ agent_cost_usd }) => agent_cost_usd);
  const known = costs.filter((cost) => cost !== null);
  return {
    answer_p95_ms: nearestRank(
      measured.flatMap(({ answers_ms }) => answers_ms),
      0.95,
    ),
    agent_cost_usd:
      known.length === 0 || known.length < costs.length
        ? null
        : known.reduce((sum, cost) => sum + cost, 0) / known.length,
  };
}

/** The smallest value that at least this share of them does not exceed. */
function nearestRank(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null;
}

export const TestComparison = z
  .object({
    pairs: z.int().describe("Cases that both runs have and that could be held."),
    better: z.array(z.string()).describe("Cases that failed before and pass now."),
    worse: z.array(z.string()).describe("Cases that passed before and fail now."),
    left_out: z
      .array(z.string())
      .describe("Cases with an error in one of the runs: they say nothing of either agent."),
    p_value: z.number().describe("McNemar's exact test, two-sided."),
    verdict: z.enum(["better", "worse", "can't tell"]),
    pairs_needed: z
      .int()
      .nullable()
      .describe(
        "How many cases would show a difference of this size (5 %, power 80 %); null where there is none.",
      ),
    says: z.string(),
  })
  .meta({ id: "TestComparison" });
export type TestComparison = z.infer<typeof TestComparison>;

/** At this p a difference is told. */
const ALPHA = 0.05;

/**
 * Pairs cases, not repetitions: those of one case are no independent evidence. A case that was played three times in one run
 * and once in the other is compared by its first repetition, because all of three pass more seldom than one.
 */
export function compareRuns(
  before: readonly CountedResult[],
  after: readonly CountedResult[],
): TestComparison {
  const earlier = casesOf(before.filter(isCounted));
  const both = [...casesOf(after.filter(isCounted))].flatMap(([name, now]) => {
    const was = earlier.get(name);
    if (was === undefined) return [];
    const held = Math.min(was.length, now.length);
    return [{ name, was: outcomeOf(was.slice(0, held)), now: outcomeOf(now.slice(0, held)) }];
  });
  const [left_out, paired] = [both.filter(hasError).map(({ name }) => name), both.filter(isHeld)];
  const changed = (from: Outcome, to: Outcome) =>
    paired.filter(({ was, now }) => was === from && now === to).map(({ name }) => name);
  const [better, worse] = [changed("failed", "passed"), changed("passed", "failed")];
  const counts = { pairs: paired.length, better: better.length, worse: worse.length };
  const p_value = exactMcNemar(counts.better, counts.worse);
  const pairs_needed = pairsNeeded(counts);
  const verdict = p_value >= ALPHA ? "can't tell" : counts.better > counts.worse ? "better" : "worse";
  const told =
    verdict !== "can't tell"
      ? `${casesWords(better.length)} got better and ${worse.length} worse (${pWords(p_value)}).`
      : pairs_needed === null
        ? `No difference can be told from ${casesWords(counts.pairs)}.`
        : `No difference can be told from ${casesWords(counts.pairs)}; ${Math.max(pairs_needed, counts.pairs + 1)} would be needed.`;
  const says = left_out.length === 0 ? told : `${told} ${leftOutWords(left_out.length)}`;
  return { pairs: counts.pairs, better, worse, left_out, p_value, verdict, pairs_needed, says };
}

const casesWords = (count: number): string => (count === 1 ? "1 case" : `${count} cases`);

const leftOutWords = (count: number): string =>
  count === 1
    ? "1 case is left out: in one of the runs it ended in an error."
    : `${count} cases are left out: in one of the runs they ended in an error.`;

/** An error is no failure of the agent: the model gave no answer, or the case could not be played. */
type Outcome = "passed" | "failed" | "error";
type Paired = { name: string; was: Outcome; now: Outcome };
const hasError = ({ was, now }: Paired): boolean => was === "error" || now === "error";
const isHeld = (pair: Paired): boolean => !hasError(pair);

/** Also where another repetition failed: a case that is kept only when it fails would make its run look worse. */
const outcomeOf = (own: readonly CountedResult[]): Outcome =>
  own.some(({ status }) => status === "error") ? "error" : own.every(hasPassed) ? "passed" : "failed";

const casesOf = (results: readonly CountedResult[]): Map<string, CountedResult[]> =>
  Map.groupBy(results, ({ case_name }) => case_name);

const isCounted = ({ status }: CountedResult): boolean => status !== "pending" && status !== "skipped";
const hasPassed = ({ status }: CountedResult): boolean => status === "passed";

function rateOf(passed: number, total: number) {
  const interval: RateInterval | null = wilsonInterval(passed, total);
  return {
    passed,
    total,
    rate: total === 0 ? null : passed / total,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}
