import type { Answerer } from "../sessions/answerer-notes.ts";
import type { SessionAction } from "../tool-calls/tool-outcome.ts";
import type { AwaitedInput } from "../workflows/awaited-input.ts";
import type { StoredCall } from "./draft/turn-rows.ts";
import type { TurnControl } from "./turn-control.ts";

export type TurnInput = {
  /** What the person said; empty for silence. null: the agent speaks without being spoken to. */
  text: string | null;
  client_message_id?: string | null;
  /** The agent's wall clock for this turn only, for tests. */
  override_timestamp?: string | null;
  /** Who answered our call, as far as it is known when the turn begins. */
  answerer?: Answerer | null;
  control?: TurnControl;
};

/** What a channel can show while the turn runs. */
export type TurnEvent =
  | { type: "delta"; text: string }
  /** The model's present words are complete; they come as a message once they are stored. */
  | { type: "words_over" }
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
  /** From now on the session is in another language. */
  | { type: "language"; language: string }
  /** Keys to be pressed on a call. */
  | { type: "keys"; digits: string }
  /** Said to fill the wait for a slow model or tool. */
  | { type: "aside"; text: string }
  | { type: "session_end"; reason: string };

export type TurnResult = {
  turn_index: number;
  messages: string[];
  calls: StoredCall[];
  action: SessionAction | null;
  language: string;
  variables: Record<string, unknown>;
  ended: boolean;
  /** The model gave no answer; the person got an apology. */
  failed: boolean;
  answerer: Answerer | null;
  /** What the open step of a workflow waits for now. */
  awaits: AwaitedInput;
};
