import type { Snapshot, ToolMock } from "../agents/snapshot.ts";
import { patch } from "../base/patch.ts";
import type { DialogueLine } from "../evaluations/persona.ts";
import type { TestPlayer } from "../evaluations/play-person.ts";
import type { Engine } from "../sessions/engine.ts";
import { NO_MOCK } from "../tool-calls/mocked-call.ts";
import { endSession } from "../turns/end-session.ts";
import { type OnOpen, startSession } from "../turns/start-session.ts";
import { runTurn } from "../turns/turn.ts";
import type { ReplayDivergence } from "./lane-measures.ts";
import { REPLAY_SERVICE } from "./lane-session.ts";
import { BEGINNING, follow, nextMove } from "./recorded-person.ts";
import { calledName, type SessionRecording } from "./recording.ts";

type LaneToPlay = {
  sub_organization_id: number;
  agent_id: number;
  recording: SessionRecording;
  snapshot: Snapshot;
  mocks: ToolMock[];
  /** Plays the person once the recording no longer fits; null: the recording alone answers. */
  persona: PlayPersona | null;
  seed: number;
  sid: string;
  /** Called in the transaction that opens the session. */
  onOpen: OnOpen;
};

/** A player who knows the dialogue so far. */
export type PlayPersona = (dialogue: DialogueLine[]) => Promise<TestPlayer>;

export type PlayedLane = {
  session_id: number;
  diverged: ReplayDivergence | null;
  unanswered: string[];
  /** Turns in which the model gave no answer. */
  failed_turns: number;
  persona_cost_usd: number;
};

/** Holds a recorded conversation again with a state of the agent: an ordinary session, marked test. */
export async function playLane(
  engine: Engine,
  { sub_organization_id, agent_id, recording, snapshot, mocks, persona, seed, sid, onOpen }: LaneToPlay,
): Promise<PlayedLane> {
  const { turns, end, clock: override_timestamp, answers: recorded } = recording;
  const { channel, source, verified, claimed_user, user_name, is_outbound, start_variables } = recording;
  const started = await startSession(
    engine,
    {
      sub_organization_id,
      agent_id,
      held_with: snapshot,
      channel,
      sid,
      override_timestamp,
      service: REPLAY_SERVICE,
      type: "replay_v1",
      channel_target_id: null,
      target: "replay",
      source,
      verified,
      claimed_user,
      user_name,
      is_outbound,
      is_test: true,
      variables: start_variables,
      test: { network: "closed", mocks, recorded, seed },
    },
    onOpen,
  );
  const { session_id } = started;
  const now = { words: started.greeting ?? "", calls: [] as string[] };
  const unanswered: string[] = [];
  const dialogue: DialogueLine[] = [];
  let [ended, failed_turns, turn] = [false, 0, 0];
  let diverged: ReplayDivergence | null = null;

  const answer = async (text: string | null) => {
    const result = await runTurn(engine, session_id, { text, override_timestamp });
    if (text !== null) patch(now, { words: "", calls: [] });
    now.words = [now.words, ...result.messages].filter(Boolean).join("\n");
    now.calls.push(...result.calls.map(calledName));
    for (const { tool_name, request } of result.calls) {
      if ((request as { mock?: unknown } | null)?.mock !== NO_MOCK) continue;
      unanswered.push(tool_name);
      diverged ??= { turn, why: "unanswered call", tool: tool_name };
    }
    ended = result.ended;
    if (result.failed) failed_turns += 1;
  };

  if (started.agent_initiated) await answer(null);
  let followed = BEGINNING;
  let player: TestPlayer | null = null;
  const say = async (text: string) => {
    dialogue.push({ by: "agent", text: now.words }, { by: "person", text });
    await answer(text);
  };
  while (!ended) {
    if (player) {
      const words = await player.next(now.words);
      if (words === null) break;
      turn += 1;
      await answer(words);
      continue;
    }
    const move = nextMove(turns, end, followed, now);
    if (move.type === "over") break;
    turn += 1;
    if (move.type !== "as recorded") {
      diverged ??= { turn, why: move.type === "elsewhere" ? "other words" : "nothing fits", tool: null };
      if (persona) {
        player = await persona(dialogue);
        turn -= 1;
        continue;
      }
    }
    if (move.type === "nothing fits") break;
    followed = follow(followed, move.line);
    await say(turns[move.line]?.said ?? "");
  }
  if (!ended) await endSession(engine, session_id, "user");
  const persona_cost_usd = player?.cost_usd() ?? 0;
  return { session_id, diverged, unanswered, failed_turns, persona_cost_usd };
}
