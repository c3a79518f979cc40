import {
  holm,
  mean,
  meanInterval,
  newcombeInterval,
  pairsForMean,
  permutationTest,
} from "../evaluations/paired-difference.ts";
import { exactMcNemar, pairsNeeded, pWords, twoSidedZ } from "../evaluations/statistics.ts";
import type { ReplayMeasures } from "./lane-measures.ts";
import { nameOf, type ReplayMean, type ReplayRate, type ReplaySummary } from "./replay-summary.ts";

/** What a replay came to: the candidate against the baseline, pair by pair; pure. */

type Lanes = { observed: ReplayMeasures; baseline: ReplayMeasures; candidate: ReplayMeasures };
export type PairMeasures = {
  status: "pending" | "replayed" | "error" | "skipped";
} & { [lane in keyof Lanes]: ReplayMeasures | null };

/** At this corrected p a difference is told. */
const ALPHA = 0.05;
/** With fewer pairs that differ, McNemar's p is above 0.05 whichever way they go. */
const FEWEST_DIFFERING = 6;

export function compareLanes(
  pairs: readonly PairMeasures[],
  checks: readonly string[],
  seed: number,
): ReplaySummary {
  const replayed = pairs.filter((pair): pair is PairMeasures & Lanes => pair.status === "replayed");
  const rates = tracked(replayed, checks).map((one) => rateOf(replayed, one));
  const able = rates.filter(({ gained, lost }) => gained + lost >= FEWEST_DIFFERING);
  const goals = able.filter(isGoal);
  const details = able.filter((rate) => !isGoal(rate));
  // As many as tell a difference that is judged the most strictly of its family.
  const goal_z = twoSidedZ((ALPHA * SHARE_OF_GOALS) / Math.max(1, goals.length));
  const detail_z = twoSidedZ((ALPHA * (1 - SHARE_OF_GOALS)) / (details.length + MEASURES.length));
  const means = MEASURES.map((measure) => meanOf(replayed, measure, { seed, z: detail_z }));
  correct(goals, SHARE_OF_GOALS);
  correct([...details, ...means], 1 - SHARE_OF_GOALS);
  const count = (status: PairMeasures["status"]) => pairs.filter((pair) => pair.status === status).length;
  const judged = rates.map((rate) => withVerdict(rate, isGoal(rate) ? goal_z : detail_z));
  const verdict = overall(judged);
  return {
    results: {
      total: pairs.length,
      pending: count("pending"),
      replayed: replayed.length,
      error: count("error"),
      skipped: count("skipped"),
    },
    harness: {
      same_outcome: replayed.filter(({ observed, baseline }) => reaches(observed, baseline)).length,
      followed: replayed.filter(({ baseline }) => baseline.diverged === null).length,
      total: replayed.length,
    },
    rates: judged,
    means: means.map(withDirection),
    verdict,
    says: saysOf(verdict, judged, replayed.length),
    cost_usd: pairs
      .flatMap(({ baseline, candidate }) => [baseline, candidate])
      .reduce((sum, lane) => sum + (lane?.cost_usd ?? 0) + (lane?.persona_cost_usd ?? 0), 0),
  };
}

/** Whether a conversation reached what the recorded one did. */
export function reaches(observed: ReplayMeasures, lane: ReplayMeasures): boolean {
  const succeeded = (name: string) =>
    lane.tools.some((each) => each.tool === name && each.called > each.failed);
  return (
    observed.tools.every(
      ({ tool, called, failed, is_service }) => !is_service || called === failed || succeeded(tool),
    ) && observed.steps.every((step) => lane.steps.includes(step))
  );
}

type Tracked = Pick<ReplayRate, "kind" | "name"> & {
  holds(lane: ReplayMeasures, observed: ReplayMeasures): boolean;
};

function tracked(pairs: readonly Lanes[], checks: readonly string[]): Tracked[] {
  const lanes = pairs.flatMap(({ observed, baseline, candidate }) => [observed, baseline, candidate]);
  const services = new Set(
    lanes.flatMap(({ tools }) => tools.flatMap(({ tool, is_service }) => (is_service ? [tool] : []))),
  );
  const steps = new Set(lanes.flatMap((lane) => lane.steps));
  return [
    { kind: "outcome", name: null, holds: (lane, observed) => reaches(observed, lane) },
    ...checks.map((name): Tracked => ({ kind: "check", name, holds: (lane) => lane.checks[name] === true })),
    ...[...services].toSorted().map(
      (name): Tracked => ({
        kind: "tool",
        name,
        holds: (lane) => lane.tools.some(({ tool, called, failed }) => tool === name && called > failed),
      }),
    ),
    ...[...steps]
      .toSorted()
      .map((name): Tracked => ({ kind: "step", name, holds: (lane) => lane.steps.includes(name) })),
    { kind: "ended_by_agent", name: null, holds: (lane) => lane.ended_by === "agent" },
    { kind: "followed", name: null, holds: (lane) => lane.diverged === null },
  ];
}

type UncorrectedRate = Omit<ReplayRate, "verdict" | "says" | "pairs_needed">;
type UncorrectedMean = Omit<ReplayMean, "verdict">;

