import type { Snapshot, SnapshotTest, ToolMock } from "../agents/snapshot.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import type { Engine } from "../sessions/engine.ts";
import { underVars } from "../sessions/variables.ts";
import { endSession } from "../turns/end-session.ts";
import { startSession } from "../turns/start-session.ts";
import { runTurn } from "../turns/turn.ts";
import { askJudges, type CaseJudges } from "./case-judges.ts";
import { judge, type TestVerdict } from "./judge.ts";
import { mockNotes, observe } from "./observe.ts";
import { playerOf } from "./play-person.ts";
import { recordedLines, TEST_SERVICE } from "./recorded-lines.ts";
import type { TestMeasures } from "./summary.ts";
import type { TestCase } from "./test-case.ts";
import type { OpenTestLine, TestLine } from "./test-line.ts";

export type PlayedCase = {
  /** null: it could not be held. */
  session_id: number | null;
  /** error: the model gave no answer, so nothing can be said of the agent. skipped: this machine can't hold it. */
  status: "passed" | "failed" | "error" | "skipped";
  verdicts: TestVerdict[];
  notes: string[];
  cost_usd: number | null;
  measures: TestMeasures | null;
};

type CaseToPlay = {
  sub_organization_id: number;
  agent_id: number;
  held_with: "draft" | Snapshot;
  seed: number;
  /** The session's name. */
  sid: string;
  test_case: TestCase;
  judges: CaseJudges;
  openLine: OpenTestLine;
  /** Whose lines the person says; null: nobody's, or that session was deleted since the run began. */
  recorded_session_id: number | null;
  /** Called in the transaction that opens the session. */
  onOpen: NonNullable<Parameters<typeof startSession>[2]>;
};

/** One test conversation: an ordinary session, marked test, whose tools are answered by mocks. */
export async function playCase(
  engine: Engine,
  catalogue: readonly LlmEntry[],
  played: CaseToPlay,
): Promise<PlayedCase> {
  const { held_with, sub_organization_id, seed, test_case, recorded_session_id } = played;
  const { channel, person } = test_case;
  const unplayed = whyUnplayed(person, recorded_session_id);
  if (unplayed !== null) return notPlayed("error", unplayed);
  const by = { engine, catalogue, sub_organization_id, seed };
  if (channel !== "voice_audio") return hold(by, played, null);
  if (held_with === "draft") return notPlayed("skipped", "Not run: the run keeps no state of its agent.");
  const lines = await linesOf(engine, sub_organization_id, person);
  const line = await played.openLine({ snapshot: held_with, lines, seed });
  if ("missing" in line) return notPlayed("skipped", line.missing);
  try {
    return await hold(by, played, line);
  } finally {
    await line.close();
  }
}

const notPlayed = (status: "error" | "skipped", note: string): PlayedCase => ({
  session_id: null,
  status,
  verdicts: [],
  notes: [note],
  cost_usd: 0,
  measures: null,
});

type HeldBy = Parameters<typeof playerOf>[1];

/** `line`: both sides are spoken, and the agent answers what it heard; null: the words are handed over. */
async function hold(by: HeldBy, played: CaseToPlay, line: TestLine | null): Promise<PlayedCase> {
  const { engine, catalogue } = by;
  const { sub_organization_id, agent_id, held_with, seed, sid, test_case, judges, onOpen } = played;
  const { caller, variables, person, expect } = test_case;
  const channel = test_case.channel === "voice_audio" ? "voice" : test_case.channel;
  const override_timestamp = test_case.clock ?? null;
  const player = await playerOf(person, by);
  const test = testOf(test_case);
  const started = await startSession(
    engine,
    {
      sub_organization_id,
      agent_id,
      held_with,
      channel,
      sid,
      override_timestamp,
      service: TEST_SERVICE,
      type: "test_v1",
      channel_target_id: null,
      source: caller.address,
      target: "test",
      is_test: true,
      is_outbound: false,
      verified: caller.verified,
      variables: underVars(variables),
      test: { ...test, seed },
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
    await line?.agentSays(result.messages);
    // A telephone call is ended by its channel, after the last words were spoken; here nobody speaks them.
    ended = result.ended || (channel === "voice" && result.action !== null);
    if (ended && !result.ended && result.action)
      await endSession(engine, session_id, IN_CALL[result.action.action]);
    if (result.failed) unanswered += 1;
  };
  let [said, misheard] = [0, 0];
  const heardOf = async (words: string): Promise<string> => {
    if (line === null) return words;
    const heard = await line.personSays(words);
    said += 1;
    if (spokenForm(heard) !== spokenForm(words)) misheard += 1;
    return heard;
  };
  await line?.agentSays([last_words]);
  if (started.agent_initiated) await turn(null);
  while (!ended) {
    const words = await player.next(last_words);
    if (words === null) break;
    await turn(await heardOf(words));
  }
  if (!ended) await endSession(engine, session_id, "user");

  const { observed, requests, measures } = await observe(engine.db, catalogue, session_id);
  const judged = await askJudges(expect.judges ?? [], judges, { sub_organization_id, session_id, seed });
  const verdicts = [...judge(expect, observed), ...judged.verdicts];
  const calls = observed.calls.map(({ tool }, at) => ({ tool, request: requests[at] }));
  const notes = mockNotes(test, calls);
  if (unanswered > 0) notes.push(`The model gave no answer in ${unanswered} turns.`);
  const isKnown = unanswered === 0 && !judged.is_missing;
  const isMet = verdicts.every(({ passed, informs }) => passed || informs === true);
  const status = !isKnown ? "error" : isMet ? "passed" : "failed";
  if (misheard > 0)
    notes.push(
      `Of ${said} lines the agent heard ${misheard} in other words than were said; its session has them.`,
    );
  notes.push(...judged.notes);
  notes.push(...player.notes);
  const cost_usd =
    observed.cost_usd === null ? null : observed.cost_usd + player.cost_usd() + judged.cost_usd;
  return { session_id, status, verdicts, notes, cost_usd, measures };
}

/** Words as an ear has them: without capitals and marks. */
const spokenForm = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []).join(" ");

/** What the person may say, as far as it is known before they do. */
async function linesOf(
  { db }: Engine,
  sub_organization_id: number,
  person: TestCase["person"],
): Promise<string[]> {
  if (Array.isArray(person)) return person.map((line) => (typeof line === "string" ? line : line.say));
  if ("session" in person) return recordedLines(db, sub_organization_id, person.session);
  return [person.goal, ...Object.values(person.facts)];
}

function whyUnplayed(person: TestCase["person"], recorded_session_id: number | null): string | null {
  if (Array.isArray(person)) return null;
  if ("session" in person)
    return recorded_session_id === null ? `Not played: session ${person.session} was deleted.` : null;
  return person.model ? null : "Not played: the persona has no model.";
}

/** A transfer ends the conversation with the agent: to whom is a call of a tool. */
const IN_CALL = { hangup: "agent", transfer: "transfer" } as const;

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
