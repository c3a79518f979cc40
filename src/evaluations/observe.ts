import type { SnapshotTest } from "../agents/snapshot.ts";
import type { Db } from "../db/database.ts";
import { findLlm, type LlmEntry } from "../llm/catalogue.ts";
import { usedCost } from "../llm/used-cost.ts";
import type { SessionState } from "../sessions/variables.ts";
import { NO_MOCK } from "../tool-calls/mocked-call.ts";
import type { Observed, ObservedCall } from "./judge.ts";
import type { TestMeasures } from "./summary.ts";

/** The session end tool's rounds begin here; it is called after the end, by a job. */
const AFTER_ROUNDS = 1_000;

type StoredCallRow = {
  tool_name: string;
  arguments: unknown;
  request: unknown;
  result: unknown;
  error: string | null;
};

/** What came of a test session that has ended, read from its rows. */
export async function observe(
  db: Db,
  catalogue: readonly LlmEntry[],
  session_id: number,
): Promise<{ observed: Observed; requests: unknown[]; measures: TestMeasures }> {
  const { state, channel, end_reason } = await db
    .selectFrom("sessions")
    .select(["state", "channel", "end_reason"])
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  const messages = await db
    .selectFrom("session_messages")
    .select("text")
    .where("session_id", "=", session_id)
    .where("role", "=", "agent")
    .where("aside", "=", false)
    .orderBy("seq")
    .execute();
  const calls: StoredCallRow[] = await db
    .selectFrom("session_tool_calls")
    .select(["tool_name", "arguments", "request", "result", "error"])
    .where("session_id", "=", session_id)
    .where("round", "<", AFTER_ROUNDS)
    .orderBy("seq")
    .execute();
  const traced = await db
    .selectFrom("session_trace")
    .select(["category", "label", "duration_ms", "metadata", "details"])
    .where("session_id", "=", session_id)
    .where("category", "in", ["llm", "turn", "step"])
    .orderBy("id")
    .execute();
  const answers = traced.filter(({ category }) => category === "llm");
  const memory = state as SessionState;
  const tasks = Object.values(memory.workflows?.tasks ?? {});
  const observed: Observed = {
    said: messages.map(({ text }) => text),
    calls: calls.map(observedCall),
    path: traced.flatMap(({ category, label, details }) => {
      const { step } = (details ?? {}) as { step?: string };
      return category === "step" && label === "entered" && step !== undefined ? [step] : [];
    }),
    answers_ms: answerTimes(traced),
    steps: [...new Set(tasks.flatMap(({ visits }) => Object.keys(visits)))],
    variables: memory.variables,
    language: memory.language,
    ended_by: endedBy(channel, end_reason),
    cost_usd: costOf(catalogue, answers),
  };
  const measures = { answers_ms: observed.answers_ms, agent_cost_usd: observed.cost_usd };
  return { observed, requests: calls.map(({ request }) => request), measures };
}

/**
 * Who hung up. On a call that falls silent or takes too long the agent says goodbye and does; a written conversation that
 * nobody goes on with, or that an operator or a fault ended, is over without that. Pure.
 */
function endedBy(channel: string, end_reason: string | null): Observed["ended_by"] {
  const closes = ["agent", "transfer", ...(channel === "voice" ? ["idle", "max-duration"] : [])];
  return closes.includes(end_reason ?? "") ? "agent" : "person";
}

type TracedTurn = { category: string; duration_ms: number | null; details: unknown };

/** How long the person waited in each turn, without the time that tools took. Pure. */
export const answerTimes = (traced: readonly TracedTurn[]): number[] =>
  traced.flatMap(({ category, duration_ms, details }) => {
    if (category !== "turn" || duration_ms === null) return [];
    const { tools_ms = 0 } = (details ?? {}) as { tools_ms?: number };
    return [Math.max(0, duration_ms - tools_ms)];
  });

/** Its arguments as they were prepared, where the call got that far. */
export function observedCall({
  tool_name,
  arguments: given,
  request,
  result,
  error,
}: StoredCallRow): ObservedCall {
  const prepared = (request as { arguments?: unknown } | null)?.arguments;
  return { tool: tool_name, arguments: prepared ?? given, result, error };
}

type ModelAnswer = { metadata: string[] | null; details: unknown };
type CountedTokens = {
  scripted?: boolean;
  input_tokens?: number | null;
  output_tokens?: number | null;
  cached_input_tokens?: number | null;
};

/** null: the price of a model that answered is not known. The scripted model costs nothing. */
export function costOf(catalogue: readonly LlmEntry[], answers: ModelAnswer[]): number | null {
  let sum = 0;
  for (const { metadata, details } of answers) {
    const {
      scripted,
      input_tokens = null,
      output_tokens = null,
      cached_input_tokens = null,
    } = (details ?? {}) as CountedTokens;
    if (scripted) continue;
    const [model = "", provider = ""] = metadata ?? [];
    const price = findLlm(catalogue, provider, model)?.price;
    if (!price) return null;
    sum += usedCost({ input_tokens, output_tokens, cached_input_tokens }, price);
  }
  return sum;
}

/** What the author should know of the mocks: those that no call matched, and calls that none answered. Pure. */
export function mockNotes(
  { mocks }: Pick<SnapshotTest, "mocks">,
  calls: { tool: string; request: unknown }[],
): string[] {
  const used = new Set(calls.map(({ request }) => (request as { mock?: unknown } | null)?.mock));
  const missed = [...new Set(calls.filter(({ request }) => isUnanswered(request)).map(({ tool }) => tool))];
  return [
    ...mocks.flatMap(({ tool }, at) => (used.has(at + 1) ? [] : [`mocks[${at}] (${tool}) matched no call.`])),
    ...missed.map((tool) => `A call of ${tool} matched no mock; the network is closed.`),
  ];
}

const isUnanswered = (request: unknown): boolean => (request as { mock?: unknown } | null)?.mock === NO_MOCK;
