import type { Db } from "../db/database.ts";
import type { FrozenJudge, JudgeAnswer } from "../evaluations/session-judges.ts";
import { runInsightTool } from "../executions/run-insight-tool.ts";
import type { ToolRunner, ToolRunOutcome } from "../insights/tool-run.ts";
import { loadMaterial } from "../insights/transcript.ts";
import { type JudgeTool, readJudgeTool } from "./check-judge.ts";

/** All votes of a judge take no longer than this. */
const TIMEOUT_MS = 120_000;

type AskJudge = Pick<
  FrozenJudge,
  "tool_arguments" | "insight_tool_definition_id" | "output" | "wanted" | "reason_output" | "votes"
>;

type Asked = { sub_organization_id: number; session_id: number; judge: AskJudge; seed: number };

/** Asks a judge about a session, as often as it votes. Nothing is stored. */
export async function askJudge(
  db: Db,
  runner: ToolRunner,
  { sub_organization_id, session_id, judge, seed }: Asked,
): Promise<JudgeAnswer> {
  const read = readJudgeTool(judge);
  if (!read.ok) return { kind: "failed", message: read.problem, may_pass: false, cost_usd: null };
  const subject = { session_id };
  const material = await loadMaterial(db, runner.recordings, subject);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const votes = await Promise.all(
    Array.from({ length: judge.votes }, (_, vote) =>
      runInsightTool(runner, {
        sub_organization_id,
        subject,
        ...material,
        signal,
        tool: withSeed(read.tool, (seed + vote) % 2_147_483_647),
        insights: {},
      }),
    ),
  );
  return countVotes(votes, judge);
}

const withSeed = (tool: JudgeTool, seed: number): JudgeTool =>
  tool.type === "llm" ? { ...tool, llm_config: { ...tool.llm_config, seed } } : tool;

/** The majority of all votes, those that failed among them, decides; where there is none, why. Pure. */
function countVotes(
  outcomes: readonly ToolRunOutcome[],
  { output, wanted, reason_output, votes }: Pick<AskJudge, "output" | "wanted" | "reason_output" | "votes">,
): JudgeAnswer {
  const costs = outcomes.flatMap((outcome) =>
    outcome.kind === "unsupported" || outcome.used.cost_usd === null ? [] : [outcome.used.cost_usd],
  );
  const cost_usd = costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
  const given = outcomes.flatMap((outcome) => {
    if (outcome.kind !== "done") return [];
    const found = (key: string) => outcome.values.find((value) => value.key === key)?.value;
    const reason = reason_output === null ? null : found(reason_output);
    return [
      {
        is_yes: found(output) === wanted,
        reason: reason == null ? null : typeof reason === "string" ? reason : JSON.stringify(reason),
        model: outcome.used.model,
      },
    ];
  });
  const yes = given.filter(({ is_yes }) => is_yes).length;
  const is_yes = yes > votes / 2;
  if (!is_yes && given.length - yes <= votes / 2) {
    const failures = outcomes.filter((outcome) => outcome.kind !== "done");
    const may_pass = failures.some(({ kind, ...rest }) => "retry" in rest && rest.retry.when !== "never");
    return { kind: "failed", message: failures[0]?.message ?? "The votes are split.", may_pass, cost_usd };
  }
  const first = given.find((vote) => vote.is_yes === is_yes);
  return {
    kind: "answered",
    is_yes,
    votes_yes: yes,
    votes_no: given.length - yes,
    votes,
    cost_usd,
    reason: first?.reason ?? null,
    model: first?.model ?? null,
  };
}
