import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { type Caller, requirePermission } from "../api/caller.ts";
import { integer } from "../api/schema.ts";
import type { Db } from "../db/database.ts";
import { newcombeInterval, type PairedCounts } from "../evaluations/paired-difference.ts";
import { type PairMeasures, reaches } from "../replays/compare-lanes.ts";
import type { ReplayMeasures } from "../replays/lane-measures.ts";
import { MAX_SESSIONS, ReplayFilter } from "../replays/replay-request.ts";

/** A replay that a draft has to pass before it is published. */
export const ReplayGate = z
  .strictObject({
    filter: ReplayFilter.prefault({}).describe("Of the sessions that are replayed."),
    sessions: integer({ min: 1, max: MAX_SESSIONS })
      .default(100)
      .describe("The least number of sessions, as far as the filter finds them."),
    most_regression: z
      .number()
      .min(0)
      .max(1)
      .describe(
        "How many fewer sessions than with the live version may reach what was reached, as a share: 0.05 is 5 points. The whole 95 % interval of the paired difference has to lie within it.",
      ),
  })
  .meta({ id: "ReplayGate" });
export type ReplayGate = z.infer<typeof ReplayGate>;

export const ReplayGateResult = z
  .object({
    filter: ReplayFilter,
    sessions: z.int(),
    most_regression: z.number(),
    replay_id: z
      .int()
      .nullable()
      .describe("The last finished replay of this exact draft against the live version; null: none."),
    pairs: z.int().nullable().describe("Sessions that count."),
    difference: z
      .number()
      .nullable()
      .describe("Share of sessions with the draft, less that with the live version."),
    low: z.number().nullable().describe("Lower end of Newcombe's 95 % interval of the paired difference."),
    high: z.number().nullable(),
    sessions_needed: z
      .int()
      .nullable()
      .describe("How many would rule the regression out, if the difference stays; null: none would."),
    verdict: z
      .enum(["passes", "worse", "can't tell", "missing"])
      .describe(
        "worse: more of a regression than is allowed. can't tell: it can't be ruled out. Both hold back.",
      ),
    passes: z.boolean(),
    says: z.string(),
  })
  .meta({ id: "ReplayGateResult" });
export type ReplayGateResult = z.infer<typeof ReplayGateResult>;

/** What the replay gate says of this state of the agent; null: there is no such gate. */
export async function replayGateResult(
  db: Db,
  { sub_organization_id }: Pick<Caller, "sub_organization_id">,
  agent_id: number,
  fingerprint: string,
  { gate, live }: { gate: ReplayGate | null; live: number | null },
): Promise<ReplayGateResult | null> {
  if (gate === null) return null;
  const replay =
    live === null
      ? undefined
      : await db
          .selectFrom("replays")
          .where("sub_organization_id", "=", sub_organization_id)
          .where("agent_id", "=", agent_id)
          .where("fingerprint", "=", fingerprint)
          .where("baseline", "=", String(live))
          .where("status", "=", "finished")
          .where(sql<boolean>`(request ->> 'sessions')::int >= ${gate.sessions}`)
          .where(
            sql<boolean>`jsonb_strip_nulls((request -> 'filter')::jsonb) = jsonb_strip_nulls(${JSON.stringify(gate.filter)}::jsonb)`,
          )
          .orderBy("id", "desc")
          .limit(1)
          .select("id")
          .executeTakeFirst();
  if (!replay) return judgeReplayGate(gate, live, null);
  const pairs = await db
    .selectFrom("replay_pairs")
    .where("replay_id", "=", replay.id)
    .select(["session_id", "status", "observed", "baseline", "candidate"])
    .execute();
  return judgeReplayGate(gate, live, {
    id: replay.id,
    // Whose recording was deleted says nothing about either version.
    ...outcomesOf(
      pairs.filter(
        (pair) => pair.status !== "skipped" || pair.session_id !== null,
      ) as unknown as PairMeasures[],
    ),
  });
}

type ReplayedOutcomes = PairedCounts & {
  failed: number;
  skipped: number;
  /** Recorded sessions in which a service succeeded or a step was reached: without any, nothing can be lost. */
  reached: number;
};

/** Pairs by who reached what was reached in the recording: both, the live version alone, the draft alone, neither. Pure. */
export function outcomesOf(pairs: readonly PairMeasures[]): ReplayedOutcomes {
  const counts = { both: 0, first: 0, second: 0, neither: 0, failed: 0, skipped: 0, reached: 0 };
  for (const { status, observed, baseline, candidate } of pairs) {
    if (status === "error") counts.failed++;
    else if (status !== "replayed" || !observed || !baseline || !candidate) counts.skipped++;
    else {
      if (reachesAny(observed)) counts.reached++;
      const [was, is] = [reaches(observed, baseline), reaches(observed, candidate)];
      counts[was ? (is ? "both" : "first") : is ? "second" : "neither"]++;
    }
  }
  return counts;
}

const reachesAny = ({ tools, steps }: ReplayMeasures): boolean =>
  steps.length > 0 || tools.some(({ called, failed, is_service }) => is_service && called > failed);

/**
 * Pure. A conversation that could not be held to its end counts as one that only the live version holds well: a draft that
 * breaks must not look better for it.
 */
