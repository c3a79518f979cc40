import type { Snapshot, SnapshotTest, ToolMock } from "../agents/snapshot.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import type { Engine } from "../sessions/engine.ts";
import { underVars } from "../sessions/variables.ts";
import { endSession } from "../turns/end-session.ts";
import { startSession } from "../turns/start-session.ts";
import { runTurn } from "../turns/turn.ts";
import { judge, type TestVerdict } from "./judge.ts";
import { mockNotes, observe } from "./observe.ts";
import { playerOf } from "./play-person.ts";
import type { TestCase } from "./test-case.ts";

export type PlayedCase = {
  /** null: it could not be held. */
  session_id: number | null;
  /** error: the model gave no answer, so nothing can be said of the agent. */
  status: "passed" | "failed" | "error";
  verdicts: TestVerdict[];
  notes: string[];
  cost_usd: number | null;
};

type CaseToPlay = {
  sub_organization_id: number;
  agent_id: number;
  held_with: "draft" | Snapshot;
  seed: number;
  /** The session's name. */
  sid: string;
  test_case: TestCase;
  /** Called in the transaction that opens the session. */
  onOpen: NonNullable<Parameters<typeof startSession>[2]>;
};

/** One test conversation: an ordinary session, marked test, whose tools are answered by mocks. */
export async function playCase(
  engine: Engine,
  catalogue: readonly LlmEntry[],
  { sub_organization_id, agent_id, held_with, seed, sid, test_case, onOpen }: CaseToPlay,
): Promise<PlayedCase> {
  const { channel, caller, variables, person, expect } = test_case;
  const override_timestamp = test_case.clock ?? null;
  if (!Array.isArray(person) && !person.model)
    return { session_id: null, status: "error", verdicts: [], notes: [NO_MODEL], cost_usd: 0 };
  const player = await playerOf(person, { engine, catalogue, sub_organization_id, seed });
  const test = testOf(test_case);
  const started = await startSession(
    engine,
    {
      ...{ sub_organization_id, agent_id, held_with, channel, sid, override_timestamp },
      ...{ service: "tests", type: "test_v1", channel_target_id: null },
      ...{ source: caller.address, target: "test", is_test: true, is_outbound: false },
      ...{ verified: caller.verified, variables: underVars(variables), test: { ...test, seed } },
    },
    onOpen,
  );
  const { session_id } = started;

  let last_words = started.greeting ?? "";
  let ended = false;
  let unanswered = 0;
  const turn = async (text: string | null) => {
    const result = await runTurn(engine, session_id, { text, override_timestamp });
    if (result.messages.length > 0) last_words = result.messages.join("\n");
    ended = result.ended;
    if (result.failed) unanswered += 1;
  };
  if (started.agent_initiated) await turn(null);
  while (!ended) {
    const words = await player.next(last_words);
    if (words === null) break;
    await turn(words);
  }
  if (!ended) await endSession(engine, session_id, "user");

  const { observed, requests } = await observe(engine.db, catalogue, session_id);
  const verdicts = judge(expect, observed);
  const calls = observed.calls.map(({ tool }, at) => ({ tool, request: requests[at] }));
  const notes = mockNotes(test, calls);
  if (unanswered > 0) notes.push(`The model gave no answer in ${unanswered} turns.`);
  const status = unanswered > 0 ? "error" : verdicts.every(({ passed }) => passed) ? "passed" : "failed";
  notes.push(...player.notes);
  const cost_usd = observed.cost_usd === null ? null : observed.cost_usd + player.cost_usd();
  return { session_id, status, verdicts, notes, cost_usd };
}

const NO_MODEL = "Not played: the persona has no model.";

const testOf = ({ network, mocks }: TestCase): SnapshotTest => ({
  network,
  mocks: mocksOf(mocks),
});

export const mocksOf = (mocks: TestCase["mocks"]): ToolMock[] =>
  mocks.map(({ tool, match, result, error, delay_ms }) => ({
    tool,
    match: match ?? null,
    result: result ?? null,
    error: error ?? null,
    delay_ms: delay_ms ?? 0,
  }));
