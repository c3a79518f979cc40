import { z } from "zod";
import { inOrder } from "../agents/version-parts.ts";
import type { Caller } from "../api/caller.ts";
import { recordId } from "../api/schema.ts";
import { invalid } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { countedResults } from "../evaluations/run-store.ts";
import type { FrozenJudge, SessionJudges } from "../evaluations/session-judges.ts";
import { summarize, type TestSummary } from "../evaluations/summary.ts";

/** A suite that a draft has to pass before it is published. */
export const PublishGate = z
  .strictObject({
    suite_id: recordId(),
    at_least: z
      .number()
      .min(0)
      .max(1)
      .describe("Required lower end of the pass rate's 95 % interval, 0 to 1."),
    most_answer_ms: z
      .number()
      .min(0)
      .nullish()
      .describe("What 95 of 100 answers may take at the most, without the time of tools."),
    most_cost_usd: z
      .number()
      .min(0)
      .nullish()
      .describe("What the agent's model may cost at the most, in the mean of the suite's conversations."),
  })
  .meta({ id: "PublishGate" });
export type PublishGate = z.infer<typeof PublishGate>;

export const GateResult = z
  .object({
    suite_id: z.int(),
    suite: z.string().nullable().describe("null: it was deleted."),
    at_least: z.number(),
    run_id: z
      .int()
      .nullable()
      .describe("The last finished run with this draft, suite and judges; null: none."),
    passed: z.int().nullable(),
    total: z.int().nullable(),
    low: z.number().nullable().describe("Lower end of the 95 % Wilson interval of the pass rate."),
    most_answer_ms: z.number().nullish(),
    answer_p95_ms: z.number().nullish().describe("Of the run's answers."),
    most_cost_usd: z.number().nullish(),
    agent_cost_usd: z.number().nullish().describe("Of the run, in the mean of its conversations."),
    passes: z.boolean(),
    says: z.string(),
  })
  .meta({ id: "GateResult" });
export type GateResult = z.infer<typeof GateResult>;

export async function refuseUnknownSuites(
  db: Db,
  caller: Caller,
  gates: readonly PublishGate[],
): Promise<void> {
  const suites = await suitesOf(db, caller, gates);
  const unknown = gates.findIndex(({ suite_id }) => !suites.has(suite_id));
  if (unknown >= 0)
    throw invalid(
      ["body", "gates", unknown, "suite_id"],
      `There is no test suite ${gates[unknown]?.suite_id}`,
    );
  const twice = gates.findIndex(
    ({ suite_id }, at) => gates.findIndex((gate) => gate.suite_id === suite_id) < at,
  );
  if (twice >= 0) throw invalid(["body", "gates", twice, "suite_id"], "This suite is listed twice");
}

/** Judges as they are now. They are a room to the right: the program hands this in. */
export type FreezeJudges = SessionJudges["freeze"];

type JudgedDraft = { agent_id: number; fingerprint: string; gates: readonly PublishGate[] };

/**
 * What each gate says of this state of the agent. A run counts when neither the suite nor a judge that decides in it was
 * changed since it began.
 */
export async function gateResults(
  db: Db,
  caller: Caller,
  { agent_id, fingerprint, gates }: JudgedDraft,
  freezeJudges: FreezeJudges,
): Promise<GateResult[]> {
  if (gates.length === 0) return [];
  const suites = await suitesOf(db, caller, gates);
  const runs = await db
    .selectFrom("test_runs as r")
    .innerJoin("test_suites as s", "s.id", "r.suite_id")
    .distinctOn("r.suite_id")
    .where("r.sub_organization_id", "=", caller.sub_organization_id)
    .where("r.suite_id", "in", [...suites.keys(), -1])
    .where("r.agent_id", "=", agent_id)
    .where("r.fingerprint", "=", fingerprint)
    .where("r.status", "=", "finished")
    .whereRef("r.created_at", ">=", "s.last_updated")
    .orderBy("r.suite_id")
    .orderBy("r.id", "desc")
    .select((row) => ["r.id", "r.suite_id", row.ref("r.judges").$castTo<FrozenJudge[]>().as("judges")])
    .execute();
  return Promise.all(
    gates.map(async (gate) => {
      const suite = suites.get(gate.suite_id) ?? null;
      const run = runs.find(({ suite_id }) => suite_id === gate.suite_id);
      if (!run) return judgeGate(gate, suite, null, null);
      const judge = await changedJudge(db, caller, run.judges, freezeJudges);
      if (judge !== null) return judgeGate(gate, suite, null, null, judge);
      return judgeGate(gate, suite, run.id, summarize(await countedResults(db, run.id)));
    }),
  );
}