export function judgeReplayGate(
  { filter, sessions, most_regression }: ReplayGate,
  live: number | null,
  replay: (ReplayedOutcomes & { id: number }) | null,
): ReplayGateResult {
  const asked = { filter, sessions, most_regression };
  const nothing = { pairs: null, difference: null, low: null, high: null, sessions_needed: null };
  if (live === null)
    return {
      ...asked,
      ...nothing,
      replay_id: null,
      verdict: "passes",
      passes: true,
      says: "Replay: there is no live version to compare with yet.",
    };
  const missing = (replay_id: number | null, says: string): ReplayGateResult => {
    return { ...asked, ...nothing, replay_id, verdict: "missing", passes: false, says };
  };
  if (replay === null)
    return missing(
      null,
      `Replay: no replay of ${sessions} sessions with this draft against version ${live}.`,
    );
  const { id, failed, skipped } = replay;
  if (skipped > 0) return missing(id, `Replay ${id}: ${skipped} sessions were not replayed.`);
  if (replay.reached === 0 && failed === 0)
    return missing(
      id,
      `Replay ${id}: in none of its sessions a service succeeded or a step was reached, so it can't show a regression. Ask for a suite instead.`,
    );
  const counts = { ...replay, first: replay.first + failed };
  const pairs = pairsOf(counts);
  const found = newcombeInterval(counts);
  if (!found) return missing(id, `Replay ${id}: none of its sessions is there any more.`);
  const verdict =
    found.low >= -most_regression ? "passes" : found.high < -most_regression ? "worse" : "can't tell";
  const sessions_needed = verdict === "can't tell" ? neededFor(counts, most_regression) : null;
  const failures = failed === 0 ? "" : ` ${failed} could not be held to the end and count as a regression.`;
  const allowed = `${pointsOf(most_regression)} are allowed.`;
  const says = {
    passes: `Replay ${id}: of ${pairs} sessions at most ${pointsOf(-found.low)} fewer reach what was reached; ${allowed}`,
    worse: `Replay ${id}: of ${pairs} sessions at least ${pointsOf(-found.high, "least")} fewer reach what was reached; ${allowed}`,
    "can't tell": `Replay ${id}: ${pairs === 1 ? "1 session doesn't" : `${pairs} sessions don't`} rule out a regression of ${pointsOf(-found.low)}; ${allowed}${sessions_needed === null ? "" : ` About ${sessions_needed} sessions would be needed.`}`,
  }[verdict];
  return {
    ...asked,
    ...found,
    replay_id: id,
    pairs,
    sessions_needed,
    verdict,
    passes: verdict === "passes",
    says: `${says}${failures}`,
  };
}

const pairsOf = ({ both, first, second, neither }: PairedCounts): number => both + first + second + neither;

const MOST_NEEDED = 100_000;

/** The smallest number of sessions, in the same proportions, whose interval lies within what is allowed. Pure. */
function neededFor(counts: PairedCounts, most_regression: number): number | null {
  const pairs = pairsOf(counts);
  const isEnough = (wanted: number): boolean => {
    const share = wanted / pairs;
    const { both, first, second, neither } = counts;
    const found = newcombeInterval({
      both: both * share,
      first: first * share,
      second: second * share,
      neither: neither * share,
    });
    return found !== null && found.low >= -most_regression;
  };
  if (!isEnough(MOST_NEEDED)) return null;
  let [few, enough] = [pairs, MOST_NEEDED];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else few = middle;
  }
  return enough;
}

/** "5.1 points", to the tenth: a regression is told as no smaller than it may be, and a certain one as no larger. */
function pointsOf(share: number, told: "most" | "least" = "most"): string {
  const tenths = share * 1000;
  // What a product of decimals leaves behind is no tenth more.
  const rounded = told === "most" ? Math.ceil(tenths - 1e-6) : Math.floor(tenths + 1e-6);
  return `${Math.max(0, rounded) / 10} points`;
}

/** Pure: whether whoever passes this gate would have passed the one before. */
export function asksAsMuchOfReplay(gate: ReplayGate | null, was: ReplayGate | null): boolean {
  if (was === null) return true;
  return (
    gate !== null &&
    gate.most_regression <= was.most_regression &&
    gate.sessions >= was.sessions &&
    isSameFilter(gate.filter, was.filter)
  );
}

/** Other sessions may be easier ones. */
const isSameFilter = (a: ReplayFilter, b: ReplayFilter): boolean =>
  (Object.keys({ ...a, ...b }) as (keyof ReplayFilter)[]).every(
    (field) => (a[field] ?? null) === (b[field] ?? null),
  );

const mayReadLabels = ({ permissions }: Caller): boolean => permissions.has("session_labels_read");

/** As an answer has it: for whom sessions' ratings are not to see, it doesn't say which one was asked for. */
export const shownGate = (caller: Caller, result: ReplayGateResult | null): ReplayGateResult | null =>
  result === null || mayReadLabels(caller)
    ? result
    : { ...result, filter: { ...result.filter, label: null } };

/** The same in a statement. */
export const shownGateOf = (
  caller: Caller,
  column: RawBuilder<unknown>,
): RawBuilder<ReplayGateResult | null> =>
  mayReadLabels(caller)
    ? sql`${column}`
    : sql`case when ${column} is not null then jsonb_set(${column}::jsonb, '{filter,label}', 'null') end`;

/** Who was not shown the rating sends none back, and keeps it. */
export function sentGate(
  caller: Caller,
  sent: ReplayGate | null,
  before: ReplayGate | null,
): ReplayGate | null {
  if (sent === null || mayReadLabels(caller)) return sent;
  if (sent.filter.label != null) requirePermission(caller, "session_labels_read");
  return { ...sent, filter: { ...sent.filter, label: before?.filter.label ?? null } };
}