function rateOf(pairs: readonly Lanes[], { kind, name, holds }: Tracked): UncorrectedRate {
  const cells = pairs.map(({ observed, baseline, candidate }) => ({
    was: holds(baseline, observed),
    is: holds(candidate, observed),
    seen: holds(observed, observed),
    unanswered: candidate.unanswered.length > 0,
  }));
  const gained = cells.filter(({ was, is }) => is && !was).length;
  const losses = cells.filter(({ was, is }) => was && !is);
  const both = cells.filter(({ was, is }) => was && is).length;
  const lost = losses.length;
  const neither = pairs.length - both - gained - lost;
  const interval = newcombeInterval({ both, first: lost, second: gained, neither });
  const p_value = exactMcNemar(gained, lost);
  return {
    kind,
    name,
    pairs: pairs.length,
    gained,
    lost,
    p_value,
    p_corrected: p_value,
    observed: cells.filter(({ seen }) => seen).length,
    baseline: both + lost,
    candidate: both + gained,
    lost_unanswered: losses.filter(({ unanswered }) => unanswered).length,
    difference: interval?.difference ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

const MEASURES = ["turns", "calls", "cost_usd", "latency_ms"] as const;
type Measure = (typeof MEASURES)[number];

const measured = (lane: ReplayMeasures, measure: Measure): number | null =>
  measure === "calls" ? lane.tools.reduce((sum, { called }) => sum + called, 0) : lane[measure];

function meanOf(
  pairs: readonly Lanes[],
  measure: Measure,
  { seed, z }: { seed: number; z: number },
): UncorrectedMean {
  const known = pairs.flatMap(({ observed, baseline, candidate }) => {
    const [was, is] = [measured(baseline, measure), measured(candidate, measure)];
    return was === null || is === null ? [] : [{ was, is, seen: measured(observed, measure) }];
  });
  const differences = known.map(({ was, is }) => is - was);
  const interval = meanInterval(differences, seed);
  const p_value = permutationTest(differences, seed);
  const meanOr = (values: number[]) => (values.length === 0 ? null : mean(values));
  return {
    measure,
    pairs: known.length,
    p_value,
    p_corrected: p_value,
    observed: meanOr(known.flatMap(({ seen }) => (seen === null ? [] : [seen]))),
    baseline: meanOr(known.map(({ was }) => was)),
    candidate: meanOr(known.map(({ is }) => is)),
    difference: meanOr(differences),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    pairs_needed: pairsForMean(differences, z),
  };
}

/** What a replay is for takes this share of the 5 %; its details share the rest. */
const SHARE_OF_GOALS = 0.8;

/**
 * Holm's correction over everything that could have told a difference, the goals and the details each with their share of
 * the 5 %: twenty tools and steps don't hide what happened to the outcome. What can't tell a difference, since too few
 * pairs differ, raises no false alarm and costs the others nothing (Tarone 1990).
 */
function correct(family: readonly { p_value: number; p_corrected: number }[], share: number): void {
  const corrected = holm(family.map(({ p_value }) => p_value));
  for (const [at, one] of family.entries()) one.p_corrected = Math.min(1, (corrected[at] as number) / share);
}

const isGoal = ({ kind }: Pick<ReplayRate, "kind">): boolean => kind === "outcome" || kind === "check";

const sessionsWords = (count: number): string => (count === 1 ? "1 session" : `${count} sessions`);

function withVerdict(rate: UncorrectedRate, z: number): ReplayRate {
  const { gained, lost, pairs, p_corrected } = rate;
  const pairs_needed = pairsNeeded({ pairs, better: gained, worse: lost }, z);
  const isTold = gained + lost >= FEWEST_DIFFERING && p_corrected < ALPHA;
  const verdict = !isTold ? "can't tell" : !isGoal(rate) ? "different" : gained > lost ? "better" : "worse";
  const points = ((rate.difference ?? 0) * 100).toFixed(1);
  const says = isTold
    ? `${rate.baseline} of ${pairs} with the baseline, ${rate.candidate} with the candidate: ${points} points (corrected ${pWords(p_corrected)}).`
    : gained + lost === 0
      ? `No pair differs.`
      : pairs_needed === null
        ? `No difference can be told from ${sessionsWords(pairs)}.`
        : `No difference can be told from ${sessionsWords(pairs)}; ${Math.max(pairs_needed, pairs + 1)} would be needed.`;
  return { ...rate, verdict, pairs_needed, says };
}

function withDirection(mean: UncorrectedMean): ReplayMean {
  const isTold = mean.p_corrected < ALPHA && mean.difference !== null;
  return { ...mean, verdict: !isTold ? "can't tell" : (mean.difference as number) > 0 ? "more" : "less" };
}

/** What got worse is not made up for by what got better. */
function overall(rates: readonly ReplayRate[]): ReplaySummary["verdict"] {
  for (const verdict of ["worse", "better", "different"] as const)
    if (rates.some((rate) => rate.verdict === verdict)) return verdict;
  return "can't tell";
}

function saysOf(verdict: ReplaySummary["verdict"], rates: readonly ReplayRate[], pairs: number): string {
  const told = rates.find((rate) => rate.verdict === verdict);
  if (pairs === 0) return "No session has been replayed.";
  if (verdict === "can't tell" || !told) {
    const outcome = rates[0];
    return outcome && outcome.gained + outcome.lost > 0
      ? outcome.says
      : `No difference can be told from ${sessionsWords(pairs)}.`;
  }
  return `${nameOf(told)}: ${told.says}`;
}
