import { sql } from "kysely";
import type { SnapshotPrompt } from "../agents/snapshot.ts";
import type { Engine } from "../sessions/engine.ts";

/** What a visitor has seen of a chat, in order: the words with the page's own number of each, and the cards. */
type SaidInChat =
  | { type: "message"; role: string; text: string; timestamp: string; id: string | null }
  | { type: "tool_display"; tool_name: string; display_result: unknown }
  | ShownCall;

/** A call whose tool hands its results on and has no cards for them: the page shows it as a line to open. */
export type ShownCall = {
  type: "tool_result";
  tool_name: string;
  arguments: unknown;
  result: unknown;
  error: string | null;
  duration_ms: number;
};

export const shownCall = (call: Omit<ShownCall, "type">): ShownCall => ({
  type: "tool_result",
  tool_name: call.tool_name,
  arguments: call.arguments,
  result: call.result,
  error: call.error,
  duration_ms: Math.round(call.duration_ms),
});

type ChatSoFar = {
  agent_name: string;
  /** The shipped offline model answers: the page says so. */
  scripted: boolean;
  ended: boolean;
  messages: SaidInChat[];
};

/** All a page needs to show a chat again and go on with it. */
export async function chatSoFar(engine: Engine, session_id: number): Promise<ChatSoFar> {
  const [session, messages, calls] = await Promise.all([
    engine.db
      .selectFrom("sessions")
      .select(["agent_name", "ended_at", "sub_organization_id"])
      .select(sql<SnapshotPrompt["llm_config"]>`snapshot -> 'prompt' -> 'llm_config'`.as("llm_config"))
      .where("id", "=", session_id)
      .executeTakeFirstOrThrow(),
    engine.db
      .selectFrom("session_messages")
      .select(["seq", "role", "text", "timestamp", "client_message_id as id"])
      .where("session_id", "=", session_id)
      // What filled a wait is over with it.
      .where("aside", "=", false)
      .execute(),
    engine.db
      .selectFrom("session_tool_calls")
      .select(["seq", "tool_name", "display_result", "arguments", "result", "error", "duration_ms"])
      .where("session_id", "=", session_id)
      .where("propagate_result", "=", true)
      .execute(),
  ]);
  const model = await engine.resolveModel(session.sub_organization_id, session.llm_config);
  const said = [
    ...messages.map((row) => ({ type: "message" as const, ...row })),
    ...calls.map(({ seq, ...call }) => ({ seq, ...shownResult(call) })),
  ];
  return {
    agent_name: session.agent_name,
    scripted: model.scripted,
    ended: session.ended_at !== null,
    messages: said.sort((a, b) => a.seq - b.seq).map(({ seq: _, ...entry }) => entry),
  };
}

const shownResult = ({
  display_result,
  ...call
}: Omit<ShownCall, "type"> & { display_result: unknown }): SaidInChat =>
  display_result === null
    ? shownCall(call)
    : { type: "tool_display", tool_name: call.tool_name, display_result };