/** The name of one by which a case passed or failed, or now would, and that was changed since; null: there is none. */
async function changedJudge(
  db: Db,
  caller: Caller,
  before: readonly FrozenJudge[],
  freezeJudges: FreezeJudges,
): Promise<string | null> {
  const names = before.map(({ name }) => name);
  const now = await freezeJudges(db, caller, names);
  const formNow = (name: string) => formOf(now.find((judge) => judge.name === name));
  return before.find((judge) => formOf(judge) !== formNow(judge.name))?.name ?? null;
}

/** What decides whether a case passes; null: nothing, because the judge only informs or can't be asked. Pure. */
function formOf(judge: FrozenJudge | { fault: string } | undefined): string | null {
  if (!judge || "fault" in judge || !judge.calibration.gates) return null;
  const { tool_arguments, insight_tool_definition_id, output, wanted, votes, calibration } = judge;
  const { model } = calibration;
  return inOrder({ tool_arguments, insight_tool_definition_id, output, wanted, votes, model });
}

/** Pure. */
export function judgeGate(
  { suite_id, at_least, most_answer_ms = null, most_cost_usd = null }: PublishGate,
  suite: string | null,
  run_id: number | null,
  summary: Omit<TestSummary, "by_case" | "cost_usd"> | null,
  changed_judge: string | null = null,
): GateResult {
  const { passed = null, total = null, low = null } = summary?.cases ?? {};
  // A run that was cut short by its cost cap says nothing of the cases it left out.
  const skipped = summary?.results.skipped ?? 0;
  const { answer_p95_ms = null, agent_cost_usd = null } = summary ?? {};
  const over = overBudget({ most_answer_ms, most_cost_usd }, { answer_p95_ms, agent_cost_usd });
  const passes = low !== null && low >= at_least && skipped === 0 && over.length === 0;
  const budgets = { most_answer_ms, answer_p95_ms, most_cost_usd, agent_cost_usd };
  const result = { suite_id, suite, at_least, run_id, passed, total, low, ...budgets, passes };
  if (suite === null)
    return { ...result, passes: false, says: "The suite was deleted. Choose another, or none." };
  if (changed_judge !== null)
    return { ...result, says: `${suite}: not run since the judge ${changed_judge} was changed.` };
  if (low === null) return { ...result, says: `${suite}: not run with this draft.` };
  if (skipped > 0) return { ...result, says: `${suite}: ${skipped} conversations were not run.` };
  const reached = `${passed} of ${total} tests pass, which shows at least ${percent(low)}`;
  const rate = `${suite}: ${reached}; ${Number((at_least * 100).toFixed(2))} % is asked for.`;
  return { ...result, says: [rate, ...over].join(" ") };
}

type Budgets = { most_answer_ms: number | null; most_cost_usd: number | null };
type RunTaken = { answer_p95_ms: number | null; agent_cost_usd: number | null };

/** What took more than it may, or is not known although it is asked for, in sentences. Pure. */
function overBudget(
  { most_answer_ms, most_cost_usd }: Budgets,
  { answer_p95_ms, agent_cost_usd }: RunTaken,
): string[] {
  const sentences: string[] = [];
  if (most_answer_ms !== null && answer_p95_ms === null)
    sentences.push("How long its answers take is not known: the run has none.");
  if (most_answer_ms !== null && answer_p95_ms !== null && answer_p95_ms > most_answer_ms)
    sentences.push(
      `5 of 100 answers take longer than ${milliseconds(answer_p95_ms)}; ${milliseconds(most_answer_ms)} is allowed.`,
    );
  if (most_cost_usd !== null && agent_cost_usd === null)
    sentences.push("What a conversation costs is not known: its model has no price here.");
  if (most_cost_usd !== null && agent_cost_usd !== null && agent_cost_usd > most_cost_usd)
    sentences.push(`A conversation costs ${dollars(agent_cost_usd)}; ${dollars(most_cost_usd)} is allowed.`);
  return sentences;
}

const milliseconds = (time: number): string => `${Math.ceil(time).toLocaleString("en")} ms`;
const dollars = (cost: number): string => `$${Number(cost.toPrecision(3))}`;

/** Down to the tenth: a rate is never told as more than it is. */
const percent = (rate: number): string => `${Math.floor(rate * 1000) / 10} %`;

async function suitesOf(db: Db, caller: Caller, gates: readonly PublishGate[]): Promise<Map<number, string>> {
  const found = await db
    .selectFrom("test_suites")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .where("id", "in", [...gates.map(({ suite_id }) => suite_id), -1])
    .select(["id", "name"])
    .execute();
  return new Map(found.map(({ id, name }) => [id, name]));
}
