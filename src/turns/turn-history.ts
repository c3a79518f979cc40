import { sql } from "kysely";
import { fixedStatement } from "../db/fixed-statement.ts";
import type { ProviderData } from "../llm/model.ts";
import type { Engine } from "../sessions/engine.ts";
import type { HistoryEntry } from "./build-prompt.ts";

/** A message, or a call: the columns of the other are null. */
type HistoryRow = {
  seq: number;
  role: "user" | "agent" | null;
  text: string;
  aside: boolean;
  turn_index: number;
  round: number;
  tool_call_id: string;
  tool_name: string;
  arguments: Record<string, unknown>;
  result: unknown;
  is_error: boolean;
  provider_data: ProviderData | null;
};

/** The messages and calls before the turn, for the model's history. Index: primary keys of both. */
export async function loadHistory({ db }: Engine, session_id: number): Promise<HistoryEntry[]> {
  const rows = await historyRows(db, { session_id });
  return rows.map(({ seq, role, text, aside, ...call }): HistoryEntry => {
    if (role !== null) return { kind: "message", seq, role, text, aside };
    const { tool_call_id: call_id, ...made } = call;
    return { kind: "call", seq, call_id, ...made };
  });
}

const historyRows = fixedStatement<{ session_id: number }, HistoryRow>(
  ({ session_id }) => sql<HistoryRow>`
    select seq, role, text, aside or is_apology as aside, null::integer as turn_index, null::integer as round,
      null::text as tool_call_id, null::text as tool_name, null::json as arguments, null::json as result,
      null::boolean as is_error, null::json as provider_data
    from session_messages where session_id = ${session_id}
    union all
    select seq, null, null, null, turn_index, round, tool_call_id, tool_name, arguments, result, error is not null,
      provider_data
    from session_tool_calls where session_id = ${session_id}`,
);
