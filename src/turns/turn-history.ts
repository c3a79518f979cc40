import type { ProviderData } from "../llm/model.ts";
import type { Engine } from "../sessions/engine.ts";
import type { HistoryEntry } from "./build-prompt.ts";

/** What was said and done before, for the model to read back. */
export async function loadHistory(engine: Engine, session_id: number): Promise<HistoryEntry[]> {
  const [messages, calls] = await Promise.all([
    engine.db
      .selectFrom("session_messages")
      .select(["seq", "role", "text", "aside", "is_apology"])
      .where("session_id", "=", session_id)
      .execute(),
    engine.db
      .selectFrom("session_tool_calls")
      .select([
        "seq",
        "turn_index",
        "round",
        "tool_call_id",
        "tool_name",
        "arguments",
        "result",
        "error",
        "provider_data",
      ])
      .where("session_id", "=", session_id)
      .execute(),
  ]);
  return [
    ...messages.map(({ seq, role, text, aside, is_apology }): HistoryEntry => {
      return { kind: "message", seq, role: role as "user" | "agent", text, aside: aside || is_apology };
    }),
    ...calls.map(
      (row): HistoryEntry => ({
        kind: "call",
        seq: row.seq,
        turn_index: row.turn_index,
        round: row.round,
        call_id: row.tool_call_id,
        tool_name: row.tool_name,
        arguments: row.arguments as Record<string, unknown>,
        result: row.result,
        is_error: row.error !== null,
        provider_data: row.provider_data as ProviderData | null,
      }),
    ),
  ];
}
