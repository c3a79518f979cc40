import type { SessionAction } from "./tool-outcome.ts";
import type { StoredCall } from "./turn-store.ts";

export type TurnInput = {
  /** What the person said; empty for silence. null: the agent speaks without being spoken to. */
  text: string | null;
  client_message_id?: string | null;
  /** The agent's wall clock for this turn only, for tests. */
  override_timestamp?: string | null;
};

/** What a channel can show while the turn runs. */
export type TurnEvent =
  | { type: "delta"; text: string }
  | { type: "message"; text: string }
  | { type: "tool_call"; tool_call_id: string; tool_name: string; arguments: unknown }
  | {
      type: "tool_result";
      tool_call_id: string;
      tool_name: string;
      error: string | null;
      duration_ms: number;
      display_result: unknown;
      /** What was asked and what came of it, where the tool hands its results on; null where it keeps them. */
      propagated: { arguments: unknown; result: unknown } | null;
    }
  | { type: "session_end"; reason: string };

export type TurnResult = {
  turn_index: number;
  messages: string[];
  calls: StoredCall[];
  action: SessionAction | null;
  language: string;
  variables: Record<string, unknown>;
  ended: boolean;
};
