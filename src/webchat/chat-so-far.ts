import { sql } from "kysely";
import type { SnapshotPrompt } from "../agents/snapshot.ts";
import type { Engine } from "../sessions/engine.ts";
import { loadRedactor } from "../sessions/session-redactor.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import type { ChatSoFar, ShownCall } from "./chat-answers.ts";

export const shownCall = (call: Omit<ShownCall, "type">): ShownCall => ({
  type: "tool_result",
  tool_name: call.tool_name,
  arguments: call.arguments,
  result: call.result,
  error: call.error,
  duration_ms: Math.round(call.duration_ms),
});

/** All a page needs to show a chat again and go on with it. */
export async function chatSoFar(engine: Engine, session_id: number): Promise<ChatSoFar> {
  const [session, messages, calls] = await Promise.all([
    engine.db
      .selectFrom("sessions")
      .select(["agent_name", "ended_at", "sub_organization_id"])
      .select(
        sql<SnapshotPrompt["llm_config"]>`${snapshotOf("sessions")} -> 'prompt' -> 'llm_config'`.as(
          "llm_config",
        ),
      )
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
  const { db, vault, clock } = engine;
  // Whoever wrote it sees it as it was, while the conversation lasts.
  const redactor = await loadRedactor(db, { vault, now: clock.now() }, session_id);
  const said = [
    ...messages.map((row) => ({ type: "message" as const, ...row })),
    ...calls.map(({ seq, ...call }) => ({ seq, ...shownResult(call) })),
  ];
  const position = Math.max(-1, ...messages.map(({ seq }) => seq));
  return {
    agent_name: session.agent_name,
    scripted: model.scripted,
    ended: session.ended_at !== null,
    messages: redactor.restore(said.sort((a, b) => a.seq - b.seq).map(({ seq: _, ...entry }) => entry)),
    position,
  };
}

const shownResult = ({
  display_result,
  ...call
}: Omit<ShownCall, "type"> & { display_result: unknown }): ChatSoFar["messages"][number] =>
  display_result === null
    ? shownCall(call)
    : { type: "tool_display", tool_name: call.tool_name, display_result };
