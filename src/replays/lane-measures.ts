import { z } from "zod";
import type { Snapshot } from "../agents/snapshot.ts";
import type { Db } from "../db/database.ts";
import { judge } from "../evaluations/judge.ts";
import { answerTimes, observe } from "../evaluations/observe.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { answeredElsewhere } from "./recording.ts";
import type { ReplayCheck } from "./replay-request.ts";

export const ReplayDivergence = z
  .object({
    turn: z.int().describe("The person's turn, counted from 1."),
    why: z
      .enum(["other words", "nothing fits", "unanswered call"])
      .describe(
        "The person answered with another line of the recording, had none, or a tool was called with arguments that the recording has no answer for.",
      ),
    tool: z.string().nullable(),
  })
  .meta({ id: "ReplayDivergence" });
export type ReplayDivergence = z.infer<typeof ReplayDivergence>;

/** What came of one conversation of a pair. It quotes nothing that was said. */
export const ReplayMeasures = z
  .object({
    ended_by: z.enum(["agent", "person"]),
    turns: z.int().describe("Turns of the person."),
    tools: z.array(
      z.object({
        tool: z.string(),
        called: z.int(),
        failed: z.int(),
        is_service: z.boolean().describe("Whether it calls a service, rather than the program itself."),
      }),
    ),
    steps: z.array(z.string()).describe("Steps of workflows that were entered."),
    cost_usd: z.number().nullable().describe("Of the agent's model; null: its price is not known."),
    latency_ms: z
      .number()
      .nullable()
      .describe("Mean time from the person's words to the agent's answer, without the time tools took."),
    checks: z.record(z.string(), z.boolean()),
    diverged: ReplayDivergence.nullable(),
    unanswered: z.array(z.string()).describe("Tools that were called without an answer in the recording."),
    failed_turns: z.int().describe("Turns in which the model gave no answer."),
    persona_cost_usd: z.number().describe("Of the model that played the person."),
  })
  .meta({ id: "ReplayMeasures" });
export type ReplayMeasures = z.infer<typeof ReplayMeasures>;

type Lane = {
  session_id: number;
  snapshot: Snapshot;
  checks: readonly ReplayCheck[];
  /** What the candidate calls a tool. */
  nameOf: (tool: string) => string;
  diverged?: ReplayDivergence | null;
  unanswered?: readonly string[];
  failed_turns?: number;
  persona_cost_usd?: number;
};

/** Reads what came of a session that has ended, recorded or replayed. */
export async function measureLane(
  db: Db,
  catalogue: readonly LlmEntry[],
  {
    session_id,
    snapshot,
    checks,
    nameOf,
    diverged = null,
    unanswered = [],
    failed_turns = 0,
    persona_cost_usd = 0,
  }: Lane,
): Promise<ReplayMeasures> {
  const { observed: as_called } = await observe(db, catalogue, session_id);
  const observed = {
    ...as_called,
    calls: as_called.calls.map((call) => ({ ...call, tool: nameOf(call.tool) })),
  };
  const { turns } = await db
    .selectFrom("session_messages")
    .select((row) => row.fn.countAll<number>().as("turns"))
    .where("session_id", "=", session_id)
    .where("role", "=", "user")
    .executeTakeFirstOrThrow();
  const traced = await db
    .selectFrom("session_trace")
    .select(["category", "duration_ms", "details"])
    .where("session_id", "=", session_id)
    .where("category", "in", ["turn", "llm"])
    .orderBy("id")
    .execute();
  const services = new Set([...answeredElsewhere(snapshot)].map(nameOf));
  return {
    ended_by: observed.ended_by,
    turns: Number(turns),
    tools: [...Map.groupBy(observed.calls, ({ tool }) => tool)].map(([tool, calls]) => ({
      tool,
      called: calls.length,
      failed: calls.filter(({ error }) => error !== null).length,
      is_service: services.has(tool),
    })),
    steps: observed.steps,
    // A trace that was purged says nothing of what was paid.
    cost_usd: traced.some(({ category }) => category === "llm") ? observed.cost_usd : null,
    latency_ms: latencyOf(traced),
    checks: Object.fromEntries(
      checks.map(({ name, expect }) => [name, judge(expect, observed).every(({ passed }) => passed)]),
    ),
    diverged: diverged && { ...diverged, tool: diverged.tool && nameOf(diverged.tool) },
    unanswered: [...new Set(unanswered.map(nameOf))],
    failed_turns,
    persona_cost_usd,
  };
}

function latencyOf(traced: Parameters<typeof answerTimes>[0]): number | null {
  const waits = answerTimes(traced);
  return waits.length === 0 ? null : waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
}
