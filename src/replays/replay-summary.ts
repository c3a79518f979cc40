import { z } from "zod";

/** What a replay came to, as the API tells it: what each lane did how often, and what can be told of the difference. */

const ReplayRate = z
  .object({
    kind: z
      .enum(["outcome", "check", "tool", "step", "ended_by_agent", "followed"])
      .describe(
        "outcome: each service that succeeded and each step that was reached in the recording, succeeds and is reached again; followed: the conversation did not diverge from the recording.",
      ),
    name: z.string().nullable().describe("Of the check, tool or step."),
    pairs: z.int(),
    observed: z.int().describe("Recorded sessions of which it is true."),
    baseline: z.int(),
    candidate: z.int(),
    gained: z.int().describe("Pairs of which it is true for the candidate alone."),
    lost: z.int().describe("Pairs of which it is true for the baseline alone."),
    lost_unanswered: z
      .int()
      .describe("Of the lost ones: the candidate called a tool that the recording has no answer for."),
    difference: z.number().nullable(),
    low: z.number().nullable().describe("Lower end of Newcombe's 95 % interval of the paired difference."),
    high: z.number().nullable(),
    p_value: z.number().describe("McNemar's exact test, two-sided."),
    p_corrected: z
      .number()
      .describe("By Holm, the outcome and the checks among themselves, everything else among itself."),
    verdict: z
      .enum(["better", "worse", "different", "can't tell"])
      .describe("different: there is a difference, and whether it is good is for you to say."),
    pairs_needed: z.int().nullable(),
    says: z.string(),
  })
  .meta({ id: "ReplayRate" });
export type ReplayRate = z.infer<typeof ReplayRate>;

const ReplayMean = z
  .object({
    measure: z.enum(["turns", "calls", "cost_usd", "latency_ms"]),
    pairs: z.int(),
    observed: z.number().nullable(),
    baseline: z.number().nullable(),
    candidate: z.number().nullable(),
    difference: z.number().nullable(),
    low: z.number().nullable().describe("Lower end of the 95 % bootstrap interval of the mean difference."),
    high: z.number().nullable(),
    p_value: z.number().describe("Permutation test of the paired difference, two-sided."),
    p_corrected: z.number(),
    verdict: z.enum(["more", "less", "can't tell"]),
    pairs_needed: z.int().nullable(),
  })
  .meta({ id: "ReplayMean" });
export type ReplayMean = z.infer<typeof ReplayMean>;

export const ReplaySummary = z
  .object({
    results: z.object({
      total: z.int(),
      pending: z.int(),
      replayed: z.int(),
      error: z.int(),
      skipped: z.int(),
    }),
    harness: z
      .object({
        same_outcome: z.int().describe("Baseline replays that reached what was reached in the recording."),
        followed: z.int().describe("Baseline replays that did not diverge."),
        total: z.int(),
      })
      .describe("How far replays of the baseline can be trusted to repeat what was recorded."),
    rates: z.array(ReplayRate),
    means: z.array(ReplayMean),
    verdict: z.enum(["better", "worse", "different", "can't tell"]),
    says: z.string(),
    cost_usd: z.number(),
  })
  .meta({ id: "ReplaySummary" });
export type ReplaySummary = z.infer<typeof ReplaySummary>;

const KINDS = {
  outcome: "Reaches what was reached",
  check: "Check",
  tool: "Succeeds with",
  step: "Reaches step",
  ended_by_agent: "Ended by the agent",
  followed: "Follows the recording",
} as const;

/** "Succeeds with book_appointment". */
export const nameOf = ({ kind, name }: Pick<ReplayRate, "kind" | "name">): string =>
  name === null ? KINDS[kind] : `${KINDS[kind]} ${name}`;
